"""Calendar arithmetic: months in the tenant's zone, exact time, and the fading of strength.

Dates beyond the year 9999 stop at `LAST`: a floor that far away must still protect, so nothing
here raises.
"""

from __future__ import annotations

from calendar import isleap
from datetime import UTC, datetime, timedelta
from math import log
from typing import Final
from zoneinfo import ZoneInfo

from policies.facts import Duration

LAST: Final = datetime.max.replace(tzinfo=UTC)
_LENGTHS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def shift(instant: datetime, by: timedelta) -> datetime:
    """An instant in UTC moved later by exact time, at most to `LAST`."""
    try:
        return instant + by
    except OverflowError:
        return LAST


def end_of(duration: Duration, anchor: datetime, zone: ZoneInfo) -> datetime:
    """When the period that starts at `anchor` (UTC) is over, in UTC."""
    if duration.months:
        anchor = add_months(anchor, duration.months, zone)
    return shift(anchor, duration.exact)


def end_of_strength(threshold: float, anchor: datetime, decay: float) -> datetime:
    """When `decay ** days` falls to the threshold; `decay` is below 1, both are above 0."""
    try:
        return shift(anchor, timedelta(days=log(threshold) / log(decay)))
    except OverflowError:
        return LAST


def add_months(instant: datetime, months: int, zone: ZoneInfo) -> datetime:
    """Calendar months on the zone's clock, clamped to the last day of the month, in UTC."""
    try:
        is_utc = zone.key == "UTC"  # no hour is missing there or comes twice
        local = instant if is_utc else instant.astimezone(zone)
        year, month = divmod(local.year * 12 + local.month - 1 + months, 12)
        day = local.day
        if day > 28:
            length = 29 if month == 1 and isleap(year) else _LENGTHS[month]
            day = min(day, length)
        moved = local.replace(year=year, month=month + 1, day=day, fold=0)
        return moved if is_utc else _settle(moved)
    except (OverflowError, ValueError):
        return LAST


def _settle(wall: datetime) -> datetime:
    """A clock reading as an instant in UTC.

    An hour that comes twice has a smaller offset the second time: the later one is meant. In a
    gap it is the other way round, and the offset before the gap (fold 0) moves the clock forward.
    """
    second = wall.replace(fold=1)
    before, after = wall.utcoffset(), second.utcoffset()
    if before is not None and after is not None and before > after:
        wall = second
    return wall.astimezone(UTC)
