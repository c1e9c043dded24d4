"""/metrics: figures for allowed networks, nothing for others, and no tenant in any label."""

from __future__ import annotations

from django.test import Client

from tenants.models import Tenant


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
