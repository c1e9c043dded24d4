"""Settings that move dates: the count is asked for, dates follow, and notice runs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from django.db import transaction

from memories.models import Memory
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.ageing import let_pass
from tests.callers import Caller
from tests.people import Person


def test_a_shorter_trash_asks_for_the_count_and_gives_notice(
    tenant: Tenant, agent: Caller, owner_url: str, make_person: Callable[..., User]
) -> None:
    admin = Person(make_person(tenant, "admin"), tenant)
    for key in "abc":
        agent.put(["a"], key, {"n": 1}, index=False)
    agent.put(["a"], "stays", {"n": 1}, index=False)
    let_pass(owner_url, tenant, days=60)
    for key in "abc":
        agent.delete(["a"], key)
    for body in ({"trash_days": 2}, {"trash_days": 2, "confirm_count": 4}):
        refused = admin.call("PATCH", "/settings", body)
        assert (refused.status_code, refused.json()["code"], refused.json()["count"]) == (
            409, "confirm_count_required", 3,
        )  # fmt: skip
    changed = admin.call("PATCH", "/settings", {"trash_days": 2, "confirm_count": 3})
    assert (changed.status_code, changed.json()["trash_days"]) == (200, 2)
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        rows = {row.key: row for row in Memory.objects.all()}
    for key in "abc":
        assert rows[key].purge_at == rows[key].dates_moved_at + timedelta(days=7)
    assert rows["stays"].dates_moved_at is None


def test_a_longer_trash_asks_nothing_and_dates_follow(
    tenant: Tenant, agent: Caller, owner_url: str, make_person: Callable[..., User]
) -> None:
    admin = Person(make_person(tenant, "admin"), tenant)
    agent.put(["a"], "k", {"n": 1}, index=False)
    let_pass(owner_url, tenant, days=60)
    agent.delete(["a"], "k")
    assert admin.call("PATCH", "/settings", {"trash_days": 40}).status_code == 200
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        row = Memory.objects.get()
    assert row.purge_at == row.deleted_at + timedelta(days=40)
    assert row.dates_moved_at is None
