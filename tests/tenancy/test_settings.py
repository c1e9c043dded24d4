"""A tenant's settings: the same in every process, from the very next transaction on."""

from __future__ import annotations

import psycopg
import pytest

from tenants import snapshots
from tenants.models import Tenant
from tests.callers import Caller


def change_elsewhere(owner_url: str, tenant: Tenant, assignment: str) -> None:
    """As another process does, which this one is not told of."""
    with psycopg.connect(owner_url) as connection:
        connection.execute(
            f"UPDATE tenants_tenant SET {assignment}, version = version + 1 WHERE id = %s",
            [tenant.id],
        )


def test_a_change_elsewhere_is_seen_by_the_next_transaction(
    agent: Caller, tenant: Tenant, owner_url: str
) -> None:
    assert agent.put(["a"], "k", {"n": 1}, index=False).json()["retention"]["ttl_minutes"] is None
    change_elsewhere(owner_url, tenant, "default_ttl_minutes = 30")
    made = agent.put(["a"], "new", {"n": 1}, index=False).json()
    assert made["retention"]["ttl_minutes"] == 30


def test_a_kind_added_elsewhere_is_not_refused_for_ever(
    agent: Caller, tenant: Tenant, owner_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def put() -> int:
        return agent.put(["a"], "k", {"n": 1}, index=False, kind="ticket").status_code

    assert put() == 422
    change_elsewhere(owner_url, tenant, "kinds = '{ticket}'")
    monkeypatch.setattr(snapshots, "KEPT_SECONDS", 0)  # what five seconds do
    assert put() == 200


def test_one_tenants_settings_are_not_anothers(
    agent: Caller, outsider: Caller, tenant: Tenant, owner_url: str
) -> None:
    change_elsewhere(owner_url, tenant, "default_ttl_minutes = 30")
    for caller, minutes in ((agent, 30), (outsider, None)):
        made = caller.put(["a"], "k", {"n": 1}, index=False).json()
        assert made["retention"]["ttl_minutes"] == minutes
