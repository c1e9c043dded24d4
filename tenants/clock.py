"""Instants as callers get them, and the wall clock, for telling how things stand as the answer
leaves. Decides nothing."""

from __future__ import annotations

from datetime import UTC, datetime


def wall_clock() -> datetime:
    """Now, by this machine's clock, in UTC."""
    return datetime.now(UTC)  # noqa: TID251 - outside any transaction; never used to decide


def instant_as_wire(instant: datetime) -> str:
    """RFC 3339 in UTC with `Z`."""
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")
