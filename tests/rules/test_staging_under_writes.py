"""Staging while others read and write: after the switch every row has the dates of its facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from random import Random
from threading import Event
from uuid import UUID

import psycopg
import pytest
from django.db import connections, transaction

from audit.jobs import run_job
from memories import staging
from memories.dating import evaluate_row, regime_of
from memories.statements import lookup
from memories.statements import staging as statements
from memories.statements.staging import rows_after
from memoryhub.embedded.processes import wait_until
from tenants.actors import job_actor, operator_actor
from tenants.context import acting_as, now
from tenants.ids import PLATFORM_TENANT
from tenants.models import Tenant
from tenants.snapshots import tenant_settings
from tests.ageing import let_pass
from tests.callers import Caller
from tests.rules.governing import BASE, Governed, expire, keep

RULES = (
    expire(after={"days": 20}),
    expire("read", anchor="accessed", after={"days": 5}, namespace=["b"]),
    {"key": "cap", "kind": "cap", "after": {"days": 40}, "namespace": ["a"]},
    keep(after={"days": 60}, namespace=["b"]),
)


LATE = "pg_advisory_xact_lock"


def differing(tenant: Tenant) -> list[str]:
    """Keys of rows whose stored dates are not what the rules in force say about them."""
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        regime, at = regime_of(tenant_settings()), now()
        wrong = []
        for row in rows_after(PLATFORM_TENANT, limit=10_000):
            found = evaluate_row(row, regime, at)
            stored = (row.visible_until, row.purge_at, row.rule, row.ruleset)
            if stored != (found.visible_until, found.purge_at, found.winner, regime.ruleset):
                wrong.append(row.key)
        return wrong


def let_data_move(tenant: Tenant) -> None:
    """Activation is not refused because memories changed since the simulation."""
    with acting_as(operator_actor(tenant.id)):
        row = Tenant.objects.get(id=tenant.id)
        row.data_share = 1
        row.save()


@contextmanager
def writing(callers: list[Caller]) -> Iterator[None]:
    """Each caller puts, reads and deletes until the block ends."""
    over = Event()

    def work(number: int) -> int:
        luck, done, caller = Random(number), 0, callers[number]
        try:
            while not over.is_set():
                root, key = luck.choice("ab"), f"k{luck.randrange(60)}"
                what = luck.randrange(4)
                if what == 0:
                    caller.delete([root], key)
                elif what == 1:
                    caller.get([root], key)
                else:
                    ttl = luck.choice([None, 60, 60 * 24 * 30])
                    caller.put([root], key, {"n": done}, index=False, ttl=ttl)
                done += 1
        finally:
            connections.close_all()
        return done

    with ThreadPoolExecutor(len(callers)) as pool:
        running = [pool.submit(work, number) for number in range(len(callers))]
        try:
            yield
        finally:
            over.set()
        assert all(one.result() > 3 for one in running)


@pytest.mark.slow
def test_after_the_switch_every_row_has_the_dates_of_its_facts(
    governed: Governed, agent: Caller, make_caller: Callable[..., Caller], owner_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(staging, "CHUNK", 15)
    let_data_move(governed.tenant)
    for number in range(60):
        for root in "ab":
            agent.put([root], f"k{number}", {"n": number}, index=False)
    let_pass(owner_url, governed.tenant, days=30)
    callers = [make_caller(governed.tenant) for _ in range(3)]
    for rules in (RULES, (), RULES[:2]):
        n = governed.draft(*rules)
        with writing(callers):
            governed.simulate(n)
            governed.approve(n)
        confirm = governed.author.call("GET", f"{BASE}/{n}").json()["simulation"]["confirm_count"]
        answer = governed.activate(n, confirm_count=confirm)
        assert answer.status_code == 200, answer.content
        assert differing(governed.tenant) == []


@pytest.mark.parametrize("is_staging", [False, True])
def test_a_read_dates_a_row_by_the_facts_that_it_locked(
    governed: Governed, agent: Caller, make_caller: Callable[..., Caller], database_url: str,
    owner_url: str, monkeypatch: pytest.MonkeyPatch, is_staging: bool,
) -> None:  # fmt: skip
    # a put that commits between a read's look at the row and its lock
    slow = lookup._READ_ONE.replace("FROM hit)", f"FROM hit, (SELECT {LATE}(4711)) late)", 1)
    assert slow != lookup._READ_ONE
    rules = (
        expire("read", anchor="accessed", after={"days": 15}),
        expire("written", anchor="updated", after={"days": 20}),
    )
    n = governed.draft(*rules) if is_staging else governed.enforce(*rules)
    let_data_move(governed.tenant)
    agent.put(["b"], "k", {"n": 1}, index=False, ttl=60 * 24 * 12)
    let_pass(owner_url, governed.tenant, days=10)
    confirm = governed.simulate(n)["confirm_count"] if is_staging else None
    if is_staging:
        governed.approve(n)
    reader = make_caller(governed.tenant)
    with psycopg.connect(database_url, autocommit=True) as gate, ThreadPoolExecutor(1) as pool:
        gate.execute("SELECT pg_advisory_lock(4711)")
        monkeypatch.setattr(lookup, "_READ_ONE", slow)
        reading = pool.submit(reader.get, ["b"], "k")
        waiting = (
            "SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted"
        )
        assert wait_until(lambda: gate.execute(waiting).fetchone() is not None, 60)
        agent.put(["b"], "k", {"n": 2}, index=False, ttl=None)
        gate.execute("SELECT pg_advisory_unlock(4711)")
        assert reading.result().status_code == 200
        pool.submit(connections.close_all).result()
    if is_staging:
        answer = governed.activate(n, confirm_count=confirm)
        assert answer.status_code == 200, answer.content
    assert differing(governed.tenant) == []
    with acting_as(operator_actor(governed.tenant.id)), transaction.atomic():
        (row,) = rows_after(PLATFORM_TENANT, limit=2)
    assert row.ttl_expires_at is None, "the put took the TTL away"
    assert row.visible_until == row.accessed_at + timedelta(days=15)


def test_the_pass_waits_for_transactions_that_began_before_it(
    governed: Governed, agent: Caller, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent.put(["a"], "k", {"n": 1}, index=False)
    n = governed.draft(*RULES)
    job = governed.author.call("POST", f"{BASE}/{n}/simulate").json()
    with psycopg.connect(database_url) as older:
        older.execute("SELECT 1")  # a transaction that read the settings before
        pauses = []

        def pause() -> None:
            pauses.append(1)
            if len(pauses) == 3:
                older.rollback()

        monkeypatch.setattr(statements, "pause", pause)
        governed.run(job["id"])
    assert len(pauses) == 3
    done = governed.author.call("GET", f"/jobs/{job['id']}").json()
    assert (done["state"], done["result"]["memories"]) == ("done", 1)


@pytest.mark.slow
def test_a_row_that_somebody_holds_is_visited_at_the_end(
    governed: Governed, agent: Caller, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        agent.put(["a"], f"k{number}", {"n": number}, index=False)
    n = governed.draft(*RULES)
    with psycopg.connect(database_url) as holder:
        visited: list[int] = []
        plain = statements.lock_free

        def lock_free(ids: list[object]) -> object:
            if not visited:  # begun after the pass, it holds a row as the pass comes by
                holder.execute(f"SET LOCAL hub.tenant = '{governed.tenant.id}'")
                holder.execute("SELECT FROM memories_memory WHERE key = 'k2' FOR UPDATE")
            elif len(visited) == 2:
                holder.rollback()
            found = plain(ids)  # type: ignore[arg-type]
            visited.append(len(found))
            return found

        monkeypatch.setattr(statements, "lock_free", lock_free)
        assert governed.simulate(n)["memories"] == 5
    assert visited == [4, 0, 1]


@pytest.mark.slow
def test_a_pass_goes_on_where_a_dead_worker_left_it(
    governed: Governed, agent: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "CHUNK", 2)
    for number in range(7):
        agent.put(["a"], f"k{number}", {"n": number}, index=False)
    n = governed.draft(*RULES)
    job = governed.author.call("POST", f"{BASE}/{n}/simulate").json()
    plain, calls = statements.set_coming, []

    def die_at_the_second(rows: list[object]) -> None:
        calls.append(len(rows))
        if len(calls) == 2:
            raise KeyboardInterrupt
        plain(rows)  # type: ignore[arg-type]

    monkeypatch.setattr(statements, "set_coming", die_at_the_second)
    with acting_as(job_actor("test", governed.tenant.id)), pytest.raises(KeyboardInterrupt):
        run_job(UUID(job["id"]))
    half = governed.author.call("GET", f"/jobs/{job['id']}").json()
    assert (half["state"], half["progress"]) == ("running", {"done": 2, "total": 7})
    governed.run(job["id"])
    done = governed.author.call("GET", f"/jobs/{job['id']}").json()
    assert (done["state"], done["result"]["memories"]) == ("done", 7)


def test_another_simulation_or_other_content_ends_the_pass(governed: Governed) -> None:
    one, other = governed.draft(*RULES), governed.draft(expire())
    first = governed.author.call("POST", f"{BASE}/{one}/simulate").json()
    governed.simulate(other)
    governed.run(first["id"])
    ended = governed.author.call("GET", f"/jobs/{first['id']}").json()
    assert (ended["state"], ended["error"]["code"]) == ("failed", "invalid_state")
