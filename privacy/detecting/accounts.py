"""The US social security number and the international bank account number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import cache

from stdnum import iban, numdb
from stdnum.us import ssn

from privacy.detecting import contexts
from privacy.detecting.folding import Folded
from privacy.detecting.spans import POSSIBLE, Hit

SSN = re.compile(
    r"(?:(?<![0-9A-Za-z])|(?<=ssn)|(?<=SSN))(?<![0-9][.\-])"
    r"([0-9]{3})( - |[ -]?)([0-9]{2})\2([0-9]{4})"
    r"(?![0-9A-Za-z])(?![.\-][0-9])"
)


def find_us_ssn(folded: Folded, *, today: date) -> Iterator[Hit]:
    """`AAA-GG-SSSS`, not an impossible or a published one; without dashes only beside a word."""
    text = folded.text
    for match in SSN.finditer(text):
        if not ssn.is_valid(match[1] + match[3] + match[4]):
            continue
        score = 0.6 if "-" in match[2] else 0.1
        if contexts.stands_near(text, *match.span(), contexts.SSN):
            score += 0.4
        if contexts.labels(text, match.start(), contexts.ORDERED):
            score -= 0.3
        if score >= POSSIBLE:
            yield Hit("us_ssn", *match.span(), round(score, 2), "us_ssn")


IBAN = re.compile(r"(?<![0-9A-Za-z])[A-Za-z]{2}[0-9]{2}(?=[ -]?[0-9A-Za-z])")
_LENGTHS = re.compile(r"([0-9]+)!")


@cache
def iban_length(country: str) -> int:
    """How many characters the IBANs of a country have by the SWIFT registry; 0 if none."""
    structure = numdb.get("iban").info(country)[0][1].get("bban", "")
    return 4 + sum(map(int, _LENGTHS.findall(structure))) if structure else 0


def find_iban(folded: Folded, *, today: date) -> Iterator[Hit]:
    """A country of the registry, its length and structure, and mod 97; groups of four allowed."""
    text = folded.text
    done = -1
    for match in IBAN.finditer(text):
        length = iban_length(match[0][:2].upper())
        if not length or match.start() < done:
            continue
        end = _end_of(text, match.start(), length)
        number = re.sub("[ -]", "", text[match.start() : end]).upper()
        if end and _remainder(number) == 1 and iban.is_valid(number):
            done = end
            yield Hit("iban", match.start(), end, 0.95, "iban")


def _end_of(text: str, start: int, length: int) -> int:
    """Where `length` letters and digits end, a space or dash allowed after each four; 0 if not."""
    place = start
    for count in range(length):
        if count and count % 4 == 0 and text[place : place + 1] in (" ", "-"):
            place += 1
        character = text[place : place + 1]
        if not (character.isascii() and character.isalnum()):
            return 0
        place += 1
    follows = text[place : place + 1]
    return 0 if follows.isascii() and follows.isalnum() else place


def _remainder(number: str) -> int:
    return int("".join(str(int(character, 36)) for character in number[4:] + number[:4])) % 97
