"""/metrics: figures for allowed networks, nothing for others, and no tenant in any label."""

from __future__ import annotations

from django.test import Client

from memories.sweeping import sweep_now
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.ageing import let_pass
from tests.callers import Caller


def test_an_allowed_network_gets_figures(tenant: Tenant) -> None:
    answer = Client().get("/metrics", REMOTE_ADDR="127.0.0.1")
    text = answer.content.decode()
    assert answer.status_code == 200
    assert 'hub_ready{part="database"} 1.0' in text
    assert 'hub_schedule_overdue_seconds{job="sweep"}' in text
    assert tenant.slug not in text
    assert str(tenant.id) not in text


def test_other_networks_get_nothing(hub: str) -> None:
    assert Client().get("/metrics", REMOTE_ADDR="203.0.113.7").status_code == 404


def test_what_sweeps_did_is_shown_in_sum(agent: Caller, tenant: Tenant, owner_url: str) -> None:
    def read(name: str) -> float:
        text = Client().get("/metrics", REMOTE_ADDR="127.0.0.1").content.decode()
        found = [line for line in text.splitlines() if line.startswith(name + " ")]
        return float(found[0].split()[-1]) if found else 0.0

    name = 'hub_swept_total{action="purged"}'
    before = read(name)
    for _ in range(2):
        agent.put(["a"], "k", {"n": 1}, index=False, ttl=1)
        let_pass(owner_url, tenant, minutes=5)
        with acting_as(operator_actor(tenant.id)):
            sweep_now()
    assert read(name) - before == 2
    assert read("hub_sweep_due") >= 1
    assert read("hub_sweep_lag_seconds") >= 0
