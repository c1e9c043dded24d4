"""Sweeping: what is due is destroyed in whole, with evidence, once, whatever happens between."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import StringIO
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connections, transaction

from memories.dating import evaluate_row
from memories.models import Finding, SweepRun, Tombstone
from memories.rows import StoredMemory
from memories.sweeping import sweep_now
from memories.sweeps import purging
from memories.sweeps.proving import Prover
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.ageing import act_as_owner, count_rows, let_pass
from tests.callers import Caller

PARTS = (
    "memories_memory", "memories_memoryvector", "memories_memoryversion",
    "memories_memorysubject",
)  # fmt: skip


@pytest.fixture
def pass_time(owner_url: str, tenant: Tenant) -> Callable[..., None]:
    return lambda **span: let_pass(owner_url, tenant, **span)


def sweep(tenant: Tenant, prefix: str = "", **options: Any) -> dict[str, int]:
    with acting_as(operator_actor(tenant.id)):
        return sweep_now(prefix, **options).counts


def fill(caller: Caller, keys: str, namespace: list[str] | None = None, **options: Any) -> None:
    for key in keys:
        answer = caller.put(namespace or ["a"], key, {"n": key}, index=False, **options)
        assert answer.status_code == 200


@pytest.mark.parametrize("zone", ["Mars/Olympus", "Europe", "../etc", ""])
def test_a_zone_that_this_machine_does_not_know_stops_no_sweep(
    make_tenant: Callable[..., Tenant], make_caller: Callable[..., Caller], owner_url: str,
    zone: str,
) -> None:  # fmt: skip
    tenant = make_tenant(timezone=zone)
    caller = make_caller(tenant)
    fill(caller, "a", ttl=0.1)
    let_pass(owner_url, tenant, seconds=20)
    assert sweep(tenant)["purged"] == 1
    assert caller.keys([]) == []


def test_a_purge_takes_row_vectors_versions_and_subjects_and_leaves_a_tombstone(
    agent: Caller, tenant: Tenant, owner_url: str, pass_time: Callable[..., None]
) -> None:
    made = agent.put(["a"], "k", {"text": "first"}, ttl=0.1, subjects=["s"]).json()
    agent.put(["a"], "k", {"text": "second"}, ttl=0.1, subjects=["s"])
    assert [count_rows(owner_url, tenant, part) for part in PARTS] == [1, 1, 1, 1]
    pass_time(seconds=6.5)
    assert agent.get(["a"], "k").status_code == 404
    first = sweep(tenant)
    assert (first["hidden"], first["purged"]) == (1, 0)
    pass_time(seconds=6.5)
    assert sweep(tenant)["purged"] == 1
    assert [count_rows(owner_url, tenant, part) for part in PARTS] == [0, 0, 0, 0]
    usage = agent.call("GET", "/usage?namespace_prefix=a").json()
    assert (usage["rows"], usage["vectors"], usage["bytes"]) == (0, 0, 0)
    assert usage["by_state"]["PURGED"] == 1
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        tombstone = Tombstone.objects.get()
    assert (str(tombstone.id), tombstone.namespace, tombstone.reason) == (made["id"], "a/", "ttl")


def test_a_deleted_item_stays_in_the_trash_for_its_days_and_then_goes(
    agent: Caller, tenant: Tenant, pass_time: Callable[..., None]
) -> None:
    fill(agent, "k")
    pass_time(days=100)
    agent.delete(["a"], "k")
    pass_time(days=29)
    assert sweep(tenant)["purged"] == 0
    pass_time(days=1, minutes=1)
    assert sweep(tenant)["purged"] == 1


def test_what_is_in_use_is_not_touched(
    agent: Caller, tenant: Tenant, pass_time: Callable[..., None]
) -> None:
    fill(agent, "ab")
    fill(agent, "c", ttl=60 * 24 * 365)
    pass_time(days=300)
    assert not any(sweep(tenant).values())
    assert sorted(agent.keys(["a"])) == ["a", "b", "c"]


def test_a_sweep_of_one_root_leaves_the_other(
    agent: Caller, tenant: Tenant, pass_time: Callable[..., None]
) -> None:
    fill(agent, "abc", ["root1"], ttl=1)
    fill(agent, "abc", ["root2", "deep"], ttl=1)
    fill(agent, "a", ["root22"], ttl=1)
    pass_time(minutes=5)
    assert sweep(tenant, "root2/")["purged"] == 3

    def rows(prefix: str) -> int:
        return agent.call("GET", f"/usage?namespace_prefix={prefix}").json()["rows"]

    assert (rows("root1"), rows("root2"), rows("root22")) == (3, 0, 1)


def test_a_dry_run_counts_and_changes_nothing(
    agent: Caller, tenant: Tenant, pass_time: Callable[..., None]
) -> None:
    fill(agent, "abc", ttl=1)
    pass_time(minutes=1.5)
    fill(agent, "de", ttl=1)
    pass_time(minutes=1.5)
    counts = sweep(tenant, dry_run=True)
    assert (counts["hidden"], counts["purged"]) == (5, 3)
    assert agent.call("GET", "/usage").json()["rows"] == 5
    assert sweep(tenant)["purged"] == 3


def test_another_tenants_rows_are_not_swept(
    agent: Caller, outsider: Caller, tenant: Tenant, rival: Tenant, owner_url: str
) -> None:
    fill(agent, "a", ttl=1)
    fill(outsider, "a", ttl=1)
    for one in (tenant, rival):
        let_pass(owner_url, one, minutes=5)
    assert sweep(tenant)["purged"] == 1
    assert outsider.call("GET", "/usage").json()["rows"] == 1


def test_two_sweeps_at_once_do_the_work_once(
    agent: Caller, tenant: Tenant, owner_url: str, settings: Any,
    pass_time: Callable[..., None],
) -> None:  # fmt: skip
    settings.SWEEP_CHUNK = 5
    fill(agent, "abcdefghijklmnopqrstuvwxyz", ttl=1)
    pass_time(minutes=5)

    def work(_: int) -> dict[str, int]:
        try:
            return sweep(tenant)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(3) as pool:
        done = list(pool.map(work, range(3)))
    assert sum(counts["purged"] for counts in done) == 26
    assert sum(counts["hidden"] for counts in done) == 26
    assert count_rows(owner_url, tenant, "memories_tombstone") == 26
    assert count_rows(owner_url, tenant, "memories_memory") == 0


def test_a_sweep_that_dies_between_chunks_is_taken_up_by_the_next(
    agent: Caller, tenant: Tenant, owner_url: str, settings: Any,
    pass_time: Callable[..., None],
) -> None:  # fmt: skip
    settings.SWEEP_CHUNK = 4
    fill(agent, "abcdefghij", ttl=1)
    pass_time(minutes=5)
    chunks = 0

    def die_at_the_third_chunk(execute, sql, params, many, context):
        nonlocal chunks
        chunks += "DELETE FROM memories_memory " in sql
        if chunks == 3:
            raise KeyboardInterrupt
        return execute(sql, params, many, context)

    with (
        connections["default"].execute_wrapper(die_at_the_third_chunk),
        pytest.raises(KeyboardInterrupt),
    ):
        sweep(tenant)
    assert count_rows(owner_url, tenant, "memories_memory") == 2
    assert count_rows(owner_url, tenant, "memories_tombstone") == 8
    assert sweep(tenant)["purged"] == 2
    assert count_rows(owner_url, tenant, "memories_tombstone") == 10


def test_stored_dates_are_not_trusted_at_destruction(
    agent: Caller, tenant: Tenant, owner_url: str, pass_time: Callable[..., None]
) -> None:
    fill(agent, "abc", ttl=1)
    pass_time(minutes=5)
    with psycopg.connect(owner_url) as connection:
        act_as_owner(connection, tenant)
        connection.execute(
            "UPDATE memories_memory SET ttl_expires_at = now() + interval '1 hour', "
            "trashed_at = now() WHERE tenant_id = %s AND key = 'b'",
            [tenant.id],
        )
    assert sweep(tenant)["purged"] == 2
    assert count_rows(owner_url, tenant, "memories_memory") == 1
    pass_time(hours=3)
    assert sweep(tenant)["purged"] == 1


def test_a_row_that_cannot_be_judged_is_pushed_forward_and_holds_nobody_up(
    agent: Caller, tenant: Tenant, pass_time: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def judge(row: StoredMemory, *rest: Any) -> Any:
        if row.key == "b":
            raise ArithmeticError
        return evaluate_row(row, *rest)

    fill(agent, "abc", ttl=1)
    pass_time(minutes=5)
    monkeypatch.setattr(purging, "evaluate_row", judge)
    monkeypatch.setattr(Prover, "proven_cause", lambda prover, row: None)
    counts = sweep(tenant)
    assert (counts["purged"], counts["failed"]) == (2, 1)
    again = sweep(tenant)
    assert (again["purged"], again["failed"]) == (0, 0)
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        finding = Finding.objects.get()
    assert (finding.kind, finding.detail) == ("sweep_failed", "ArithmeticError")
    pass_time(minutes=61)
    assert sweep(tenant)["failed"] == 1
    monkeypatch.undo()
    pass_time(minutes=61)
    assert sweep(tenant)["purged"] == 1


def test_each_sweep_is_a_run_with_its_counts(
    agent: Caller, tenant: Tenant, pass_time: Callable[..., None]
) -> None:
    fill(agent, "abc", ttl=1)
    pass_time(minutes=5)
    sweep(tenant, "a/", trigger="manual")
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        run = SweepRun.objects.get()
    assert (run.state, run.trigger, run.namespace_prefix) == ("done", "manual", "a/")
    assert (run.counts["hidden"], run.counts["purged"]) == (3, 3)
    assert 170 < run.lag_seconds < 190  # due two minutes after the put, swept after five
    assert run.finished_at >= run.started_at


def run_command(*arguments: str) -> Any:
    output = StringIO()
    call_command("sweep", *arguments, "--json", stdout=output)
    return json.loads(output.getvalue())


def test_the_command_sweeps_a_prefix_of_one_tenant(
    agent: Caller, tenant: Tenant, pass_time: Callable[..., None]
) -> None:
    fill(agent, "ab", ["users", "u1"], ttl=1)
    fill(agent, "c", ["users", "u10"], ttl=1)
    pass_time(minutes=5)
    common = ("--tenant", tenant.slug, "--prefix", "users/u1")
    assert run_command(*common, "--dry-run")["counts"]["purged"] == 2
    assert run_command(*common)["counts"]["purged"] == 2
    assert run_command("--tenant", tenant.slug)["counts"]["purged"] == 1


def test_the_command_refuses_what_it_cannot_mean(tenant: Tenant) -> None:
    for arguments in (["--tenant", "no-such"], ["--tenant", tenant.slug, "--prefix", "a//b"]):
        with pytest.raises(CommandError):
            run_command(*arguments)


def test_a_run_that_was_killed_is_called_failed_by_a_later_one(acting: Tenant) -> None:
    killed = sweep_now()
    begun = killed.started_at - timedelta(days=1)
    with transaction.atomic():
        SweepRun.objects.filter(id=killed.id).update(state="running", started_at=begun)
    sweep_now()
    with transaction.atomic():
        assert SweepRun.objects.get(id=killed.id).state == SweepRun.State.FAILED
