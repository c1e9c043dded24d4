"""A transaction that stays open holds sealing back; the alarm names whose it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import psycopg
from django.test import Client

from audit.sealing.lagging import read_lag
from tenants.models import Tenant
from tests.audit.tampering import verify, write_events


def test_nothing_is_sealed_past_an_open_writer_and_it_is_named(
    tenant: Tenant, seal_now: Callable[[], int], seal_once: Callable[[], int], owner_url: str,
    settings: Any,
) -> None:  # fmt: skip
    seal_now()
    with psycopg.connect(owner_url, application_name="long migration") as blocker:
        blocker.execute("SELECT pg_current_xact_id()")
        write_events(tenant, 3)
        before = verify(tenant)["events"]
        seal_once()
        assert verify(tenant)["events"] == before
        settings.SEAL_LAG_SECONDS = 0
        lag = read_lag()
        assert lag.is_alarm
        assert lag.blocker is not None
        assert lag.blocker["application"] == "long migration"
        assert lag.blocker["role"] == "hub_owner"
        assert lag.blocked_seconds > 0
        ready = json.loads(Client().get("/readyz").content)
        assert "seal_lag" in ready["warnings"]
        assert "hub_seal_lag_seconds" in Client().get("/metrics").content.decode()
    settings.SEAL_LAG_SECONDS = 30
    seal_now()
    assert verify(tenant)["events"] >= before + 3
    assert json.loads(Client().get("/readyz").content)["warnings"] == []


def test_an_open_reader_holds_nothing_back(
    tenant: Tenant, seal_now: Callable[[], int], database_url: str
) -> None:
    with psycopg.connect(database_url) as reader:
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT 1")
        write_events(tenant, 2)
        seal_now()
        assert verify(tenant)["events"] >= 2


def test_the_applications_transactions_end_by_themselves(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        found = connection.execute("SHOW transaction_timeout").fetchone()
    assert found == ("5min",)
