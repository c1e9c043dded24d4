"""Keyed hashes: equal inputs are recognised, and nobody without the key can try guesses."""

from __future__ import annotations

import hmac
from functools import lru_cache
from uuid import UUID

from sealing.ring import ring


@lru_cache(maxsize=64)
def _of_installation(purpose: str) -> bytes:
    return ring().derive(purpose)


def _key(purpose: str, tenant_id: UUID | None) -> bytes:
    """A tenant's is asked of the ring each time: it forgets at once what was destroyed."""
    if tenant_id is None:
        return _of_installation(purpose)
    return ring().derive(purpose, tenant_id=tenant_id)


def keyed_hash(text: str, *, purpose: str, tenant_id: UUID | None = None) -> str:
    """HMAC-SHA-256 of the text in hex, under the key of that purpose (and tenant)."""
    return hmac.digest(
        _key(purpose, tenant_id), text.encode("utf-8", "surrogatepass"), "sha256"
    ).hex()


def same(left: str, right: str) -> bool:
    """Equality in constant time."""
    return hmac.compare_digest(left, right)
