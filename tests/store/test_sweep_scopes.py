"""Sweep scopes: each prefix by its own rhythm, deeper ones apart, paused ones never destroy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from memories.models import SweepScope
from memories.sweeping import sweep_now, sweep_scope
from tenants.actors import job_actor, operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.ageing import let_pass
from tests.callers import Caller


@pytest.fixture
def add(tenant: Tenant) -> Callable[..., None]:
    def make(prefix: str, **options: Any) -> None:
        with acting_as(operator_actor(tenant.id)), transaction.atomic():
            SweepScope.objects.create(namespace_prefix=prefix, **options)

    return make


@pytest.fixture
def due(agent: Caller, tenant: Tenant, owner_url: str) -> None:
    """Rows that are due for destruction at four depths."""
    for namespace in (["r"], ["r", "a"], ["r", "a", "x"], ["r", "ab"]):
        agent.put(namespace, "k", {"n": 1}, ttl=1, index=False)
    let_pass(owner_url, tenant, minutes=5)


def left(agent: Caller) -> list[str]:
    """Which of the rows are still there, in whatever state."""
    found = []
    for prefix in ("r.a.x", "r.ab", "r.a", "r"):
        count = agent.call("GET", f"/usage?namespace_prefix={prefix}").json()["rows"]
        below = sum(1 for one in found if one.startswith(prefix + "."))
        if count > below:
            found.append(prefix)
    return sorted(found)


def sweep(tenant: Tenant, prefix: str) -> dict[str, int] | None:
    with acting_as(job_actor("sweep_tenant", tenant.id)):
        run = sweep_scope(prefix)
    return None if run is None else run.counts


def test_the_tenants_own_scope_leaves_deeper_ones_to_themselves(
    agent: Caller, tenant: Tenant, add: Callable[..., None], due: None
) -> None:
    add("r/a/")
    assert sweep(tenant, "")["purged"] == 2
    assert left(agent) == ["r.a", "r.a.x"]
    assert sweep(tenant, "r/a/")["purged"] == 2
    assert left(agent) == []


def test_a_scope_sweeps_what_it_is_the_deepest_of(
    agent: Caller, tenant: Tenant, add: Callable[..., None], due: None
) -> None:
    add("r/")
    add("r/a/x/")
    assert sweep(tenant, "r/")["purged"] == 3
    assert left(agent) == ["r.a.x"]


def test_a_paused_scope_hides_and_never_destroys(
    agent: Caller, tenant: Tenant, add: Callable[..., None], due: None
) -> None:
    add("r/a/", enabled=False)
    counts = sweep(tenant, "r/a/")
    assert (counts["hidden"], counts["purged"]) == (2, 0)
    with acting_as(operator_actor(tenant.id)):
        assert sweep_now().counts["purged"] == 2
        assert sweep_now("r/a/x/").counts["purged"] == 0
    assert left(agent) == ["r.a", "r.a.x"]


def test_a_scope_inside_a_paused_one_goes_its_own_way(
    agent: Caller, tenant: Tenant, add: Callable[..., None], due: None
) -> None:
    add("r/", enabled=False)
    add("r/a/x/")
    with acting_as(operator_actor(tenant.id)):
        counts = sweep_now().counts
    assert (counts["hidden"], counts["purged"]) == (4, 1)
    assert left(agent) == ["r", "r.a", "r.ab"]


def test_nothing_due_is_no_run(agent: Caller, tenant: Tenant) -> None:
    assert sweep(tenant, "") is None


def test_a_scope_that_is_no_longer_there_sweeps_nothing(
    agent: Caller, tenant: Tenant, due: None
) -> None:
    assert sweep(tenant, "r/a/") is None
    assert len(left(agent)) == 4
