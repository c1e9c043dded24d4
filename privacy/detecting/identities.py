"""The mainland-China identity number and the passport."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from stdnum.cn import uscc

from privacy.detecting import contexts
from privacy.detecting.folding import Folded
from privacy.detecting.spans import Hit

_S = r"(?: ?[.\-] ?| )?"
"""What may stand between two digits of a grouped number."""


def _spaced(*parts: str) -> str:
    return _S.join(parts)


_D = "[0-9]"
_YEAR = f"(?:{_spaced('1', '[89]', _D, _D)}|{_spaced('2', '0', _D, _D)})"
_MONTH = f"(?:{_spaced('0', '[1-9]')}|{_spaced('1', '[0-2]')})"
_DAY = f"(?:{_spaced('0', '[1-9]')}|{_spaced('[12]', _D)}|{_spaced('3', '[01]')})"
CANDIDATE = re.compile(
    rf"(?<![0-9])(?=({_spaced(*[_D] * 6, _YEAR, _MONTH, _DAY, *[_D] * 3, '[0-9Xx]')})"
    r"(?![0-9A-Za-z]))"
)
"""18 places with a date inside. The look-ahead lets candidates overlap; its length is bounded."""

_GROUPS = re.compile(r"[0-9Xx]+")
_GLUED = frozenset({"id", "idcard", "idno", "cnid", "sfz", "sfzh", "sfzhm"})
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def find_cn_id(folded: Folded, *, today: date) -> Iterator[Hit]:
    """GB 11643: 17 digits and a check digit by ISO 7064 MOD 11-2, with a real date up to today.

    The area is not checked: retired codes stay valid for those who were born there.
    """
    text = folded.text
    for match in CANDIDATE.finditer(text):
        start, end = match.span(1)
        groups = _GROUPS.findall(match[1])
        number = "".join(groups).upper()
        if not (is_checked(number) and is_born(number[6:14], today)):
            continue
        if len(groups) > 6 and len(groups) != 18:
            continue
        glued = contexts.letters_before(text, start)
        if (glued and glued.lower() not in _GLUED) or text.endswith("0.", 0, start):
            continue
        if uscc.is_valid(number) and contexts.labels(text, start, contexts.COMPANY):
            continue
        near = contexts.stands_near(text, start, end, contexts.IDENTITY)
        yield Hit("cn_id", start, end, 1.0 if near else 0.95, "cn_id")


def is_checked(number: str) -> bool:
    """Whether the last of 18 places is the check digit of the others."""
    total = sum(weight * int(digit) for weight, digit in zip(_WEIGHTS, number, strict=False))
    return "10X98765432"[total % 11] == number[17]


def is_born(digits: str, today: date) -> bool:
    """Whether `YYYYMMDD` is a day of the calendar, not after today."""
    try:
        born = date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    except ValueError:
        return False
    return born <= today


PASSPORT = re.compile(
    r"(?<![0-9A-Za-z])(?:[Ee][ -]?[0-9]{4}[ -]?[0-9]{4}|[Ee][A-HJ-NP-Za-hj-np-z][ -]?[0-9]{7}"
    r"|[Gg][ -]?[0-9]{8}"
    r"|[DdSsPp][Ee]?[ -]?[0-9]{7}|[Dd][ -]?[0-9]{8}|1[45][0-9]{7}|[Mm][Aa][ -]?[0-9]{7}"
    r"|[KkHh][Jj]?[ -]?[0-9]{8}|[CcWwLlTt][0-9]{8})(?![0-9A-Za-z])"
)


def find_cn_passport(folded: Folded, *, today: date) -> Iterator[Hit]:
    """Passports and exit permits: no check digit, so a word beside it is needed."""
    text = folded.text
    for match in PASSPORT.finditer(text):
        if contexts.stands_near(text, *match.span(), contexts.PASSPORT):
            yield Hit("cn_passport", *match.span(), 0.8, "cn_passport")
