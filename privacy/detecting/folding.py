"""Folding a text to the form the patterns know, with the way back to the original places.

Each character is folded alone, so every folded character comes from exactly one original one:
NFKC, all decimal digits (full width, Arabic-Indic, Devanagari …) to 0–9, all dashes to `-`, all
spaces to a space; what is invisible (zero width, bidi marks, variation selectors) goes. The common
case, where every character stays one character, needs no map.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

_LONGEST = 4
"""A character that unfolds to more, or to several of which not all are ASCII (½, U+FDFA), is left
as it is: no text grows much, and `⒈` is still read as `1.`."""

_INVISIBLE = {
    0x034F,
    0x115F,
    0x1160,
    0x20E3,
    0x3164,
    *range(0x180B, 0x180F),
    *range(0xFE00, 0xFE10),
}


@dataclass(frozen=True, slots=True)
class Folded:
    """`text` is what patterns read; `starts[i]` is the original place of its character `i`."""

    original: str
    text: str
    starts: Sequence[int] | None = None

    def place(self, start: int, end: int) -> tuple[int, int]:
        """The original places of `text[start:end]`, which is not empty."""
        if self.starts is None:
            return start, end
        return self.starts[start], self.starts[end - 1] + 1


FILLER = "\ue000"
"""A private-use character that no pattern of the pack knows."""


@lru_cache(maxsize=16_384)
def fold_character(character: str) -> str:
    """What one character is read as: empty if invisible, else one to four characters."""
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category == "Cf" or ord(character) in _INVISIBLE or 0xE0100 <= ord(character) <= 0xE01EF:
        return ""
    if category == "Cs":
        return "\ufffd"
    if category == "Pd" or character == "\u2212":
        return "-"
    if category == "Zs":
        return " "
    folded = unicodedata.normalize("NFKC", character)
    if len(folded) > 1 and (len(folded) > _LONGEST or not folded.isascii()):
        return character
    return folded


def fold(text: str) -> Folded:
    """Fold a text; an ASCII one is its own folding."""
    if text.isascii():
        return Folded(text, text)
    table = {character: fold_character(character) for character in set(text)}
    if all(len(folded) == 1 for folded in table.values()):
        places = {ord(character): folded for character, folded in table.items()}
        return Folded(text, text.translate(places))
    pieces: list[str] = []
    starts: list[int] = []
    for place, character in enumerate(text):
        folded = table[character]
        pieces.append(folded)
        starts.extend([place] * len(folded))
    return Folded(text, "".join(pieces), starts)


def compact(text: str) -> str:
    """A value without what only groups it: folded, no spaces, dashes or dots; for comparing."""
    return fold(text).text.translate(_GROUPING).casefold()


_GROUPING = str.maketrans("", "", " -.\n\t()")
