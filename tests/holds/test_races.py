"""Holds placed while something is about to be destroyed: none is lost, nobody waits in a circle."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connections, transaction

from memories.statements import sweep as statements
from policies.placing import HoldScope, Matter, place_hold
from tenants.actors import operator_actor
from tenants.context import acting_as
from tests.holds.holders import Holders

WAITING = (
    "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database "
    "WHERE l.locktype = 'advisory' AND NOT l.granted AND d.datname = current_database()"
)
MATTER = Matter("M 1", "why", "Legal")


def in_thread(work: Callable[[], Any]) -> tuple[threading.Thread, list[Any]]:
    """Work with a connection of its own, begun; what it returned or raised."""
    results: list[Any] = []

    def run() -> None:
        try:
            results.append(work())
        except Exception as error:
            results.append(error)
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    return thread, results


def wait_for_the_lock(owner_url: str, begun: tuple[threading.Thread, list[Any]]) -> None:
    """Until somebody waits for the lock of holds (that is what is waited for, not time)."""
    with psycopg.connect(owner_url, autocommit=True) as watcher:
        while begun[0].is_alive():
            found = watcher.execute(WAITING).fetchone()
            if found and found[0]:
                return
            time.sleep(0.01)
    raise AssertionError(f"nobody waited: {begun[1]}")


def finished(begun: tuple[threading.Thread, list[Any]]) -> list[Any]:
    """The result, once the thread is over."""
    begun[0].join(30)
    return begun[1]


def due(holders: Holders, **options: Any) -> str:
    """A memory that the next sweep would destroy."""
    identifier = holders.put("k", ttl=1, subjects=["s"], **options)
    holders.wait(days=60)
    return identifier


def test_a_hold_placed_between_a_sweeps_select_and_its_delete_saves_the_memory(
    holders: Holders, monkeypatch: pytest.MonkeyPatch
) -> None:
    identifier = due(holders)
    lock_due, placed = statements.lock_due, []

    def lock_then_place(*args: Any, **options: Any) -> Any:
        rows = lock_due(*args, **options)
        if rows and not placed:
            placed.extend(finished(in_thread(lambda: holders.place(subjects=["s"]))))
        return rows

    monkeypatch.setattr(statements, "lock_due", lock_then_place)
    counts = holders.sweep()
    assert isinstance(placed[0], str), placed
    assert counts["purged"] == 0
    assert holders.is_there(identifier)
    monkeypatch.undo()
    holders.sweep()
    assert holders.state(identifier) == "HELD"
    assert holders.counts(placed[0]) == {"memories": 1, "prevented": 1}


def test_a_sweep_that_meets_a_hold_being_placed_waits_and_sees_it(holders: Holders) -> None:
    identifier = due(holders)
    with acting_as(operator_actor(holders.tenant.id)), transaction.atomic():
        place_hold(MATTER, HoldScope(subjects=("s",)), memories=1)
        begun = in_thread(holders.sweep)
        wait_for_the_lock(holders.owner_url, begun)
    (swept,) = finished(begun)
    assert swept["purged"] == 0
    assert holders.state(identifier) == "HELD"


def test_a_put_that_meets_a_hold_being_placed_prunes_nothing_and_stays_under_it(
    holders: Holders,
) -> None:
    with acting_as(operator_actor(holders.tenant.id)):
        holders.tenant.versions_kept = 1
        holders.tenant.save()
    identifier = holders.put("k", subjects=["s"], ttl=1)
    for number in range(2):
        holders.put("k", value={"v": number}, subjects=["s"], ttl=1)
    with acting_as(operator_actor(holders.tenant.id)), transaction.atomic():
        place_hold(MATTER, HoldScope(subjects=("s",)), memories=1)
        begun = in_thread(lambda: holders.put("k", value={"v": 2}, subjects=[], ttl=1))
        wait_for_the_lock(holders.owner_url, begun)
    (put,) = finished(begun)
    assert put == identifier
    kept = holders.first.call("GET", f"/memories/{identifier}/versions").json()["items"]
    assert [one["version"] for one in kept] == [4, 3, 2]
    holders.wait(days=60)
    holders.sweep()
    assert holders.state(identifier) == "HELD"


def test_a_tenant_is_not_closed_while_a_hold_stands_or_is_being_placed(
    holders: Holders, tmp_path: Any
) -> None:
    def close() -> None:
        call_command("close_tenant", holders.tenant.slug, yes=True, export=tmp_path / "export")

    with acting_as(operator_actor(holders.tenant.id)), transaction.atomic():
        place_hold(MATTER, HoldScope(subjects=("nobody yet",)), memories=0)
        begun = in_thread(close)
        wait_for_the_lock(holders.owner_url, begun)
    (closed,) = finished(begun)
    assert isinstance(closed, CommandError)
    assert "hold" in str(closed).lower()
    with pytest.raises(CommandError):
        close()
