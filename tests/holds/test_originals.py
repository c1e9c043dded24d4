"""Under a hold nothing is lost by masking, redacting or a decision about the quarantined."""

from __future__ import annotations

import pytest
from django.db import connection, transaction

from memories.models import Memory
from memories.scanning import drop_orphans, scan_pending
from privacy.models import VaultEntry
from tenants.actors import operator_actor
from tenants.context import acting_as
from tests.holds.holders import Holders

MOBILE = "13812345678"
VALUE = {"text": f"call 手机 {MOBILE}"}
SECRET = {"note": "AKIAIOSFODNN7EXAMPLE is the key id"}


def originals(holders: Holders) -> int:
    with acting_as(operator_actor(holders.tenant.id)):
        drop_orphans()
        with transaction.atomic():
            return int(VaultEntry.objects.count())


def sealed(holders: Holders, identifier: str) -> bool:
    with acting_as(operator_actor(holders.tenant.id)), transaction.atomic():
        return Memory.objects.get(id=identifier).sealed is not None


def reveal(holders: Holders, identifier: str) -> str:
    answer = holders.first.call(
        "POST", f"/memories/{identifier}/reveal", {"path": "text", "reason": "asked in court"}
    )
    return str(answer.json().get("value") or answer.json().get("code"))


def test_what_is_masked_in_a_held_memory_stays_sealed_until_the_hold_ends(
    holders: Holders,
) -> None:
    free = holders.put("free", value=VALUE)
    assert originals(holders) == 0
    assert reveal(holders, free) == "nothing_sealed"
    hold = holders.place(subjects=["s"])
    held = holders.put("held", value=VALUE, subjects=["s"])
    assert MOBILE not in holders.agent.get(["a"], "held").content.decode()
    assert originals(holders) == 1
    assert reveal(holders, held) == MOBILE
    holders.release(hold)
    holders.sweep()
    assert originals(holders) == 0
    assert reveal(holders, held) == "nothing_sealed"


def test_a_scan_of_a_held_memory_and_of_its_versions_loses_nothing(holders: Holders) -> None:
    identifier = holders.put("k", value={"text": "one"}, subjects=["s"])
    holders.put("k", value={"text": "two"}, subjects=["s"])
    hold = holders.place(subjects=["s"])
    with acting_as(operator_actor(holders.tenant.id)):
        with transaction.atomic(), connection.cursor() as cursor:
            for table, column in (
                ("memories_memory", "id"),
                ("memories_memoryversion", "memory_id"),
            ):
                other = MOBILE if column == "id" else "13912345678"
                cursor.execute(
                    f"UPDATE {table} SET value = jsonb_build_object('text', %s::text) "
                    f"WHERE tenant_id = %s AND {column} = %s",
                    [f"手机 {other}", holders.tenant.id, identifier],
                )
            Memory.objects.filter(id=identifier).update(detector="0", scanned_at=None)
        scan_pending()
    assert MOBILE not in holders.agent.get(["a"], "k").content.decode()
    assert originals(holders) == 2
    assert reveal(holders, identifier) == MOBILE
    holders.sweep()
    assert originals(holders) == 2
    holders.release(hold)
    holders.sweep()
    assert originals(holders) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("decision", "cause"), [("redact", "redact"), ("destroy", "quarantine")])
def test_an_officer_destroys_no_sealed_original_of_a_held_memory(
    holders: Holders, decision: str, cause: str
) -> None:
    hold = holders.place(subjects=["s"])
    identifier = holders.put("k", value=SECRET, subjects=["s"])
    answer = holders.second.call(
        "POST", f"/privacy/quarantine/{identifier}", {"decision": decision, "reason": "why not"}
    )
    assert answer.status_code == 200, answer.content
    assert sealed(holders, identifier)
    (listed,) = holders.first.call("GET", f"/policies/holds/{hold}/memories").json()["items"]
    assert listed["prevented"]["cause"] == cause
    holders.sweep()
    assert sealed(holders, identifier)
    holders.release(hold)
    holders.sweep()
    assert not sealed(holders, identifier)
