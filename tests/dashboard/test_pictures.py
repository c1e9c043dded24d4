"""Pictures of how soon things are done, each with its table; and what settings say of the log."""

from __future__ import annotations

import re

from django.db import connection, transaction
from django.test import Client

from memories.sweeping import sweep_now
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.callers import Caller


def test_the_time_to_mask_is_a_picture_with_its_table(
    tenant: Tenant, agent: Caller, officer: Client
) -> None:
    assert "Nothing is stored yet" in officer.get("/privacy").content.decode()
    for number in range(3):
        agent.put(["a"], f"k{number}", {"n": number}, index=False)
    with (
        acting_as(operator_actor(tenant.id)), transaction.atomic(), connection.cursor() as cursor,
    ):  # fmt: skip
        cursor.execute(
            "UPDATE memories_memory SET scanned_at = updated_at + interval '2 minutes' "
            "WHERE tenant_id = %s AND key = 'k0'",
            [tenant.id],
        )
    page = officer.get("/privacy").content.decode()
    figure = page.split('id="h-waits"')[1].split("</figure>")[0]
    assert 'role="img" aria-label="Memories by how long they waited"' in figure
    rows = re.findall(r'<th scope="row">([^<]+)</th><td class="num">(\d+)</td>', figure)
    assert rows == [
        ("1 second", "2"), ("1 minute", "0"), ("1 hour", "1"), ("24 hours", "0"), ("longer", "0"),
    ]  # fmt: skip


def test_the_lateness_of_sweeps_is_a_picture(
    tenant: Tenant, agent: Caller, officer: Client
) -> None:
    assert '<svg class="plot"' not in officer.get("/retention/runs").content.decode()
    agent.put(["a"], "k", {"n": 1}, index=False)
    agent.delete(["a"], "k")
    with acting_as(operator_actor(tenant.id)):
        sweep_now()
    page = officer.get("/retention/runs").content.decode()
    assert 'aria-label="Lateness of the last sweeps"' in page
    assert "by hand" in page


def test_settings_say_how_long_the_log_is_kept(admin: Client, agent: Caller) -> None:
    agent.put(["a"], "k", {"n": 1}, index=False)
    page = admin.get("/settings").content.decode()
    assert "Retention of the log" in page
    assert "72 months" in page
