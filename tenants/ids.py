"""Identifiers: UUID version 7 (RFC 9562), so that rows made together lie together in an index."""

from __future__ import annotations

import os
import time
from uuid import UUID

PLATFORM_TENANT = UUID("00000000-0000-7000-8000-000000000001")
"""Owns what belongs to nobody: failed sign-ins, unknown keys, the making of tenants."""


def uuid7() -> UUID:
    """A new version 7 UUID: 48 bits of milliseconds, then 74 random bits."""
    milliseconds = time.time_ns() // 1_000_000
    tail = int.from_bytes(os.urandom(10), "big")
    value = (milliseconds & ((1 << 48) - 1)) << 80 | tail
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return UUID(int=value)
