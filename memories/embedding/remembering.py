"""Query vectors in Redis, so that a question asked of one process is known to all.

The key is a keyed hash under the tenant's own key: no text, and nothing to compare between tenants.
A day, and it is forgotten. Redis is a convenience here: when it does not answer, it is left alone
for some seconds and the provider is asked instead.
"""

from __future__ import annotations

import time

from django.core.cache import cache

from sealing.hashing import keyed_hash
from tenants.context import current_tenant_id

KEPT_SECONDS = 86_400
LEFT_ALONE_SECONDS = 10.0

_silent_until = 0.0


def recall_query(profile: int, text: str) -> str | None:
    """The vector of a question asked before, or None."""
    if _silent_until > time.monotonic():
        return None
    try:
        found = cache.get(_key(profile, text))
    except Exception:  # whatever a Redis client raises: no vector is worth a failed search
        _leave_alone()
        return None
    return found if isinstance(found, str) else None


def remember_query(profile: int, text: str, vector: str) -> None:
    """Keep the vector of a question for the other processes."""
    if _silent_until > time.monotonic():
        return
    try:
        cache.set(_key(profile, text), vector, KEPT_SECONDS)
    except Exception:
        _leave_alone()


def _key(profile: int, text: str) -> str:
    tenant = current_tenant_id()
    digest = keyed_hash(text, purpose="query-vector", tenant_id=tenant)
    return f"query:{tenant.hex}:{profile}:{digest}"


def _leave_alone() -> None:
    global _silent_until
    _silent_until = time.monotonic() + LEFT_ALONE_SECONDS
