"""Scans after a change of rules, the 24-hour clock, and what reads show meanwhile."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import connection, transaction

from memories.models import Memory, MemoryVersion
from memories.scanning import read_clock, scan_pending
from privacy.models import PiiFinding, VaultEntry
from tenants.actors import job_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.callers import Caller
from tests.people import Person

CN_ID = "11010519491231002X"
CLEAR = f'{{"text": "身份证{CN_ID}"}}'


def as_job(tenant: Tenant) -> Any:
    return acting_as(job_actor("scan", tenant.id))


def write_clear(tenant: Tenant, memory: str, **columns: Any) -> None:
    """As an older version of the hub would have left it."""
    with as_job(tenant), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE memories_memory SET value = %s::jsonb, detector = '0', scanned_at = NULL "
            "WHERE tenant_id = %s AND id = %s",
            [CLEAR, tenant.id, memory],
        )
        for name, value in columns.items():
            Memory.objects.filter(id=memory).update(**{name: value})


def scan(tenant: Tenant) -> Any:
    with as_job(tenant):
        return scan_pending()


def test_reads_are_masked_until_the_scan_is_done(agent: Caller, tenant: Tenant) -> None:
    made = agent.put(["a"], "k", {"text": "x"}).json()
    write_clear(tenant, made["id"])
    for answer in (
        agent.get(["a"], "k"),
        agent.search(["a"]),
        agent.call("GET", f"/memories/{made['id']}"),
        agent.batch({"op": "get", "namespace": ["a"], "key": "k"}),
        agent.call("GET", f"/memories/{made['id']}/versions"),
    ):
        assert answer.status_code == 200
        assert CN_ID not in answer.content.decode()


def test_a_scan_tokenises_what_is_stored_and_its_versions(agent: Caller, tenant: Tenant) -> None:
    made = agent.put(["a"], "k", {"text": "one"}).json()
    agent.put(["a"], "k", {"text": "two"})
    write_clear(tenant, made["id"])
    with as_job(tenant), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE memories_memoryversion SET value = %s::jsonb WHERE memory_id = %s",
            [CLEAR, made["id"]],
        )
    counts = scan(tenant)
    assert (counts["scanned"], counts["found"], counts["versions"]) == (1, 1, 1)
    got = agent.get(["a"], "k").json()
    assert "⟦cn_id:" in got["value"]["text"]
    assert got["version"] == 2
    with as_job(tenant), transaction.atomic():
        (version,) = MemoryVersion.objects.filter(memory_id=made["id"])
        assert version.value == got["value"]
        assert VaultEntry.objects.count() == 1
        assert PiiFinding.objects.filter(token_id__isnull=False).count() == 2
    assert not scan(tenant)
    again = agent.put(["a"], "k", {"text": f"身份证{CN_ID}"}).json()
    assert again["outcome"] == "unchanged"


def test_stricter_rules_scan_again(agent: Caller, tenant: Tenant) -> None:
    agent.put(["a"], "k", {"mail": "zhang@example.cn", "card": "no"})
    with acting_as(job_actor("x", tenant.id)):
        tenant.pii = {"email": "reject", "cn_address": "mask"}
        tenant.save()
    assert agent.get(["a"], "k").json()["value"]["mail"] == "z***@example.cn"
    counts = scan(tenant)
    assert counts["scanned"] == 1
    assert agent.get(["a"], "k").status_code == 200  # it was masked: nothing to find in it


def test_a_scan_quarantines_what_a_writer_would_be_refused(
    agent: Caller, tenant: Tenant, officer: Person
) -> None:
    made = agent.put(["a"], "k", {"text": "x"}).json()
    with acting_as(job_actor("x", tenant.id)):
        tenant.pii = {"cn_id": "reject"}
        tenant.save()
    write_clear(tenant, made["id"])
    assert scan(tenant)["quarantined"] == 1
    assert agent.get(["a"], "k").status_code == 404
    path = f"/privacy/quarantine/{made['id']}"
    done = officer.call("POST", path, {"decision": "redact", "reason": "right"})
    assert done.status_code == 200
    assert agent.get(["a"], "k").json()["value"]["text"] == "身份证[cn_id]"


def test_what_is_overdue_is_quarantined(
    agent: Caller, tenant: Tenant, officer: Person, monkeypatch: Any
) -> None:
    made = agent.put(["a"], "k", {"text": "x"}).json()
    with as_job(tenant), transaction.atomic():
        row = Memory.objects.get(id=made["id"])
        due = row.created_at - timedelta(minutes=1)
    write_clear(tenant, made["id"], scan_due_at=due)
    before = officer.call("GET", "/privacy/clock").json()
    assert (before["overdue"], before["within_24h"]) == (1, 0.0)
    assert before["worst_seconds"] > 86_400
    monkeypatch.setattr("memories.scanning._scan_chunk", lambda: None)  # scanners stand still
    assert scan(tenant)["overdue"] == 1
    assert agent.get(["a"], "k").status_code == 404
    (item,) = officer.call("GET", "/privacy/quarantine").json()["items"]
    assert (item["id"], item["because"]) == (made["id"], "overdue")


def test_the_clock_of_writes_is_at_once(agent: Caller, tenant: Tenant, officer: Person) -> None:
    assert officer.call("GET", "/privacy/clock").json()["within_24h"] == 1.0
    agent.put(["a"], "k", {"text": f"身份证{CN_ID}"})
    shown = officer.call("GET", "/privacy/clock").json()
    assert shown == {"within_24h": 1.0, "p95_seconds": 0.0, "worst_seconds": 0.0, "overdue": 0}
    with as_job(tenant):
        assert read_clock() == shown


def test_a_detector_that_does_not_answer_stops_the_scan_and_not_the_clock(
    agent: Caller, tenant: Tenant, monkeypatch: Any
) -> None:
    class Silent:
        name = "silent"

        def find(self, text: str) -> Any:
            raise TimeoutError

    made = agent.put(["a"], "k", {"text": "x"}).json()
    with as_job(tenant), transaction.atomic():
        due = Memory.objects.get(id=made["id"]).created_at - timedelta(minutes=1)
    write_clear(tenant, made["id"], scan_due_at=due)
    monkeypatch.setattr("privacy.regimes.outside_detectors", lambda: (Silent(),))
    with acting_as(job_actor("x", tenant.id)):
        tenant.save()  # the rules are read again
    counts = scan(tenant)
    assert (counts["stopped"], counts["overdue"]) == (1, 1)
    assert agent.get(["a"], "k").status_code == 404
