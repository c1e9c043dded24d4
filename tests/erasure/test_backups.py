"""Recorded backups: the certificate names the end of the last copy that may hold it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from tests.callers import Caller
from tests.erasure.asking import Asking


def record(taken: str, expires: str) -> dict[str, str]:
    said = StringIO()
    call_command(
        "record_backup", "--taken-at", taken, "--expires-at", expires, "--json", stdout=said
    )
    found: dict[str, str] = json.loads(said.getvalue())
    return found


def wall() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT now()")
        at: datetime = cursor.fetchone()[0]
    return at.astimezone(UTC)


@pytest.mark.slow
def test_the_certificate_says_when_the_last_copy_ends(agent: Caller, asking: Asking) -> None:
    at = wall()
    last = at + timedelta(days=900)
    record((at - timedelta(days=2)).isoformat(), (at + timedelta(days=30)).isoformat())
    record((at - timedelta(days=1)).isoformat(), last.isoformat())
    record((at - timedelta(days=9)).isoformat(), (at - timedelta(days=1)).isoformat())
    agent.put(["crm"], "k", {"text": "likes tea"}, subjects=["anna"])
    done = asking.erase("anna")
    certificate = asking.officer.call("GET", f"/subject-requests/{done['id']}/certificate").json()
    backups = certificate["backups"]
    assert backups["copies"] >= 2
    assert datetime.fromisoformat(backups["last_expires_at"]) >= last
    shown = asking.officer.call(
        "GET", f"/subject-requests/{done['id']}/certificate?format=html"
    ).content.decode()
    assert backups["last_expires_at"] in shown


def test_a_command_writes_instants_in_utc_with_z(hub: str) -> None:
    said = record("2026-01-02T08:00:00+08:00", "2026-02-01T00:00:00Z")
    assert said["taken_at"] == "2026-01-02T00:00:00Z"
    assert said["expires_at"] == "2026-02-01T00:00:00Z"


@pytest.mark.parametrize(
    ("taken", "expires", "said"),
    [
        ("2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z", "ends after"),
        ("2999-01-02T00:00:00Z", "2999-02-01T00:00:00Z", "later than now"),
        ("2026-01-02", "2026-02-01T00:00:00Z", "offset"),
        ("yesterday", "2026-02-01T00:00:00Z", "no instant"),
    ],
)
def test_a_backup_that_cannot_be_is_refused(hub: str, taken: str, expires: str, said: str) -> None:
    with pytest.raises(CommandError, match=said):
        record(taken, expires)
