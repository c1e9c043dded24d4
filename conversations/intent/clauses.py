"""A message as the rules read it: folded, cut into clauses, each with what marks it. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

LONGEST = 4_000
"""Characters of a message that are judged; the rest is of the same message."""

_CUT = re.compile(r"[。！!；;\n…~～]+|(?<=[?？])|[，,](?!\d)|\.(?:\s|$)|(?<=[a-z])\s+-\s+")
_EDGES = " \t\"'“”‘’()（）[]【】<>《》:：、-—·*#"
_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[a-z0-9][a-z0-9'’.@:/-]*")


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a message without the punctuation around it; `asks`: a question mark ended it."""

    text: str
    asks: bool = False

    @property
    def is_chinese(self) -> bool:
        return _HAN.search(self.text) is not None

    @property
    def words(self) -> list[str]:
        """Words in Latin letters and digits."""
        return [word.rstrip(".:/-'’") for word in _WORD.findall(self.text)]

    @property
    def content(self) -> str:
        """Letters and digits alone."""
        return "".join(letter for letter in self.text if letter.isalnum())


def fold(text: str) -> str:
    """One spelling: full-width as ASCII, lower case, straight apostrophes."""
    return unicodedata.normalize("NFKC", text[:LONGEST]).lower().replace("’", "'")


def clauses_of(text: str) -> Iterator[Clause]:
    """The clauses of a folded message, in order; what holds no letter or digit is left out."""
    for piece in _CUT.split(text):
        bare = piece.strip(_EDGES)
        asks = bare.endswith(("?", "？"))
        clause = Clause(bare.rstrip("?？ ").strip(_EDGES), asks)
        if clause.content:
            yield clause


@lru_cache(maxsize=64)
def _any_of(phrases: frozenset[str]) -> re.Pattern[str]:
    """Any of these phrases, longest first."""
    return re.compile("|".join(map(re.escape, sorted(phrases, key=len, reverse=True))))


def without(text: str, phrases: frozenset[str]) -> str:
    """The text without these phrases."""
    return _any_of(phrases).sub(" ", text)


def any_in(text: str, phrases: Iterable[str]) -> bool:
    """Whether one of the phrases stands in the text."""
    return any(phrase in text for phrase in phrases)


def vocabulary(text: str) -> frozenset[str]:
    """A vocabulary written as one text."""
    return frozenset(text.split())
