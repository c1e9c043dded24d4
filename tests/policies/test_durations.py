"""Calendar arithmetic: clamped months, hours that come twice or never, the ends of time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.durations import LAST, add_months, end_of, end_of_strength, shift
from policies.facts import Duration, MemoryFacts, in_utc
from tests.grids import examples

BERLIN, SHANGHAI, UTC_ZONE = ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Shanghai"), ZoneInfo("UTC")


def utc(text: str) -> datetime:
    """An instant in UTC from ISO text."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("start", "months", "zone", "end"),
    [
        ("2024-01-31T00:00", 1, UTC_ZONE, "2024-02-29T00:00"),
        ("2023-01-31T00:00", 1, UTC_ZONE, "2023-02-28T00:00"),
        ("2024-02-29T00:00", 12, UTC_ZONE, "2025-02-28T00:00"),
        ("2024-02-29T00:00", 48, UTC_ZONE, "2028-02-29T00:00"),
        ("2025-12-31T23:59:59.999999", 2, UTC_ZONE, "2026-02-28T23:59:59.999999"),
        ("2026-11-15T00:00", 1, UTC_ZONE, "2026-12-15T00:00"),
        ("2026-12-15T00:00", 1, UTC_ZONE, "2027-01-15T00:00"),
        ("2026-01-31T17:00", 1, SHANGHAI, "2026-02-28T17:00"),  # 1 February there
        ("2026-02-28T12:00", 1, BERLIN, "2026-03-28T12:00"),
        ("2026-03-15T12:00", 1, BERLIN, "2026-04-15T11:00"),  # the same hour on the clock
        ("2026-02-28T01:30", 1, BERLIN, "2026-03-28T01:30"),
        ("2026-02-28T23:30", 1, BERLIN, "2026-03-31T22:30"),  # 1 March there
        ("2026-01-29T01:30", 2, BERLIN, "2026-03-29T01:30"),  # 02:30 is missing: 03:30
        ("2026-01-29T01:00", 2, BERLIN, "2026-03-29T01:00"),  # 02:00 is missing: 03:00
        ("2026-09-25T00:30", 1, BERLIN, "2026-10-25T01:30"),  # 02:30 twice: the later
        ("2026-09-25T00:00", 1, BERLIN, "2026-10-25T01:00"),  # 02:00 twice: the later
        ("2026-09-25T01:00", 1, BERLIN, "2026-10-25T02:00"),  # 03:00 comes once
        ("2026-10-25T00:30", 12, BERLIN, "2027-10-25T00:30"),  # from the first of the two
        ("2026-10-25T01:30", 12, BERLIN, "2027-10-25T00:30"),  # from the second
        ("2028-10-29T01:30", 101, BERLIN, "2037-03-29T01:30"),  # from the second into a gap
    ],
)
def test_months_on_the_clock_of_the_zone(start: str, months: int, zone: ZoneInfo, end: str) -> None:
    assert add_months(utc(start), months, zone) == utc(end)


def test_days_are_exact_and_come_after_the_months() -> None:
    mixed = Duration(months=1, days=1, hours=1, minutes=1)
    assert end_of(mixed, utc("2026-02-28T12:00"), BERLIN) == utc("2026-03-29T13:01")


def test_strength_falls_below_after_the_logarithm() -> None:
    end = end_of_strength(0.05, utc("2026-01-01T00:00"), 0.95)
    assert abs(end - utc("2026-02-28T09:41:43.423957")) < timedelta(milliseconds=1)


def test_nothing_raises_at_the_end_of_time() -> None:
    late = utc("9999-12-01T00:00")
    assert add_months(late, 1, UTC_ZONE) == LAST
    assert shift(late, timedelta(days=40)) == LAST
    assert end_of(Duration(days=365_250), late, UTC_ZONE) == LAST
    assert end_of_strength(1e-9, late, 1 - 1e-16) == LAST
    assert add_months(LAST, 1, SHANGHAI) == LAST


def test_a_naive_instant_is_refused_and_others_become_utc() -> None:
    with pytest.raises(ValueError, match="without an offset"):
        in_utc(datetime(2026, 1, 1))  # noqa: DTZ001
    created = datetime(2026, 3, 28, 12, tzinfo=BERLIN)
    facts = MemoryFacts(("crm",), created, events={"done": created}, source_caps=(created,))
    assert facts.created_at.tzinfo is UTC
    assert facts.events["done"].tzinfo is facts.source_caps[0].tzinfo is UTC


@settings(max_examples=examples(100), deadline=None, database=None)
@given(
    st.datetimes(datetime(1990, 1, 1), datetime(2037, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    st.integers(1, 60),
    st.sampled_from(["Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Asia/Shanghai"]),
)
def test_months_land_on_the_same_day_or_the_last_one(
    start: datetime, months: int, name: str
) -> None:
    zone = ZoneInfo(name)
    local, end = start.astimezone(zone), add_months(start, months, zone).astimezone(zone)
    passed = (end.year - local.year) * 12 + end.month - local.month
    is_moved = end.time() != local.time()  # out of a gap, perhaps over midnight
    assert passed == months or is_moved or end.day == 1
    assert end.day == local.day or is_moved or (end + timedelta(days=1)).month != end.month
