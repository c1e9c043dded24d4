"""Filters in the URL: read with care, and the same address with one thing changed. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from urllib.parse import urlencode
from uuid import UUID
from zoneinfo import ZoneInfo

from django.http import QueryDict

Span = tuple[datetime | None, datetime | None]
_WITHIN = re.compile(r"(\d{1,4})d")
_MONTH = re.compile(r"(\d{4})-(\d{2})")


def changed(query: QueryDict, values: Mapping[str, str | None] | None = None) -> str:
    """The query string with values set (None: taken away), always at the beginning of the list."""
    items = [(name, value) for name in query for value in query.getlist(name)]
    values = values or {}
    gone = {*values, "cursor", "offset"}
    kept = [(name, value) for name, value in items if name not in gone and value]
    added = [(name, value) for name, value in values.items() if value is not None]
    return "?" + urlencode([*kept, *added])


def without(query: QueryDict, name: str, value: str) -> str:
    """The query string without one of the values of a name."""
    items = [(key, one) for key in query for one in query.getlist(key)]
    kept = [
        (key, one)
        for key, one in items
        if one and key not in ("cursor", "offset") and (key, one) != (name, value)
    ]
    return "?" + urlencode(kept)


def read_span(text: str, *, zone: ZoneInfo, now: datetime) -> Span | None:
    """`7d` (from now on), `2026-03` (that month), `2026-03-12` (that day); else None."""
    within = _WITHIN.fullmatch(text)
    if within is not None:
        return now, now + timedelta(days=int(within[1]))
    month = _MONTH.fullmatch(text)
    try:
        if month is not None:
            year, number = int(month[1]), int(month[2])
            first = datetime(year, number, 1, tzinfo=zone)
            later = datetime(year + number // 12, number % 12 + 1, 1, tzinfo=zone)
            return first, later
        day = date.fromisoformat(text)
    except (ValueError, OverflowError):
        return None
    start = datetime(day.year, day.month, day.day, tzinfo=zone)
    return start, start + timedelta(days=1)


def read_day(text: str, *, zone: ZoneInfo) -> datetime | None:
    """The beginning of a day; None for what is none."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC)


def chosen(query: Mapping[str, str], name: str, allowed: Iterable[str], usual: str) -> str:
    """A value out of a fixed set; anything else is the usual one."""
    value = query.get(name, usual)
    return value if value in set(allowed) else usual


def read_identifier(text: str) -> UUID | None:
    """An id in an address; None for what is none."""
    try:
        return UUID(text) if text else None
    except ValueError:
        return None
