"""Signed notes: Ed25519 over a short text, in the form of C2SP's `signed-note`.

**The key** is derived from the installation's base, so it lies outside the database, survives a
rotation of the root, and is the same on every server that shares the ring. One key signs
everything; the first line of a text (its origin) says what it is, and readers must check it: a
checkpoint of one log, an anchor and a certificate can never be taken for each other.

A note is the text, an empty line, and a line `— <name> <base64(4 bytes of key id ‖ signature)>`:

    memoryhub/0198…/1
    42
    <base64 of the root>

    — memoryhub AbCd…

What can fail: `SignatureRefused` says that a text is not what this key signed.
"""

from __future__ import annotations

import base64
import binascii
import struct
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from sealing.ring import KeyRing, ring

NAME = "memoryhub"
PURPOSE = "sign-notes"
ED25519 = b"\x01"
_MARK = "\n\n— "


class SignatureRefused(Exception):
    """The note was not signed by this key, or is not what was signed."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """What a signature is checked with; `raw` has 32 bytes."""

    raw: bytes

    @property
    def id(self) -> bytes:
        """Four bytes by which a note says whose it is."""
        return sha256(NAME.encode() + b"\n" + ED25519 + self.raw).digest()[:4]

    @property
    def text(self) -> str:
        """As auditors keep it: `memoryhub+<id>+<base64>` (a verifier key of C2SP)."""
        return f"{NAME}+{self.id.hex()}+{base64.b64encode(ED25519 + self.raw).decode()}"


def public_key() -> PublicKey:
    """The installation's public key."""
    return _keys(ring())[1]


def sign_note(text: str) -> str:
    """The text as a signed note. It ends with a line break and holds no empty line."""
    if not text.endswith("\n") or "\n\n" in text or text.startswith("\n"):
        raise ValueError("a note is lines without an empty one")
    private, public = _keys(ring())
    signature = base64.b64encode(public.id + private.sign(text.encode())).decode()
    return f"{text}{_MARK[1:]}{NAME} {signature}\n"


def open_note(note: str, key: PublicKey | None = None) -> str:
    """The text of a note that this key (None: the installation's own) signed. SignatureRefused."""
    body, mark, line = note.rpartition(_MARK)
    name, _, encoded = line.rstrip("\n").partition(" ")
    key = key or public_key()
    text = body + "\n"
    try:
        blob = base64.b64decode(encoded, validate=True)
        identifier, signature = struct.unpack("4s64s", blob)
        written = base64.b64encode(blob).decode()  # one way to write it only
        if not mark or (name, encoded, identifier) != (NAME, written, key.id):
            raise SignatureRefused("the note was signed by somebody else")
        Ed25519PublicKey.from_public_bytes(key.raw).verify(signature, text.encode())
    except (binascii.Error, struct.error, InvalidSignature, UnicodeEncodeError):
        raise SignatureRefused("the signature does not fit the text") from None
    return text


@lru_cache(maxsize=4)
def _keys(keys: KeyRing) -> tuple[Ed25519PrivateKey, PublicKey]:
    private = Ed25519PrivateKey.from_private_bytes(keys.derive(PURPOSE))
    raw = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return private, PublicKey(raw)
