"""Business events: once each, to whom they concern, at their instant, with notice."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction

from memories.models import BusinessEvent, Memory
from memories.occurring import apply_due, note_activity
from tenants.actors import operator_actor
from tenants.clock import wall_clock
from tenants.context import acting_as
from tenants.models import Schedule
from tests.ageing import let_pass
from tests.callers import Caller
from tests.rules.governing import Governed

RULE = {"key": "r", "kind": "expire", "anchor": "event:contract_end", "after": {"days": 30}}


def tell(caller: Caller, identifier: str = "e1", **more: Any) -> Any:
    body = {"id": identifier, "type": "contract_end", "occurred_at": "2026-01-01T00:00:00Z", **more}
    return caller.call("POST", "/events", body)


@pytest.mark.slow
def test_an_event_reaches_a_subject_a_namespace_or_ids(governed: Governed, agent: Caller) -> None:
    governed.enforce(RULE)
    agent.put(["a"], "k", {"n": 1}, index=False, subjects=["s"])
    made = agent.put(["b"], "k", {"n": 1}, index=False).json()
    assert "waiting_for_event" in made["retention"]["flags"]
    now = wall_clock().isoformat()
    told = tell(agent, "e1", subject="s", occurred_at=now)
    assert (told.status_code, told.json()) == (202, {"matched": 1})
    assert agent.get(["a"], "k").json()["retention"]["rule"] == "r"
    assert agent.get(["b"], "k").json()["retention"]["rule"] is None
    assert tell(agent, "e2", memory_ids=[made["id"]], occurred_at=now).json()["matched"] == 1
    retention = agent.get(["b"], "k").json()["retention"]
    until = datetime.fromisoformat(retention["visible_until"])
    # never before the creation, which came a moment later than this event
    assert timedelta(days=30) <= until - datetime.fromisoformat(now) < timedelta(days=30, seconds=9)
    assert tell(agent, "e3", namespace=[], occurred_at=now).json()["matched"] == 2


def test_the_same_id_counts_once(governed: Governed, agent: Caller) -> None:
    agent.put(["a"], "k", {"n": 1}, index=False)
    for _ in range(2):
        assert tell(agent, namespace=["a"]).json() == {"matched": 1}
    agent.put(["a"], "other", {"n": 1}, index=False)
    assert tell(agent, namespace=["a"], type="x").json() == {"matched": 1}
    with acting_as(operator_actor(governed.tenant.id)), transaction.atomic():
        assert BusinessEvent.objects.count() == 1


def test_an_event_told_again_under_its_idempotency_key_is_answered_again(agent: Caller) -> None:
    agent.put(["a"], "k", {"n": 1}, index=False)
    body = {"id": "e1", "type": "t", "occurred_at": "2026-01-01T00:00:00Z", "namespace": ["a"]}
    first = agent.call("POST", "/events", body, idempotency_key="k1")
    again = agent.call("POST", "/events", body, idempotency_key="k1")
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json() == again.json() == {"matched": 1}
    assert "Idempotent-Replay" not in first.headers
    assert again.headers["Idempotent-Replay"] == "true"
    other = agent.call("POST", "/events", {**body, "id": "e2"}, idempotency_key="k1")
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_conflict")


def test_an_event_that_moves_a_purge_earlier_gives_notice(
    governed: Governed, agent: Caller, owner_url: str
) -> None:
    governed.enforce(RULE)
    agent.put(["a"], "k", {"n": 1}, index=False)
    let_pass(owner_url, governed.tenant, days=400)
    told = wall_clock()
    tell(agent, namespace=["a"], occurred_at=(told - timedelta(days=300)).isoformat())
    assert agent.get(["a"], "k").status_code == 404
    with acting_as(operator_actor(governed.tenant.id)), transaction.atomic():
        row = Memory.objects.get()
    assert row.purge_at_b == row.dates_moved_at_b + timedelta(days=7)


@pytest.mark.slow
def test_a_future_event_waits_for_its_instant(governed: Governed, agent: Caller) -> None:
    governed.enforce(RULE)
    agent.put(["a"], "k", {"n": 1}, index=False)
    later = wall_clock() + timedelta(days=3)
    assert tell(agent, namespace=["a"], occurred_at=later.isoformat()).json() == {"matched": 1}
    assert agent.get(["a"], "k").json()["retention"]["visible_until"] is None
    schedule = Schedule.objects.get(tenant=governed.tenant, job="event")
    assert abs(schedule.next_at - later) < timedelta(milliseconds=1)
    with acting_as(operator_actor(governed.tenant.id)):
        with transaction.atomic():
            event = BusinessEvent.objects.get()
            event.occurred_at -= timedelta(days=4)  # as if four days had gone by
            event.save()
        apply_due(UUID(schedule.scope))
    assert agent.get(["a"], "k").json()["retention"]["rule"] == "r"
    assert not Schedule.objects.filter(tenant=governed.tenant, job="event").exists()


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({}, "not_together"),
        ({"subject": "s", "namespace": []}, "not_together"),
        ({"subject": "s", "occurred_at": "2026-01-01T00:00:00"}, "naive_instant"),
        ({"subject": "s", "occurred_at": "soon"}, "bad_instant"),
        ({"subject": "s", "odd": 1}, "unknown_field"),
        ({"subject": "s", "type": ""}, "too_short"),
    ],
)
def test_what_makes_no_sense_is_refused(agent: Caller, more: dict[str, Any], code: str) -> None:
    answer = tell(agent, **more)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (422, code)


def test_a_key_reaches_no_further_than_its_prefixes(
    governed: Governed, agent: Caller, outsider: Caller, make_caller: Callable[..., Caller]
) -> None:
    made = [agent.put([root], "k", {"n": 1}, index=False, subjects=["s"]) for root in "ab"]
    narrow = make_caller(governed.tenant, prefixes=["a/"])
    assert tell(narrow, "e1", subject="s").json() == {"matched": 1}
    assert tell(narrow, "e2", namespace=["b"]).json()["code"] == "outside_prefix"
    assert tell(narrow, "e3", memory_ids=[made[1].json()["id"]]).json() == {"matched": 0}
    assert tell(outsider, "e1", subject="s").json() == {"matched": 0}


@pytest.mark.slow
def test_activity_of_a_subject_is_noted_once_an_hour_and_heard_by_its_memories(
    governed: Governed, agent: Caller, owner_url: str
) -> None:
    after = {"after": {"days": 90}, "fallback": {"days": 90}}
    governed.enforce({"key": "r", "kind": "archive", "anchor": "event:subject.active", **after})
    agent.put(["a"], "k", {"n": 1}, index=False, subjects=["s"])
    agent.put(["a"], "other", {"n": 1}, index=False, subjects=["t"])
    let_pass(owner_url, governed.tenant, days=50)
    with acting_as(operator_actor(governed.tenant.id)):
        with transaction.atomic():
            noted = [note_activity("s"), note_activity("s")]
        schedule = Schedule.objects.get(tenant=governed.tenant, job="event")
        apply_due(UUID(schedule.scope))
        with transaction.atomic():
            dates = {row.key: row.archived_at_b for row in Memory.objects.all()}
            event = BusinessEvent.objects.get()
            event.occurred_at -= timedelta(hours=2)
            event.save()
            noted.append(note_activity("s"))
        apply_due(UUID(schedule.scope))
        with transaction.atomic():
            again = Memory.objects.get(key="k").archived_at_b
            assert BusinessEvent.objects.get().applied_at is not None
    assert noted == [True, False, True]
    assert timedelta(days=49) < dates["k"] - dates["other"] < timedelta(days=51)
    assert again > dates["k"]
