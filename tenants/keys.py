"""The text of an API key, `mh_<key id>_<secret>`: made, taken apart, checked for shape. Pure."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass

_SHAPE = re.compile(r"mh_([a-z0-9]{12})_([A-Za-z0-9]{40})", re.ASCII)
_ID_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_SECRET_LETTERS = _ID_LETTERS + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class KeyText:
    """An API key as its holder has it. Only `id` is stored in the clear."""

    id: str
    secret: str

    def __str__(self) -> str:
        return f"mh_{self.id}_{self.secret}"


def make_key_text() -> KeyText:
    """A new key: 62 bits of id, 238 bits of secret."""
    return KeyText(
        "".join(secrets.choice(_ID_LETTERS) for _ in range(12)),
        "".join(secrets.choice(_SECRET_LETTERS) for _ in range(40)),
    )


def parse_key_text(text: str) -> KeyText | None:
    """The parts of a well-formed key, else None."""
    found = _SHAPE.fullmatch(text)
    return KeyText(found[1], found[2]) if found else None
