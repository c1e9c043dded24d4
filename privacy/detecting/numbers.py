"""Mobile numbers of mainland China and bank cards: digits whose form alone proves little.

One in ten digit strings passes Luhn and seven in a hundred strings of eleven digits look like a
mobile number. So a number that stands alone is only POSSIBLE; a prefix, the usual grouping or a
word beside it make it LIKELY, and a word such as 订单号 that names it as something else takes it
away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from privacy.detecting import contexts
from privacy.detecting.folding import Folded
from privacy.detecting.spans import POSSIBLE, Hit

_S = r"(?: ?[.\-] ?| )?"
_ALONE, _WORD, _GROUPED, _DOUBT = 0.4, 0.4, 0.3, 0.3

MOBILE = re.compile(
    r"(?<![0-9+])(?=((\((?:\+|00)?86\)[ .\-]{0,3}|(?:\+|00)?86[ .\-]{0,3})?(?:\(0\) ?)?"
    rf"(1{_S}[3-9](?:{_S}[0-9]){{9}}))(?![0-9]))"
)
_MOBILE_GROUPS = {
    (11,),
    (3, 4, 4),
    (3, 8),
    (7, 4),
    (4, 3, 4),
    (4, 4, 3),
    (3, 3, 5),
    (5, 6),
    (6, 5),
    (1,) * 11,
}
_RUN = re.compile(r"[0-9]+")
_MEASURE = re.compile(r"\s?(?:元|美元|欧元|字节|毫秒|微秒|(?i:bytes|ms|usd|cny|rmb)(?![a-z]))")


def find_cn_mobile(folded: Folded, *, today: date) -> Iterator[Hit]:
    """`1[3-9]` and nine digits, optional +86, no digit on either side."""
    text = folded.text
    done = -1
    for match in MOBILE.finditer(text):
        start, end = match.span(1)
        if start < done or _is_opaque(text, start, end):
            continue
        shape = tuple(len(run) for run in _RUN.findall(match[3]))
        score = _ALONE + (_WORD if match[2] else 0)
        if shape not in _MOBILE_GROUPS:
            score -= _DOUBT
        elif len(shape) > 1:
            score += _GROUPED / 2
            if not match[2] and _is_crowded(text, start, end, done, shape[0]):
                score -= _DOUBT
        hit = _judged(text, start, end, score, contexts.PHONE)
        if hit >= POSSIBLE:
            done = end
            yield Hit("cn_mobile", start, end, hit, "cn_mobile")


def _is_opaque(text: str, start: int, end: int) -> bool:
    """Whether the digits are a piece of a longer token: other digits, or many letters, glued on."""
    glued = contexts.letters_before(text, start) + contexts.letters_after(text, end)
    return len(glued) > 12 or any(character.isdigit() for character in glued)


def _is_crowded(text: str, start: int, end: int, done: int, first: int) -> bool:
    """Whether a grouped number is a piece of a longer grouped one (`2024-138-0013-8000`)."""
    before = text[max(0, start - 5) : start]
    after = text[end : end + 5]
    if first == 1 and (re.search(r"[0-9] \Z", before) or re.match(" [0-9]", after)):
        return True
    left = re.search(r"(?:[0-9][.\-]|(?<![0-9])[0-9]{4} )\Z", before) and done != start - 1
    right = re.match(r"[.\-][0-9]| [0-9]{4}(?![0-9])", after)
    return bool(left or right)


def _judged(text: str, start: int, end: int, score: float, listed: re.Pattern[str]) -> float:
    """The score after the words around, a fraction or an amount, a unit and the name of another."""
    if contexts.stands_near(text, start, end, listed):
        score += _WORD
    if contexts.labels(text, start, contexts.ORDERED) or _MEASURE.match(text, end):
        score -= _DOUBT
    if _is_fraction(text, start, end):
        score -= _DOUBT
    return round(min(score, 1.0), 2)


def _is_fraction(text: str, start: int, end: int) -> bool:
    """Part of a decimal number: `0.4111…`, `13.55…`, `….00`; `1.138…` may be an item of a list."""
    whole = re.search(r"([0-9]+)\.\Z", text[max(0, start - 6) : start])
    if whole and (whole[1] == "0" or len(whole[1]) > 1 or end - start > 11):
        return True
    return re.match(r"\.[0-9]{1,2}(?![0-9.])", text[end : end + 4]) is not None


CARD = re.compile(
    r"(?<![0-9])(?=("
    r"[2-69][0-9]{12,18}"
    r"|[2-69][0-9]{2,9}(?:[ .\-\n][0-9]{3,13}){1,4}(?:[ .\-][0-9]{1,3})?"
    r"|(?<![0-9][ .\-])[2-69](?:[ .\-][0-9]){12,18}"
    r")(?![0-9A-Za-z]))"
)
_ISSUED = re.compile(r"(?:4|5[ .\-]?[1-5]|6[ .\-]?[0245]|3[ .\-]?[04-8]|2[ .\-]?[2-7]|9[ .\-]?5)")
_CARD_GROUPS = {
    (4, 4, 4, 4),
    (4, 4, 4, 4, 1),
    (4, 4, 4, 4, 2),
    (4, 4, 4, 4, 3),
    (4, 4, 4, 3),
    (4, 6, 5),
    (4, 6, 4),
    (4, 4, 4, 1),
    (6, 10),
    (6, 13),
    (8, 8),
    (8, 11),
    (8, 8, 3),
    (6, 4, 4, 4, 1),
}
_CARD_GLUED = frozenset({"card", "cardno", "visa", "amex", "mastercard", "unionpay", "pan"})


def find_bank_card(folded: Folded, *, today: date) -> Iterator[Hit]:
    """13 to 19 digits with an issuer's prefix that pass Luhn and are not all equal."""
    text = folded.text
    done = -1
    for match in CARD.finditer(text):
        start = match.start(1)
        if start < done or not _ISSUED.match(match[1]):
            continue
        for end, digits, shape in _readings(match[1], start):
            score = issuer_score(digits)
            if score == 0 or not passes_luhn(digits):
                continue
            glued = contexts.letters_before(text, start)
            if glued and glued.lower() not in _CARD_GLUED:
                break
            score += _shape_score(match[1], shape, _is_crowded(text, start, end, done, shape[0]))
            hit = _judged(text, start, end, score, contexts.CARD)
            if hit >= POSSIBLE:
                done = end
                yield Hit("bank_card", start, end, hit, "bank_card")
                break


