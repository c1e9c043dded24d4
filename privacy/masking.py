"""What is shown instead of personal data, and which of several actions is the strictest.

Pure: the vault that keeps the originals of tokens, and the sealing of what is encrypted, stand
elsewhere and hand in what to show.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType

from privacy.detecting.credentials import KNOWN
from privacy.detecting.folding import fold
from privacy.detecting.negatives import TOKEN, VAULT_ID
from privacy.detecting.patterns import NAME
from privacy.detecting.spans import Span


class Action(StrEnum):
    """What a finding leads to, from the mildest to the strictest."""

    FLAG = "flag"
    MASK = "mask"
    ENCRYPT = "encrypt"
    TOKENISE = "tokenise"
    REDACT = "redact"
    QUARANTINE = "quarantine"
    REJECT = "reject"


STRICTNESS: tuple[Action, ...] = tuple(Action)
_STRICTNESS = {action: place for place, action in enumerate(STRICTNESS)}

DEFAULT_ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        "cn_id": Action.TOKENISE,
        "cn_mobile": Action.MASK,
        "bank_card": Action.TOKENISE,
        "secret": Action.QUARANTINE,
        "email": Action.MASK,
        "us_ssn": Action.TOKENISE,
        "iban": Action.TOKENISE,
        "intl_phone": Action.MASK,
        "cn_passport": Action.TOKENISE,
        "ip": Action.MASK,
        "person": Action.FLAG,
        "cn_address": Action.FLAG,
    }
)
"""Tokenising encrypts too: the vault keeps the original under the tenant's key."""


def default_action(entity: str) -> Action:
    """The default of a built-in entity; what a tenant or a service names is masked."""
    return DEFAULT_ACTIONS.get(entity, Action.MASK)


def strictest(actions: Iterable[Action]) -> Action:
    """The strictest of at least one action."""
    return max(actions, key=_STRICTNESS.__getitem__)


def token(entity: str, token_id: str) -> str:
    """`⟦cn_id:k7Q2⟧`. An id is 4 to 10 of 0–9A–Za–z with a letter and no six digits in a row."""
    if not NAME.fullmatch(entity) or not re.fullmatch(VAULT_ID, token_id):
        raise ValueError("not the form of a token")
    return f"⟦{entity}:{token_id}⟧"


def is_token(text: str) -> bool:
    """Whether the whole text is one token."""
    return TOKEN.fullmatch(text) is not None


def redaction(entity: str) -> str:
    """What stands where something was redacted: `[cn_id]`."""
    return f"[{entity}]"


def mask(entity: str, text: str) -> str:
    """The text of one finding with all but a hint of it starred out; the length is not kept."""
    hint = _HINTS.get(entity)
    return hint(fold(text).text) if hint else _STARS


def mask_span(span: Span) -> str:
    """`mask` of a span."""
    return mask(span.entity, span.text)


def replace_spans(text: str, spans: Iterable[Span], render: Callable[[Span], str]) -> str:
    """The text with each span replaced; spans are sorted and do not overlap."""
    pieces: list[str] = []
    place = 0
    for span in spans:
        pieces += (text[place : span.start], render(span))
        place = span.end
    pieces.append(text[place:])
    return "".join(pieces)


def apply_masks(text: str, spans: Iterable[Span]) -> str:
    """The text with each span masked."""
    return replace_spans(text, spans, mask_span)


_STARS = "******"


def _plain(text: str) -> str:
    return re.sub(r"[^0-9A-Za-z]", "", text)


def _keep_last(text: str, count: int) -> str:
    plain = _plain(text)
    return "*" * (len(plain) - count) + plain[-count:]


def _mask_mobile(text: str) -> str:
    digits = _plain(text)[-11:]
    return f"{digits[:3]}****{digits[-4:]}"


def _mask_email(text: str) -> str:
    local, _, domain = text.replace("%40", "@").rpartition("@")
    is_more = "eyJ" in domain or KNOWN.search(domain)  # a token right behind the address
    return f"{local[:1]}***@{'***' if is_more else domain}"


def _mask_phone(text: str) -> str:
    country = re.match(r"\(?(?:\+ ?|00)?[0-9]{1,2}", text)
    lead = "+" + re.sub("[^0-9]", "", country[0]).removeprefix("00") if country else "+"
    return f"{lead}******{_plain(text)[-2:]}"


def _mask_iban(text: str) -> str:
    return f"{text[:2].upper()}{'*' * 12}{_plain(text)[-4:]}"


def _mask_ip(text: str) -> str:
    if ":" in text:
        return ":".join([*text.split(":")[:2], "****"])
    return ".".join([*text.split(".")[:2], "*", "*"])


_HINTS: Mapping[str, Callable[[str], str]] = {
    "cn_id": lambda text: _keep_last(text, 2),
    "cn_mobile": _mask_mobile,
    "bank_card": lambda text: _keep_last(text, 4),
    "email": _mask_email,
    "us_ssn": lambda text: "***-**-" + _plain(text)[-4:],
    "iban": _mask_iban,
    "intl_phone": _mask_phone,
    "cn_passport": lambda text: f"{text[:1]}******{text[-2:]}",
    "ip": _mask_ip,
    "person": lambda text: f"{text[:1]}**",
}
