"""Instants in requests: RFC 3339 with an offset, else 422 `naive_instant`."""

from __future__ import annotations

from datetime import UTC, datetime

from memoryhub.errors import Invalid


def read_instant(text: str | None, *, path: str) -> datetime | None:
    """The instant in UTC; None for none. Raises Invalid."""
    if not text:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise Invalid.at(path, "invalid_instant", "Write 2026-03-24T12:06:00Z.") from None
    if at.tzinfo is None:
        raise Invalid.at(path, "naive_instant", "An instant has an offset, or Z.")
    try:
        return at.astimezone(UTC)
    except OverflowError:  # in UTC before the year 1 or after 9999
        raise Invalid.at(path, "invalid_instant", "That is no instant in UTC.") from None