def _readings(candidate: str, base: int) -> list[tuple[int, str, tuple[int, ...]]]:
    """The candidate up to each of its group borders that gives 13 to 19 digits, longest first."""
    readings = []
    digits = ""
    shape: tuple[int, ...] = ()
    for run in _RUN.finditer(candidate):
        digits += run[0]
        shape += (len(run[0]),)
        if len(digits) > 19:
            break
        if len(digits) >= 13 and set(shape) != {1}:
            readings.append((base + run.end(), digits, shape))
    if set(shape) == {1}:
        readings.append((base + len(candidate), digits, shape))
    return readings[::-1]


def _shape_score(candidate: str, shape: tuple[int, ...], crowded: bool) -> float:
    """The usual groups are worth as much as a word; odd ones among further numbers are doubtful."""
    if len(shape) == 1:
        return 0.0
    usual = shape in _CARD_GROUPS or set(shape) == {1}
    if candidate.count("\n") > 1 or (crowded and not usual):
        return -_DOUBT
    return _GROUPED if usual and not crowded else 0.0


def issuer_score(digits: str) -> float:
    """How far prefix and length are those of an issuer; 0 without one. Odd lengths need a word."""
    length = len(digits)
    if len(set(digits)) == 1:
        return 0.0
    for prefixes, lengths in _ISSUERS:
        if digits.startswith(prefixes):
            return _ALONE if length in lengths else _ALONE - _DOUBT
    return _ALONE - _DOUBT if digits.startswith(_WORD_NEEDED) else 0.0


_ONLY_16 = frozenset({16})
_ISSUERS: tuple[tuple[tuple[str, ...], frozenset[int]], ...] = (
    (("62",), frozenset({16, 19})),  # UnionPay
    (("4",), frozenset({13, 16})),  # Visa
    (("51", "52", "53", "54", "55"), _ONLY_16),  # Mastercard
    (tuple(str(prefix) for prefix in range(2221, 2721)), _ONLY_16),
    (("34", "37"), frozenset({15})),  # American Express
    (("35",), _ONLY_16),  # JCB
    (("6011", "65"), _ONLY_16),  # Discover
)
_WORD_NEEDED = ("9558", "95599", "36", "38", "300", "301", "302", "303", "304", "305", "644", "649")
"""Old cards of ICBC and ABC, Diners, further Discover ranges: only beside a word."""

_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)


def passes_luhn(digits: str) -> bool:
    """ISO/IEC 7812-1, annex B."""
    values = [ord(digit) - 48 for digit in reversed(digits)]
    return (sum(values[::2]) + sum(_DOUBLED[value] for value in values[1::2])) % 10 == 0
