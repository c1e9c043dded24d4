"""Sweep rows a second against a bare DELETE, and a small tenant's searches while a sweep runs.

The sweep is a process of its own that gives way to requests, as a worker does; what it did and how
long it took stands in its run. It is measured twice: with nothing beside it, as the DELETE is, and
while searches are timed in this process, three times without and three times with a sweep.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from bench.filling import Draw, Filled, fill
from bench.hub import ROOT, running_servers
from bench.sizes import _at, _timed
from memories.embedding.profiles import LOCAL
from memories.models import SweepRun
from memories.ops import SearchOp
from memories.searching import Question, answer_alone
from tenants.actors import operator_actor
from tenants.context import acting_as, relaxed_commit
from tenants.models import Tenant

ROUNDS = 3
IDLE_QUERIES = 150

_EXPIRE = (
    "UPDATE memories_memory SET ttl = interval '1 minute', "
    "created_at = now() - interval '9 minutes', updated_at = now() - interval '9 minutes', "
    "ttl_expires_at = now() - interval '8 minutes', "
    "visible_until = now() - interval '8 minutes', purge_at = now() - interval '7 minutes' "
    "WHERE tenant_id = %s AND id = ANY(%s)"
)
"""As after a TTL of a minute: a minute of life, a minute in the trash, due for seven."""


def measure(data: Path, *, quick: bool) -> list[dict[str, Any]]:
    """Rows a second, and a small tenant's search beside it."""
    rows = 20_000 if quick else 100_000
    draw = Draw(13)
    with running_servers(data):
        alone, swept, deleted, reader = fill(data, [rows, rows, rows, 3_000], draw=draw)
        _expire(deleted, deleted.ids)
        bare = _seconds(lambda: _delete(deleted))
        _expire(alone, alone.ids)
        _, undisturbed = _sweep(alone, _pause)
        idle = [_search(reader, draw, IDLE_QUERIES) for _ in range(ROUNDS)]
        busy, spent = [], 0.0
        for number in range(ROUNDS):
            _expire(swept, swept.ids[number::ROUNDS])
            times, seconds = _sweep(swept, lambda: _search(reader, draw, 10))
            busy.append(times)
            spent += seconds
    quiet, loud = (statistics.median(_at(one, 0.95) for one in each) for each in (idle, busy))
    return [
        {"what": f"bare DELETE, {rows} rows", "rows/s": rows / bare},
        {"what": "sweep, nothing else", "rows/s": rows / undisturbed, "ratio": bare / undisturbed},
        {"what": "sweep beside searches", "rows/s": rows / spent, "ratio": bare / spent},
        {"what": "search, nothing else", "p50": _median(idle), "p95": quiet},
        {"what": "search while a sweep runs", "p50": _median(busy), "p95": loud,
         "ratio": loud / quiet},
    ]  # fmt: skip


def _sweep(swept: Filled, beside: Callable[[], list[float]]) -> tuple[list[float], float]:
    """Seconds of each search done beside it, and of the sweep by its own run."""
    slug = Tenant.objects.get(id=swept.tenant_id).slug
    command = [sys.executable, "manage.py", "sweep", "--tenant", slug, "--gently", "--json"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    while not _is_sweeping(swept) and process.poll() is None:
        time.sleep(0.01)
    times: list[float] = []
    while process.poll() is None and _is_sweeping(swept):
        times += beside()
    if process.wait() != 0:
        raise RuntimeError("the sweep failed")
    with acting_as(operator_actor(swept.tenant_id)), transaction.atomic():
        run: SweepRun = SweepRun.objects.all().newest_first()[0]
    assert run.finished_at is not None
    return times, (run.finished_at - run.started_at).total_seconds()


def _pause() -> list[float]:
    time.sleep(0.2)
    return []


def _is_sweeping(swept: Filled) -> bool:
    with acting_as(operator_actor(swept.tenant_id)), transaction.atomic():
        return bool(SweepRun.objects.filter(state="running").exists())


def _search(reader: Filled, draw: Draw, count: int) -> list[float]:
    op = SearchOp(namespace_prefix=[], query="garden coffee kernel", mode="vector", recency=0)
    times = []
    for query in draw.around(count):
        text = "[" + ",".join(f"{x:.6g}" for x in query.tolist()) + "]"
        with acting_as(operator_actor(reader.tenant_id)), relaxed_commit():
            seconds, _ = _timed(lambda text=text: answer_alone(Question(op, LOCAL, text, None)))  # type: ignore[misc]
        times.append(seconds)
    return times


def _median(rounds: list[list[float]]) -> float:
    return statistics.median(_at(one, 0.5) for one in rounds)


def _expire(tenant: Filled, ids: list[Any]) -> None:
    _execute(tenant, _EXPIRE, [tenant.tenant_id, ids])


def _delete(tenant: Filled) -> None:
    _execute(tenant, "DELETE FROM memories_memory WHERE tenant_id = %s", [tenant.tenant_id])


def _execute(tenant: Filled, sql: str, params: list[Any]) -> None:
    actor = operator_actor(tenant.tenant_id)
    with acting_as(actor), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, params)


def _seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
