"""Rules become acts: each of the issue's four, from the wire to what a sweep and a read show."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction

from memories.models import Memory
from memories.occurring import apply_due, note_activity
from tenants.actors import operator_actor
from tenants.clock import wall_clock
from tenants.context import acting_as
from tenants.models import Schedule, Tenant
from tests.callers import Caller
from tests.rules.governing import Governed

Sweep = Callable[..., dict[str, int]]
PassTime = Callable[..., None]


def be_active(tenant: Tenant, subject: str) -> None:
    with acting_as(operator_actor(tenant.id)):
        with transaction.atomic():
            note_activity(subject)
        for schedule in Schedule.objects.filter(tenant=tenant, job="event"):
            apply_due(UUID(schedule.scope))


def tell(agent: Caller, kind: str, **whom: Any) -> None:
    body = {"id": kind, "type": kind, "occurred_at": wall_clock().isoformat(), **whom}
    assert agent.call("POST", "/events", body).status_code == 202


@pytest.mark.slow
def test_the_profile_of_a_user_inactive_for_90_days_is_archived(
    governed: Governed, agent: Caller, sweep: Sweep, pass_time: PassTime
) -> None:
    governed.enforce({
        "key": "inactive", "kind": "archive", "memory_kind": "profile", "after": {"days": 90},
        "anchor": "event:subject.active", "fallback": {"days": 90},
    })  # fmt: skip
    for subject in ("quiet", "busy"):
        options = {"kind": "profile", "subjects": [subject], "index": False}
        agent.put(["users", subject], "profile", {"likes": "tea"}, **options)
        agent.put(["users", subject], "fact", {"n": 1}, subjects=[subject], index=False)
    pass_time(days=80)
    be_active(governed.tenant, "busy")
    pass_time(days=11)
    assert sweep(dry_run=True) == {"archived": 1}
    assert sweep() == {"archived": 1}
    assert sweep() == {}
    assert sorted(agent.keys(["users"])) == ["fact", "fact", "profile"]
    assert agent.keys(["users", "quiet"]) == ["fact"]
    pass_time(days=80)
    assert sweep() == {"archived": 1}
    assert agent.keys(["users", "busy"]) == ["fact"]


@pytest.mark.slow
def test_an_order_leaves_use_thirty_days_after_it_was_completed(
    governed: Governed, agent: Caller, sweep: Sweep, pass_time: PassTime
) -> None:
    governed.enforce({
        "key": "orders", "kind": "expire", "namespace": ["orders"], "after": {"days": 30},
        "anchor": "event:order.completed",
    })  # fmt: skip
    for order in ("o1", "o2"):
        agent.put(["orders", order], "address", {"n": 1}, index=False)
    pass_time(days=100)
    assert sweep() == {}
    tell(agent, "order.completed", namespace=["orders", "o1"])
    pass_time(days=29)
    assert sweep() == {}
    pass_time(days=2)
    assert agent.get(["orders", "o1"], "address").status_code == 404
    assert sweep() == {"hidden": 1}
    pass_time(days=30)
    assert sweep() == {}  # the rule is newer than the memories, as rows were aged: notice
    assert sweep(at=wall_clock() + timedelta(days=8)) == {"purged": 1}
    assert agent.get(["orders", "o2"], "address").status_code == 200


@pytest.mark.slow
def test_what_faded_below_a_strength_leaves_use(
    governed: Governed, agent: Caller, sweep: Sweep, pass_time: PassTime
) -> None:
    governed.enforce({
        "key": "faded", "kind": "expire", "strength_below": 0.05, "anchor": "accessed",
    })  # fmt: skip
    agent.put(["a"], "read", {"n": 1}, index=False, decay=0.9)
    agent.put(["a"], "forgotten", {"n": 1}, index=False, decay=0.9)
    agent.put(["a"], "ageless", {"n": 1}, index=False, decay=1)
    pass_time(days=20)
    assert agent.get(["a"], "read").status_code == 200
    pass_time(days=9)  # ln 0.05 / ln 0.9 = 28.4 days
    assert sweep(dry_run=True) == {"hidden": 1}
    assert sweep() == {"hidden": 1}
    assert sorted(agent.keys(["a"])) == ["ageless", "read"]


@pytest.mark.slow
def test_what_is_read_fewer_than_three_times_in_thirty_days_leaves_use(
    governed: Governed, agent: Caller, sweep: Sweep, pass_time: PassTime
) -> None:
    governed.enforce({
        "key": "unread", "kind": "expire", "after": {"days": 30}, "unless_accessed": 3,
    })  # fmt: skip
    for key, reads in (("never", 0), ("twice", 2), ("thrice", 3)):
        agent.put(["a"], key, {"n": 1}, index=False)
        for _ in range(reads):
            pass_time(seconds=2)  # a touch counts once a second
            agent.get(["a"], key)
    pass_time(days=31)
    assert sweep() == {"hidden": 2}
    assert agent.keys(["a"]) == ["thrice"]
    with acting_as(operator_actor(governed.tenant.id)), transaction.atomic():
        hidden = Memory.objects.filter(trashed_at__isnull=False)
        assert {row.key for row in hidden} == {"never", "twice"}
        due = [row.purge_at_b - row.visible_until_b for row in hidden]
    assert all(timedelta(days=29) < one < timedelta(days=31) for one in due)
