"""A read that meets a write: what was deleted meanwhile is not touched by an earlier read."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.db import connections, transaction

from memories.models import Memory
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.ageing import act_as_owner
from tests.callers import Caller

READS: dict[str, Callable[[Caller], Any]] = {
    "get": lambda caller: caller.get(["a"], "k"),
    "search": lambda caller: caller.search(["a"]),
}
BLOCKED = (
    "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
    "AND datname = current_database() AND query LIKE '%%memories_memory%%'"
)


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_read_that_waited_for_a_delete_does_not_move_its_dates(
    agent: Caller, tenant: Tenant, owner_url: str, read: Callable[[Caller], Any]
) -> None:
    agent.put(["a"], "k", {"n": 1}, ttl=60 * 24 * 365, index=False)

    def work() -> None:
        try:
            statuses.append(read(agent).status_code)
        finally:
            connections.close_all()

    statuses: list[int] = []
    with psycopg.connect(owner_url) as writer:
        act_as_owner(writer, tenant)
        writer.execute(
            "UPDATE memories_memory SET deleted_at = now(), trashed_at = now(), "
            "visible_until = now(), purge_at = now() + interval '1 day' WHERE tenant_id = %s",
            [tenant.id],
        )
        reader = threading.Thread(target=work)
        reader.start()
        _wait_until_blocked(owner_url, reader)
        writer.commit()
    reader.join(10)
    assert statuses[0] in (200, 404)
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        row = Memory.objects.get()
    assert row.visible_until == row.deleted_at
    assert (row.purge_at - row.deleted_at).days == 1
    assert row.access_count == 0


def _wait_until_blocked(owner_url: str, reader: threading.Thread, *, count: int = 1) -> None:
    """Until so many wait for the row's lock, or the reader went by without touching anything."""
    with psycopg.connect(owner_url, autocommit=True) as watcher:
        deadline = time.monotonic() + 5
        while reader.is_alive() and time.monotonic() < deadline:
            if watcher.execute(BLOCKED).fetchone()[0] >= count:
                return
            time.sleep(0.01)


def test_a_batch_that_waited_for_another_deletes_what_that_one_created(
    agent: Caller, tenant: Tenant, owner_url: str
) -> None:
    agent.put(["a"], "there", {"by": "nobody"}, index=False)

    def op(key: str, by: str | None) -> dict[str, Any]:
        return {"op": "put", "namespace": ["a"], "key": key, "index": False,
                "value": None if by is None else {"by": by}}  # fmt: skip

    def run(*ops: dict[str, Any]) -> None:
        try:
            statuses.append(Caller(agent.key).batch(*ops).status_code)
        finally:
            connections.close_all()

    statuses: list[int] = []
    creating = threading.Thread(target=run, args=(op("there", "one"), op("new", "one")))
    deleting = threading.Thread(target=run, args=(op("there", "two"), op("new", None)))
    with psycopg.connect(owner_url) as holder:
        act_as_owner(holder, tenant)
        holder.execute("SELECT FROM memories_memory WHERE tenant_id = %s FOR UPDATE", [tenant.id])
        for count, batch in enumerate((creating, deleting), start=1):
            batch.start()
            _wait_until_blocked(owner_url, batch, count=count)
    for batch in (creating, deleting):
        batch.join(15)
    assert statuses == [200, 200]
    left = {key: agent.get(["a"], key).json().get("value") for key in ("there", "new")}
    assert left in (
        {"there": {"by": "two"}, "new": None},
        {"there": {"by": "one"}, "new": {"by": "one"}},
    )


def test_two_first_puts_of_a_key_at_once_make_one_memory(agent: Caller) -> None:
    together = threading.Barrier(4)

    def put(number: int) -> None:
        try:
            together.wait(5)
            answers.append(agent.put(["a"], "k", {"n": number}, index=False).json())
        finally:
            connections.close_all()

    answers: list[dict[str, Any]] = []
    threads = [threading.Thread(target=put, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(15)
    assert len({answer["id"] for answer in answers}) == 1
    assert sorted(answer["version"] for answer in answers) == [1, 2, 3, 4]
    assert [answer["outcome"] for answer in answers].count("created") == 1
