"""The calendar of forgetting: counted in chunks by a job, shown as of when it was, counted anew."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from audit.jobs import run_job
from memories import forecasting
from memories.forecasting import Calendar, build_calendar, count_calendar_anew, read_calendar
from memories.models import CalendarDay
from memories.tasks import count_calendars_all
from tenants.actors import job_actor, operator_actor
from tenants.clock import wall_clock
from tenants.context import acting_as
from tenants.models import Schedule, Tenant
from tests.callers import Caller
from tests.rules.governing import Governed


def read(tenant: Tenant) -> Calendar:
    at = wall_clock()
    with acting_as(operator_actor(tenant.id)):
        return read_calendar(since=at, until=at + timedelta(days=372))


def build(tenant: Tenant) -> None:
    with acting_as(job_actor("test", tenant.id)):
        run_job(build_calendar().id)


@pytest.mark.slow
def test_it_is_counted_in_chunks_as_it_would_be_live(
    governed: Governed, agent: Caller, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    governed.enforce(
        {"key": "r", "kind": "expire", "namespace": ["ruled"], "after": {"days": 100}},
        {"key": "late", "kind": "expire", "namespace": ["late"], "after": {"days": 600}},
    )
    for number in range(7):
        agent.put(["ruled"], f"k{number}", {"n": 1}, index=False)
    agent.put(["late"], "k", {"n": 1}, index=False)
    agent.put(["ttl"], "k", {"n": 1}, index=False, ttl=60 * 24 * 3)
    live = read(tenant)
    monkeypatch.setattr(forecasting, "CHUNK", 3)
    build(tenant)
    counted = read(tenant)
    assert counted.forecast == live.forecast
    assert sum(counted.forecast.leaves.values()) == 8
    assert {rule for _, rule in counted.forecast.leaves} == {"r", ""}
    agent.put(["ruled"], "new", {"n": 1}, index=False)
    assert read(tenant) == counted  # as of then
    build(tenant)
    again = read(tenant)
    assert sum(again.forecast.leaves.values()) == 9
    assert again.as_of > counted.as_of
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        assert CalendarDay.objects.values("job_id").distinct().count() == 1


def test_beat_asks_for_it_once_a_night_and_people_when_they_like(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("memories.tasks.count_calendar_of.delay", asked.append)
    count_calendars_all()
    count_calendars_all()
    assert asked.count(str(tenant.id)) == 1
    due = Schedule.objects.get(tenant=tenant, job="calendar")
    assert due.next_at - wall_clock() > timedelta(hours=23)
    with acting_as(operator_actor(tenant.id)):
        first, second = count_calendar_anew(), count_calendar_anew()
    assert first.id == second.id
    assert read(tenant).job_id == first.id


def test_prefixes_see_their_part_only(
    governed: Governed, agent: Caller, tenant: Tenant, make_caller: Any
) -> None:
    for root in ("a", "b"):
        agent.put([root], "k", {"n": 1}, index=False, ttl=60)
    build(tenant)
    assert sum(read(tenant).forecast.leaves.values()) == 2
    narrow = replace(operator_actor(tenant.id), prefixes=("a/",))
    at = wall_clock()
    with acting_as(narrow):
        shown = read_calendar(since=at, until=at + timedelta(days=372))
    assert sum(shown.forecast.leaves.values()) == 1
