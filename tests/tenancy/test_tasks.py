"""Jobs across tenants: each due scope is claimed once, and its task acts for its tenant only."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from django.db import OperationalError, connections

from memories.tasks import sweep_tenant
from memoryhub.celery import app
from tenants.context import actor_or_none, current_actor
from tenants.models import Tenant
from tenants.scheduling import claim_due
from tenants.tasks import TenantTask
from tests.ageing import count_rows, let_pass
from tests.audit.reading import events_of
from tests.callers import Caller


def claims_of(tenant: Tenant, job: str = "sweep") -> int:
    return sum(1 for claimed, _ in claim_due(job) if claimed == str(tenant.id))


def make_due(owner_url: str, tenant: Tenant) -> None:
    with psycopg.connect(owner_url) as connection:
        connection.execute(
            "UPDATE tenants_schedule SET next_at = now() WHERE tenant_id = %s", [tenant.id]
        )


def test_what_is_due_is_claimed_once_and_again_when_its_interval_is_over(
    tenant: Tenant, owner_url: str
) -> None:
    assert [claims_of(tenant), claims_of(tenant)] == [1, 0]
    make_due(owner_url, tenant)
    assert claims_of(tenant) == 1


def test_two_beats_at_once_share_what_is_due(tenant: Tenant) -> None:
    def claim(_: int) -> int:
        try:
            return claims_of(tenant)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(claim, range(4))) == 1


def test_a_closed_tenant_is_not_worked_for(tenant: Tenant, owner_url: str) -> None:
    with psycopg.connect(owner_url) as connection:
        connection.execute("UPDATE tenants_tenant SET closed_at = now() WHERE id = %s", [tenant.id])
    assert claims_of(tenant) == 0


def test_the_sweep_task_sweeps_its_tenant_as_a_job(
    agent: Caller, outsider: Caller, tenant: Tenant, rival: Tenant, owner_url: str
) -> None:
    for caller, one in ((agent, tenant), (outsider, rival)):
        caller.put(["a"], "k", {"n": 1}, ttl=1, index=False)
        let_pass(owner_url, one, minutes=5)
    sweep_tenant(str(tenant.id), "")
    assert count_rows(owner_url, tenant, "memories_memory") == 0
    assert count_rows(owner_url, rival, "memories_memory") == 1
    (event,) = events_of(tenant, action="sweep.run")
    assert (event.actor_kind, event.actor_id) == ("job", "sweep_tenant")
    assert actor_or_none() is None


class Noting(TenantTask):
    """A task that notes who acts, and fails as told."""

    name = "tests.noting"

    def __init__(self) -> None:
        self.acted: list[str] = []
        self.failure: Exception | None = None

    def run(self, word: str) -> str:
        self.acted.append(f"{current_actor().kind}:{current_actor().id}:{word}")
        if self.failure is not None:
            raise self.failure
        return word


def test_a_task_acts_as_the_job_of_its_name_and_stops_acting_when_it_fails(
    tenant: Tenant,
) -> None:
    Noting.bind(app)
    task = Noting()
    assert task(str(tenant.id), "word") == "word"
    assert task.acted == ["job:noting:word"]
    task.failure = LookupError()
    with pytest.raises(LookupError):
        task(str(tenant.id), "word")
    assert actor_or_none() is None


def test_with_the_database_down_a_task_gives_up_quietly(tenant: Tenant) -> None:
    Noting.bind(app)
    task = Noting()
    task.failure = OperationalError()
    assert task(str(tenant.id), "word") is None
