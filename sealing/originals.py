"""Authenticated encryption of single values: AES-256-GCM under a tenant's key, bound to a place.

**The invariant.** What `seal` made opens only with the key it was made with, whole, in its own
place: the associated data are tenant, table, row and field, so a ciphertext that was moved, or
given to another tenant, does not open. A sealed value is

    version 1 | algorithm 1 | key id 4 | nonce 12 | ciphertext | tag 16

and its header is authenticated too. Nonces are random, therefore a key retires after 2^30 uses.

**What can fail.** `SealRefused` says why, by code: `unknown_format` (another version or
algorithm), `key_gone` (the key was destroyed, or is of another installation), `damaged` (a bit, the
place or the tenant is another one; by design the three cannot be told apart).
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from uuid import UUID

from cryptography.exceptions import InvalidTag

from sealing.ring import NONCE_BYTES, KeyRefused, ring
from sealing.rotating import count_use

VERSION = 1
AES_256_GCM = 1
_HEADER = struct.Struct(">BBI")
_SHORTEST = _HEADER.size + NONCE_BYTES + 16

REFUSALS = {
    "unknown_format": "It was sealed in a form that is not known here.",
    "key_gone": "The key that it was sealed with is not here.",
    "damaged": "It was changed, or is not in its own place.",
}


class SealRefused(Exception):
    """A sealed value does not open; `code` is one of REFUSALS."""

    def __init__(self, code: str) -> None:
        super().__init__(REFUSALS[code])
        self.code = code


@dataclass(frozen=True, slots=True)
class Place:
    """Where a sealed value stands, and nowhere else opens."""

    tenant_id: UUID
    table: str
    row: str
    field: str

    def associated(self, header: bytes) -> bytes:
        """Header and parts, each with its length, so that no two places look alike."""
        parts = [self.tenant_id.bytes, *map(str.encode, (self.table, self.row, self.field))]
        return header + b"".join(struct.pack(">I", len(part)) + part for part in parts)


def seal(text: str, place: Place, *, purpose: str) -> bytes:
    """The text sealed under the tenant's newest key. Raises SealRefused `key_gone`."""
    try:
        version = ring().versions(place.tenant_id)[-1]
        cipher = ring().cipher(place.tenant_id, version, purpose)
    except KeyRefused:
        raise SealRefused("key_gone") from None
    count_use(place.tenant_id, version)
    header = _HEADER.pack(VERSION, AES_256_GCM, version)
    nonce = os.urandom(NONCE_BYTES)
    plain = text.encode("utf-8", "surrogatepass")
    return header + nonce + cipher.encrypt(nonce, plain, place.associated(header))


def open_sealed(blob: bytes, place: Place, *, purpose: str) -> str:
    """The text again. Raises SealRefused."""
    if len(blob) < _SHORTEST:
        raise SealRefused("damaged")
    header, rest = blob[: _HEADER.size], blob[_HEADER.size :]
    version, algorithm, key_id = _HEADER.unpack(header)
    if (version, algorithm) != (VERSION, AES_256_GCM):
        raise SealRefused("unknown_format")
    try:
        cipher = ring().cipher(place.tenant_id, key_id, purpose)
        nonce, sealed = rest[:NONCE_BYTES], rest[NONCE_BYTES:]
        plain = cipher.decrypt(nonce, sealed, place.associated(header))
    except KeyRefused:
        raise SealRefused("key_gone") from None
    except InvalidTag:
        raise SealRefused("damaged") from None
    return plain.decode("utf-8", "surrogatepass")


def key_id_of(blob: bytes) -> int:
    """The version of the key that a value was sealed with."""
    return int(_HEADER.unpack(blob[: _HEADER.size])[2])
