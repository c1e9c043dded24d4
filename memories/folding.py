"""Folding: one form for all ways to write the same word, and what belongs to which kind of script.

Full width and ligatures become plain (NFKC), case goes, Latin, Greek, Arabic and Hebrew lose their
accents and points, digits of all scripts become 0–9, `don't` and `Anna's` lose what follows the
stem. What distinguishes words stays: Cyrillic й, Japanese dakuten, the vowels of Thai and Hindi.
Pure, and linear: long runs of combining marks are cut first, because Python sorts them in
quadratic time (half a megabyte of them would take a quarter of an hour).
"""

from __future__ import annotations

import re
import unicodedata

FOLDED_CHARACTERS = 2_000_000
CONNECTORS = r"\-_./:@+&"

# Scripts that write no spaces between words, for the inside of a character class.
UNSPACED = (
    "\u2e80-\u2fd5\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"  # Han
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\U0001aff0-\U0001b16f"  # Kana
    "\u3105-\u312f\u31a0-\u31bf\ua000-\ua48c"  # Bopomofo, Yi
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7fb"  # Hangul: words, but with endings
    "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd-\u0ec6\u0edc-\u0edf"
    "\u1000-\u102a\u103f\u1050-\u1055\u1780-\u17b3\u17dc"  # Thai, Lao, Burmese, Khmer
)


def _scan(categories: tuple[str, ...]) -> list[int]:
    return [code for code in range(0x300, 0x1F000) if unicodedata.category(chr(code)) in categories]


def _as_class(codes: list[int]) -> str:
    """Sorted code points as ranges for the inside of a character class."""
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges)


# Combining marks, for the inside of a character class; they belong to the letter before them.
MARKS = _as_class(_scan(("Mn", "Mc")))

_POINTS = [*range(0x591, 0x5BE), 0x5BF, 0x5C1, 0x5C2, 0x5C4, 0x5C5, 0x5C7]  # Hebrew
_POINTS += [
    *range(0x610, 0x61B),
    0x640,
    *range(0x64B, 0x660),
    0x670,
    *range(0x6D6, 0x6DD),
]  # Arabic
_INVISIBLE = [0xAD, 0x34F, 0x61C, 0x200C, 0x200D, 0x200E, 0x200F, *range(0x202A, 0x202F)]
_INVISIBLE += [*range(0x2060, 0x2065), *range(0x2066, 0x2070), 0xFEFF]
_INVISIBLE += [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]

_REPLACED: dict[int, str | None] = {
    **{code: str(unicodedata.digit(chr(code))) for code in _scan(("Nd",))},
    **dict.fromkeys([*_POINTS, *_INVISIBLE]),
    **{ord(letter): plain for letter, plain in zip("łđðøħıŧŋ", "lddohitn", strict=True)},
    **{ord("æ"): "ae", ord("œ"): "oe", ord("þ"): "th", 0x200B: " "},
    **dict.fromkeys([0x2018, 0x2019, 0x02BC, 0xFF07], "'"),
    **dict.fromkeys([0x2010, 0x2011, 0x2012, 0x2212], "-"),
    **{ord("ى"): "ي", ord("ة"): "ه", ord("ک"): "ك", ord("ی"): "ي"},
}

_ACCENTS = re.compile(
    "(?<=[a-z\u00df-\u02af\u0370-\u03ff])[\u0300-\u036f]+"
    "|(?<=\u0435)\u0308|(?<=[аеиоуыэюя])[\u0300\u0301]"  # ё, stress
)
_MANY_MARKS = re.compile(rf"([{MARKS}]{{8}})[{MARKS}]+")
_GROUPED_DIGITS = re.compile(r"(?<![\w.,])[0-9]{1,3}(?:,[0-9]{3})+(?![\w,])")
_TIME_OF_DAY = re.compile(r"(?<=[0-9][0-9])t(?=[0-9]{2}:?[0-9]{2})")  # so that a date finds it
_CONTRACTIONS = re.compile(
    r"(?<![a-z0-9])(?:can|won|shan)'t(?![a-z0-9])"
    r"|(?<=[a-z])(?:n't|'(?:s|ll|re|ve|d|m))(?![a-z0-9])"
)


def fold(text: str) -> str:
    """The text in the one form in which words are compared."""
    text = text[:FOLDED_CHARACTERS]
    folded = text.lower() if text.isascii() else _fold_scripts(text)
    if "'" in folded:
        folded = _CONTRACTIONS.sub("", folded)
    if "," in folded:
        folded = _GROUPED_DIGITS.sub(lambda found: found[0].replace(",", ""), folded)
    return _TIME_OF_DAY.sub(" ", folded)


def _fold_scripts(text: str) -> str:
    plain = unicodedata.normalize("NFKC", _MANY_MARKS.sub(r"\1", text))[:FOLDED_CHARACTERS]
    apart = unicodedata.normalize("NFD", plain.casefold())
    return unicodedata.normalize("NFC", _ACCENTS.sub("", apart).translate(_REPLACED))
