"""Subject keys: one random key a data subject, wrapped under the tenant's base key.

What is written about a person in free text (why a request was refused, by which document somebody
was identified) is sealed under that person's own key. Destroying the row that holds the wrapped key
makes the text unreadable everywhere, also where it was copied to. The wrapping key derives from the
tenant's base, which is never rotated, so no rotation has to know of these rows; closing a tenant
destroys it (docs/adr/0016-subjects-by-pseudonym.md).
"""

from __future__ import annotations

import os
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sealing.originals import SealRefused
from sealing.ring import KEY_BYTES, NONCE_BYTES, KeyRefused, ring

PURPOSE = "data-subjects"


def new_subject_key() -> bytes:
    """A fresh key for one person."""
    return os.urandom(KEY_BYTES)


def wrap_for_tenant(plain: bytes, tenant_id: UUID, row: str) -> bytes:
    """Sealed under the tenant's wrapping key, bound to the row. Raises SealRefused `key_gone`."""
    nonce = os.urandom(NONCE_BYTES)
    return nonce + _of_tenant(tenant_id).encrypt(nonce, plain, row.encode())


def unwrap_for_tenant(blob: bytes, tenant_id: UUID, row: str) -> bytes:
    """What `wrap_for_tenant` sealed. Raises SealRefused."""
    return _open(_of_tenant(tenant_id), blob, row)


def seal_for_subject(text: str, key: bytes, row: str) -> bytes:
    """A text under a person's key, bound to its row."""
    nonce = os.urandom(NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, text.encode(), row.encode())


def open_for_subject(blob: bytes, key: bytes, row: str) -> str:
    """The text again. Raises SealRefused `damaged`."""
    return _open(AESGCM(key), blob, row).decode()


def _open(cipher: AESGCM, blob: bytes, row: str) -> bytes:
    try:
        return cipher.decrypt(blob[:NONCE_BYTES], blob[NONCE_BYTES:], row.encode())
    except InvalidTag:
        raise SealRefused("damaged") from None


def _of_tenant(tenant_id: UUID) -> AESGCM:
    try:
        return AESGCM(ring().derive(PURPOSE, tenant_id=tenant_id))
    except KeyRefused:
        raise SealRefused("key_gone") from None
