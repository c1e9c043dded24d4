"""Phone numbers in international form, parsed by Google's library."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

import phonenumbers

from privacy.detecting import contexts
from privacy.detecting.folding import Folded
from privacy.detecting.spans import POSSIBLE, Hit

PHONE = re.compile(
    r"(?<![0-9+])(?:\+ ?|\(\+|(?<![A-Za-z])00(?=[1-9]))[1-9]"
    r"(?:[ .\-/]?[()]?[ ]?[0-9]){6,17}(?![0-9])"
)
_EXTENSION = re.compile(
    r"(?i:[ ,;]{0,2}(?:ext(?:ension)?\.?|x|#|转|分机)[ :.]?)[0-9]{1,6}(?![0-9])"
)
_TAIL = re.compile(r"[ .\-/()]+[0-9]+\Z")
_MAINLAND_MOBILE = re.compile(r"0?1[3-9][0-9]{9}")

PARSES = 4000
"""Parsed in one text; any further candidate is believed by its form: bounded, and fails closed."""


def find_intl_phone(folded: Folded, *, today: date) -> Iterator[Hit]:
    """`+` and a number valid in its country, with an extension; `00` needs a word beside it."""
    text = folded.text
    left = PARSES
    for match in PHONE.finditer(text):
        start, end = match.span()
        near = contexts.stands_near(text, start, end, contexts.PHONE)
        if text.startswith("00", start) and not near:
            continue
        if left <= 0:
            yield Hit("intl_phone", start, end, POSSIBLE, "intl_phone")
            continue
        length, tried = _valid_length(match[0])
        left -= tried
        if not length:
            continue
        end = start + length
        extension = _EXTENSION.match(text, end)
        if extension:
            end = extension.end()
        yield Hit("intl_phone", start, end, 0.95 if near else 0.85, "intl_phone")


def _valid_length(candidate: str) -> tuple[int, int]:
    """How much of the candidate is a valid number (0: none), dropping groups from its end."""
    tried = 0
    while tried < 4:
        number = "+" + re.sub("[^0-9]", "", candidate).removeprefix("00")
        if number.startswith("+86") and _MAINLAND_MOBILE.fullmatch(number[3:]):
            return 0, tried + 1
        tried += 1
        try:
            if phonenumbers.is_valid_number(phonenumbers.parse(number, None)):
                return len(candidate), tried
        except phonenumbers.NumberParseException:
            return 0, tried
        shorter = _TAIL.sub("", candidate)
        if shorter == candidate or len(shorter) < 8:
            break
        candidate = shorter
    return 0, tried
