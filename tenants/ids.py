"""Identifiers: UUID version 7 (RFC 9562), so that rows made together lie together in an index."""

from __future__ import annotations

import os
import threading
import time
from uuid import UUID

PLATFORM_TENANT = UUID("00000000-0000-7000-8000-000000000001")
"""Owns what belongs to nobody: failed sign-ins, unknown keys, the making of tenants."""

_lock = threading.Lock()
_last = 0


def uuid7() -> UUID:
    """A new version 7 UUID: 48 bits of milliseconds, 12 of their fraction, 62 random bits.

    Of one process each is greater than those before it (RFC 9562, 6.2, method 3): the order of
    ids is the order of making, also inside a batch.
    """
    global _last
    nanoseconds = time.time_ns()
    milliseconds, rest = divmod(nanoseconds, 1_000_000)
    stamp = milliseconds << 12 | rest * 4096 // 1_000_000
    with _lock:
        _last = stamp = max(stamp, _last + 1)
    tail = int.from_bytes(os.urandom(8), "big") >> 2
    return UUID(int=(stamp >> 12) << 80 | 0x7 << 76 | (stamp & 0xFFF) << 64 | 0x2 << 62 | tail)
