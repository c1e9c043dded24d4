"""A row that changed without its event is found."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.db import transaction

from memories.models import Finding
from memories.reconciling import reconcile
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.audit.reading import events_of
from tests.audit.tampering import tamper
from tests.callers import Caller


def findings_of(tenant: Tenant) -> list[Finding]:
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        return list(Finding.objects.filter(kind="event_missing"))


def reconciled(tenant: Tenant) -> int:
    with acting_as(operator_actor(tenant.id)):
        return reconcile()


def test_what_the_hub_wrote_has_its_events(tenant: Tenant, agent: Caller) -> None:
    for number in range(3):
        agent.put(["a"], "k", {"n": number}, index=False)
    agent.batch(*({"op": "put", "namespace": ["a"], "key": f"b{n}", "value": {}} for n in range(3)))
    agent.delete(["a"], "b1")
    assert reconciled(tenant) == 0
    event = events_of(tenant, action="audit.reconcile")[-1]
    assert event.counts["n"] == 0
    assert event.counts["compared"] >= 6


@pytest.mark.slow
def test_a_change_behind_the_hubs_back_is_a_finding_once(tenant: Tenant, agent: Caller) -> None:
    first = agent.put(["a"], "k", {"n": 1}, index=False).json()["id"]
    second = agent.put(["a"], "l", {"n": 1}, index=False).json()["id"]
    agent.put(["a"], "l", {"n": 2}, index=False)
    tamper("UPDATE memories_memory SET updated_at = now() WHERE id = %(id)s", id=UUID(first))
    tamper("UPDATE memories_memoryversion SET event_id = %(id)s WHERE memory_id = %(id)s",
           id=UUID(second))  # fmt: skip
    assert reconciled(tenant) == 2
    assert reconciled(tenant) == 2
    assert {str(one.memory_id) for one in findings_of(tenant)} == {first, second}
    assert len(findings_of(tenant)) == 2
