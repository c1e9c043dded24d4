"""A sealed original lasts as long as something shows its token, and no longer."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from memories import scanning
from memories.scanning import drop_orphans
from memories.sweeping import sweep_now
from privacy.models import PiiFinding, VaultEntry
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.callers import Caller

VALUE = {"text": "身份证11010519491231002X"}


def count(tenant: Tenant) -> tuple[int, int]:
    """(originals, findings) of the tenant."""
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        return VaultEntry.objects.count(), PiiFinding.objects.count()


def sweep(tenant: Tenant) -> None:
    with acting_as(operator_actor(tenant.id)):
        sweep_now()


@pytest.fixture
def hasty(make_tenant: Any) -> Tenant:
    """A tenant without a trash."""
    return make_tenant(trash_days=0)


def test_it_ends_with_the_last_memory_that_uses_it(hasty: Tenant, make_caller: Any) -> None:
    agent: Caller = make_caller(hasty)
    for key in ("a", "b"):
        agent.put(["x"], key, VALUE)
    assert count(hasty) == (1, 2)
    agent.delete(["x"], "a")
    sweep(hasty)
    assert count(hasty) == (1, 1)
    agent.delete(["x"], "b")
    sweep(hasty)
    assert count(hasty) == (0, 0)
    assert agent.put(["x"], "a", VALUE).json()["value"]["text"].startswith("身份证⟦cn_id:")
    assert count(hasty) == (1, 1)


def test_it_lasts_as_long_as_a_kept_version_and_not_longer(
    make_tenant: Any, make_caller: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tenant = make_tenant(versions_kept=2)
    agent: Caller = make_caller(tenant)
    agent.put(["x"], "k", VALUE)
    for number in range(2):
        agent.put(["x"], "k", {"n": number})
    monkeypatch.setattr(scanning, "ORPHANED_FOR", timedelta())
    with acting_as(operator_actor(tenant.id)):
        assert drop_orphans() == 0
    for number in range(2, 4):
        agent.put(["x"], "k", {"n": number})
    with acting_as(operator_actor(tenant.id)):
        assert drop_orphans() == 1
    assert count(tenant) == (0, 0)


def test_a_quarantined_put_that_is_sent_again_has_one_answer(agent: Caller, tenant: Tenant) -> None:
    body = {"namespace": ["x"], "key": "k", "value": {"t": "AKIAIOSFODNN7EXAMPLE is it"}}
    first = agent.call("PUT", "/store/items", body, idempotency_key="q1")
    again = agent.call("PUT", "/store/items", body, idempotency_key="q1")
    assert again.status_code == 200
    assert again.json() == first.json()
    assert again["Idempotent-Replay"] == "true"
