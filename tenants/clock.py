"""The wall clock, for telling a caller how things stand as the answer leaves. Decides nothing."""

from __future__ import annotations

from datetime import UTC, datetime


def wall_clock() -> datetime:
    """Now, by this machine's clock, in UTC."""
    return datetime.now(UTC)  # noqa: TID251 - outside any transaction; never used to decide
