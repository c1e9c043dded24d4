"""Whatever is done to a sealed log behind our back is found, and the first bad event is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.core.management import call_command
from django.db import transaction

from audit.models import Checkpoint, Leaf
from audit.verifying.bundling import write_bundle
from audit.verifying.offline import check_bundle
from audit.verifying.running import Span
from sealing.signing import public_key
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.audit.tampering import superuser, tamper, verify, write_events


@dataclass
class Log:
    """A sealed log with several checkpoints; `ids` are its events in their order."""

    tenant: Tenant
    ids: list[str]
    epoch: int
    sizes: list[int]


@pytest.fixture
def log(tenant: Tenant, seal_now: Callable[[], int]) -> Log:
    for _ in range(3):
        write_events(tenant, 3)
        seal_now()
    return read_log(tenant)


def read_log(tenant: Tenant) -> Log:
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        leaves = list(Leaf.objects.order_by("epoch", "index"))
        sizes = list(Checkpoint.objects.order_by("size").values_list("size", flat=True))
    ids = [str(leaf.event_id) for leaf in leaves]
    return Log(tenant, ids, leaves[-1].epoch, sizes)


def bundle_says(log: Log, folder: Path) -> dict[str, Any]:
    """The offline verifier over a bundle of the log as it now is."""
    target = folder / "bundle.zip"
    with acting_as(operator_actor(log.tenant.id)):
        write_bundle(Span(), target)
    return check_bundle(target, key=public_key().text)


def test_an_untouched_log_is_whole(log: Log, tmp_path: Path) -> None:
    answer = verify(log.tenant)
    assert (answer["code"], answer["events"], answer["first_bad"]) == (0, len(log.ids), None)
    assert answer["last_good"]["size"] == len(log.ids)
    seen = bundle_says(log, tmp_path)
    assert (seen["code"], seen["last_good"]) == (0, answer["last_good"])


EVENT = "tenant_id = %(tenant)s AND id = %(id)s"
ONE = {
    "a byte of the payload": (
        f"UPDATE audit_event SET payload = overlay(payload placing 'X' from 40) WHERE {EVENT}", 1,
    ),
    "a letter that means nothing": (
        f"UPDATE audit_event SET payload = payload || ' ' WHERE {EVENT}", 1,
    ),
    "a search column": (f"UPDATE audit_event SET actor_name = 'nobody' WHERE {EVENT}", 6),
    "its time": (f"UPDATE audit_event SET at = at - interval '1 minute' WHERE {EVENT}", 6),
    "a list": (f"UPDATE audit_event SET subjects = '{{s_other}}' WHERE {EVENT}", 6),
    "a count": (f"UPDATE audit_event SET counts = '{{\"n\": 9}}' WHERE {EVENT}", 6),
    "the event itself": (f"DELETE FROM audit_event WHERE {EVENT}", 2),
    "its leaf": (
        "UPDATE audit_leaf SET hash = sha256('x') "
        "WHERE tenant_id = %(tenant)s AND event_id = %(id)s", 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", ONE)
def test_a_change_of_one_event_is_named(log: Log, what: str, tmp_path: Path) -> None:
    statement, code = ONE[what]
    bad = log.ids[-4]
    tamper(statement, tenant=log.tenant.id, id=bad)
    answer = verify(log.tenant)
    assert (answer["code"], answer["first_bad"]) == (code, bad), answer
    good = max(size for size in log.sizes if size <= log.ids.index(bad))
    assert answer["last_good"]["size"] == good
    seen = bundle_says(log, tmp_path)
    assert (seen["code"], seen["first_bad"]) == (code, bad), seen


def test_the_last_event_deleted(log: Log, tmp_path: Path) -> None:
    tamper(f"DELETE FROM audit_event WHERE {EVENT}", tenant=log.tenant.id, id=log.ids[-1])
    answer = verify(log.tenant)
    assert (answer["code"], answer["first_bad"]) == (2, log.ids[-1])
    assert bundle_says(log, tmp_path)["code"] == 2


def test_the_last_event_deleted_with_its_leaf(log: Log, tmp_path: Path) -> None:
    values = {"tenant": log.tenant.id, "id": log.ids[-1]}
    tamper(f"DELETE FROM audit_event WHERE {EVENT}", **values)
    tamper("DELETE FROM audit_leaf WHERE tenant_id = %(tenant)s AND event_id = %(id)s", **values)
    assert verify(log.tenant)["code"] == 2
    assert bundle_says(log, tmp_path)["code"] == 2


def test_the_end_cut_off_with_everything_that_says_so(log: Log, tmp_path: Path) -> None:
    """Only what is kept outside the database can tell: the anchor file, or a kept checkpoint."""
    keep = log.sizes[-2]
    with acting_as(operator_actor(log.tenant.id)), transaction.atomic():
        kept = Checkpoint.objects.get(size=log.sizes[-1]).note
    values = {"tenant": log.tenant.id, "ids": log.ids[keep:], "size": keep}
    tamper(
        "DELETE FROM audit_event WHERE tenant_id = %(tenant)s AND id = ANY(%(ids)s::uuid[])",
        **values,
    )
    tamper("DELETE FROM audit_leaf WHERE tenant_id = %(tenant)s AND index >= %(size)s", **values)
    tamper(
        "DELETE FROM audit_checkpoint WHERE tenant_id = %(tenant)s AND size > %(size)s", **values
    )
    for answer in (verify(log.tenant), verify(log.tenant, witness=kept)):
        assert (answer["code"], answer["last_good"]["size"]) == (4, keep), answer
    assert bundle_says(log, tmp_path)["code"] == 4


def test_an_old_checkpoint_replayed(log: Log, tmp_path: Path) -> None:
    keep = log.sizes[-2]
    tamper(
        "DELETE FROM audit_checkpoint WHERE tenant_id = %(tenant)s AND size > %(size)s",
        tenant=log.tenant.id, size=keep,
    )  # fmt: skip
    answer = verify(log.tenant)
    assert (answer["code"], answer["last_good"]["size"]) == (4, keep)
    assert answer["first_bad"] == log.ids[keep]
    assert bundle_says(log, tmp_path)["code"] == 4


def test_an_old_checkpoint_in_the_place_of_a_newer_one(log: Log) -> None:
    tamper(
        "UPDATE audit_checkpoint c SET note = (SELECT o.note FROM audit_checkpoint o WHERE "
        "o.tenant_id = c.tenant_id AND o.size = %(old)s) "
        "WHERE tenant_id = %(tenant)s AND size = %(new)s",
        tenant=log.tenant.id, old=log.sizes[-2], new=log.sizes[-1],
    )  # fmt: skip
    answer = verify(log.tenant)
    assert (answer["code"], answer["last_good"]["size"]) == (3, log.sizes[-2])


def test_a_changed_checkpoint_is_a_bad_signature(log: Log, tmp_path: Path) -> None:
    tamper(
        "UPDATE audit_checkpoint SET note = replace(note, 'at 2', 'at 3') WHERE tenant_id = "
        "%(tenant)s AND size = %(size)s",
        tenant=log.tenant.id, size=log.sizes[-1],
    )  # fmt: skip
    answer = verify(log.tenant)
    assert (answer["code"], answer["last_good"]["size"]) == (3, log.sizes[-2])
    assert bundle_says(log, tmp_path)["code"] == 3


@pytest.mark.parametrize("xid", ["xid", "NULL", "1"])
def test_an_event_inserted(log: Log, xid: str, tmp_path: Path) -> None:
    """With triggers off, and any stamp that makes it look old: it has no leaf."""
    tamper(
        "INSERT INTO audit_event SELECT (jsonb_populate_record(e, jsonb_build_object("
        f"'id', '00000000-0000-7000-8000-000000000001', 'xid', {xid}))).* FROM audit_event e "
        f"WHERE {EVENT}",
        tenant=log.tenant.id, id=log.ids[2],
    )  # fmt: skip
    answer = verify(log.tenant)
    assert answer["code"] == 2
    assert answer["first_bad"] == "00000000-0000-7000-8000-000000000001"
    assert bundle_says(log, tmp_path)["code"] == 2


def test_an_event_inserted_under_an_older_date_and_then_sealed(
    log: Log, seal_now: Callable[[], int], owner_url: str
) -> None:
    """The triggers stamp it and the sealer takes it; that it came late shows all the same."""
    with superuser() as connection:
        connection.execute("SET LOCAL session_replication_role = origin")
        connection.execute(
            "INSERT INTO audit_event SELECT (jsonb_populate_record(e, jsonb_build_object("
            "'id', %(new)s::text, 'at', e.at - interval '1 hour', 'payload', "
            "replace(replace(e.payload, %(id)s::text, %(new)s::text), %(at)s, %(then)s)))).* "
            "FROM audit_event e WHERE tenant_id = %(tenant)s AND id = %(id)s::uuid",
            _backdated(log, 2),
        )
    seal_now()
    answer = verify(log.tenant)
    assert (answer["code"], answer["first_bad"]) == (2, "00000000-0000-7000-8000-000000000002")


def _backdated(log: Log, place: int) -> dict[str, Any]:
    with acting_as(operator_actor(log.tenant.id)), transaction.atomic():
        at = Leaf.objects.get(event_id=log.ids[place]).event_at
    return {
        "tenant": log.tenant.id, "id": log.ids[place], "at": at.isoformat(),
        "then": (at - timedelta(hours=1)).isoformat(),
        "new": "00000000-0000-7000-8000-000000000002",
    }  # fmt: skip


def test_two_events_swapped(log: Log, tmp_path: Path) -> None:
    first, second = log.ids[-5], log.ids[-2]
    tamper(
        "UPDATE audit_event e SET payload = o.payload FROM audit_event o WHERE e.tenant_id = "
        "%(tenant)s AND o.tenant_id = e.tenant_id AND ((e.id = %(a)s AND o.id = %(b)s) OR "
        "(e.id = %(b)s AND o.id = %(a)s))",
        tenant=log.tenant.id, a=first, b=second,
    )  # fmt: skip
    answer = verify(log.tenant)
    assert (answer["code"], answer["first_bad"]) == (1, first)
    assert bundle_says(log, tmp_path)["first_bad"] == first


def test_two_places_swapped(log: Log, tmp_path: Path) -> None:
    """Leaves and events agree; the root does not, and the order of transactions tells which."""
    low = len(log.ids) - 2
    with superuser() as connection:
        for old, new in ((low, 10**6), (low + 1, low), (10**6, low + 1)):
            connection.execute(
                "UPDATE audit_leaf SET index = %s WHERE tenant_id = %s AND index = %s",
                [new, log.tenant.id, old],
            )
    answer = verify(log.tenant)
    assert (answer["code"], answer["first_bad"]) == (1, log.ids[low])
    assert bundle_says(log, tmp_path)["code"] == 1


def test_two_tenants_exchanged(log: Log, rival: Tenant, seal_now: Callable[[], int]) -> None:
    write_events(rival, 2)
    seal_now()
    other = read_log(rival)
    values = {"a": log.tenant.id, "b": rival.id, "ids": [log.ids[3], other.ids[-1]]}
    swap = (
        "SET tenant_id = CASE tenant_id WHEN %(a)s THEN %(b)s ELSE %(a)s END "
        "WHERE tenant_id IN (%(a)s, %(b)s)"
    )
    tamper(f"UPDATE audit_event {swap} AND id = ANY(%(ids)s::uuid[])", **values)
    assert [verify(one)["code"] for one in (log.tenant, rival)] == [2, 2]
    assert verify(log.tenant)["first_bad"] == log.ids[3]
    tamper(f"UPDATE audit_event {swap} AND id = ANY(%(ids)s::uuid[])", **values)
    assert [verify(one)["code"] for one in (log.tenant, rival)] == [0, 0]
    for table in ("audit_event", "audit_leaf", "audit_node", "audit_checkpoint"):
        for old, new in (("a", "c"), ("b", "a"), ("c", "b")):
            change = f"UPDATE {table} SET tenant_id = %({new})s WHERE tenant_id = %({old})s"
            tamper(change, **values, c=UUID(int=9))
    answer = verify(log.tenant)
    assert (answer["code"], answer["first_bad"]) == (6, other.ids[0])


def test_a_part_can_be_verified_alone(log: Log) -> None:
    """From an instant on: what is bad before it does not count, what is bad after it does."""
    with acting_as(operator_actor(log.tenant.id)), transaction.atomic():
        middle = Checkpoint.objects.get(size=log.sizes[-2]).at
    tamper(f"DELETE FROM audit_event WHERE {EVENT}", tenant=log.tenant.id, id=log.ids[0])
    assert verify(log.tenant)["code"] == 2
    assert verify(log.tenant, Span(since=middle))["code"] == 0
    tamper(f"DELETE FROM audit_event WHERE {EVENT}", tenant=log.tenant.id, id=log.ids[-1])
    assert verify(log.tenant, Span(since=middle))["first_bad"] == log.ids[-1]


def test_what_waits_too_long_is_a_lag(log: Log, settings: Any) -> None:
    settings.SEAL_LAG_SECONDS = -60
    write_events(log.tenant, 1)
    answer = verify(log.tenant)
    assert answer["code"] == 5
    settings.SEAL_LAG_SECONDS = 30
    assert verify(log.tenant)["code"] == 0


def test_the_command_says_it_with_its_exit_code(
    log: Log, seal_now: Callable[[], int], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    seal_now()
    call_command("audit_verify", tenant=log.tenant.slug, json=True)
    assert json.loads(capsys.readouterr().out)["code"] == 0
    target = tmp_path / "kept.txt"
    with acting_as(operator_actor(log.tenant.id)), transaction.atomic():
        target.write_text(Checkpoint.objects.order_by("-size").first().note)
    call_command("audit_verify", checkpoint=target)
    tamper(f"DELETE FROM audit_event WHERE {EVENT}", tenant=log.tenant.id, id=log.ids[1])
    with pytest.raises(SystemExit) as ended:
        call_command("audit_verify", tenant=log.tenant.slug)
    assert ended.value.code == 2
    assert log.ids[1] in capsys.readouterr().out
