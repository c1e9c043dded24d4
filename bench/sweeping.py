"""Sweep rows a second beside a bare DELETE, and searches while a sweep runs."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from bench.filling import Draw, Filled, fill
from bench.hub import running_servers
from bench.sizes import measure_size
from memories.sweeping import sweep_now
from tenants.actors import operator_actor
from tenants.context import acting_as

_EXPIRE = (
    "UPDATE memories_memory SET ttl = interval '1 second', created_at = now() - interval '1 day', "
    "updated_at = now() - interval '1 day', ttl_expires_at = now() - interval '1 minute', "
    "visible_until = now() - interval '1 minute', purge_at = now() WHERE tenant_id = %s"
)


def measure(data: Path, *, quick: bool) -> list[dict[str, Any]]:
    """Rows a second, and a small tenant's search beside it."""
    rows = 10_000 if quick else 100_000
    draw = Draw(13)
    with running_servers(data):
        swept, deleted, reader = fill(data, [rows, rows, 3_000], draw=draw)
        _expire(swept)
        _expire(deleted)
        bare = _timed(lambda: _delete(deleted))
        quiet = measure_size([reader], draw, "vector")
        spent: list[float] = []
        sweep = threading.Thread(target=lambda: spent.append(_timed(lambda: _sweep(swept))))
        sweep.start()
        busy = measure_size([reader], draw, "vector")
        sweep.join()
    return [
        {"what": "bare DELETE", "rows/s": rows / bare},
        {"what": "sweep: hide and purge", "rows/s": rows / spent[0], "ratio": bare / spent[0]},
        {"what": "search, nothing else", "p50": quiet["p50"], "p95": quiet["p95"]},
        {"what": "search while the sweep runs", "p50": busy["p50"], "p95": busy["p95"]},
    ]


def _expire(tenant: Filled) -> None:
    _execute(tenant, _EXPIRE)


def _delete(tenant: Filled) -> None:
    _execute(tenant, "DELETE FROM memories_memory WHERE tenant_id = %s")


def _execute(tenant: Filled, sql: str) -> None:
    actor = operator_actor(tenant.tenant_id)
    with acting_as(actor), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, [tenant.tenant_id])


def _sweep(tenant: Filled) -> None:
    with acting_as(operator_actor(tenant.tenant_id)):
        sweep_now("", trigger="command", dry_run=False)


def _timed(work: Any) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
