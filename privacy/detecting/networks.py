"""Network addresses of both kinds, told from versions, times and names with two colons."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from datetime import date

from privacy.detecting import contexts
from privacy.detecting.folding import Folded
from privacy.detecting.spans import POSSIBLE, Hit

V4 = re.compile(
    r"(?<![0-9A-Za-z.])(?<![A-Za-z_]-)(?<![~^])([0-9]{1,3}(?:\.[0-9]{1,3}){3})"
    r"(?![0-9A-Za-z_])(?!\.[0-9A-Za-z])(?!-[A-Za-z])"
)
V6 = re.compile(r"(?<![0-9A-Za-z:.])[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:]{2,38}(?![0-9A-Za-z:])")
_RELEASED = re.compile(r"\s?(?:版本|版|(?i:released?|version|build)(?![a-z]))")
_PRODUCT = re.compile(r"[A-Za-z0-9)]/\Z")
_PIN = re.compile(r"(?:[=<>!~^]=|==|[<>])\s?\Z")


def find_ip(folded: Folded, *, today: date) -> Iterator[Hit]:
    """An address that a host can have; loopback and unspecified ones say nothing of anybody."""
    text = folded.text
    if text.count(".") >= 3:
        for match in V4.finditer(text):
            if _is_address(match[1]):
                score = _v4_score(text, match.start(), match.end())
                if score >= POSSIBLE:
                    yield Hit("ip", *match.span(), score, "ip")
    if text.count(":") >= 2:
        for match in V6.finditer(text):
            if _is_address(match[0]) and _is_spelt_out(match[0], text, match):
                yield Hit("ip", *match.span(), 0.8, "ip")


def _is_address(candidate: str) -> bool:
    try:
        address = ipaddress.ip_address(candidate)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified or candidate == "255.255.255.255")


def _v4_score(text: str, start: int, end: int) -> float:
    host = contexts.nearest_before(text, start, contexts.NETWORK)
    release = contexts.nearest_before(text, start, contexts.RELEASE)
    port = re.match(r":[0-9]{1,5}(?![0-9])", text[end : end + 6]) is not None
    near = host >= 0 or contexts.stands_near(text, start, end, contexts.NETWORK)
    score = 0.9 if near or port else 0.6
    if release > host or _PIN.search(text[max(0, start - 3) : start]) or _RELEASED.match(text, end):
        score -= 0.6
    elif _PRODUCT.search(text[max(0, start - 2) : start]) and not port:
        score -= 0.4
    return round(score, 2)


def _is_spelt_out(candidate: str, text: str, match: re.Match[str]) -> bool:
    """`dead::beef` may be a name in a program: an address has a digit, or a word beside it."""
    groups = [group for group in candidate.split(":") if group]
    if len(groups) >= 2 and any(character.isdigit() for character in candidate):
        return True
    return contexts.stands_near(text, *match.span(), contexts.NETWORK)
