"""Recall at 10 and time by size of tenant, among 200,000 vectors of many tenants, beside exact.

The search is the whole use case in process (transaction, candidates, ranking, page, event), with
the query's vector at hand; beside it one exact statement over the tenant's vectors, written by
hand, in a transaction too. Of hybrid search there is no such statement.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from django.db import connection, transaction

from bench.filling import PROFILE, Draw, Filled, fill
from bench.hub import running_servers
from memories.embedding.profiles import LOCAL
from memories.ops import SearchOp
from memories.searching import Question, answer_alone
from tenants.actors import operator_actor
from tenants.context import acting_as, relaxed_commit

SHARES = {30_000: 0.6, 3_000: 0.3, 100: 0.1}
QUERIES, WARMING = 200, 50
"""Of each size and mode; the first ones make connections, plans and caches, and are not counted."""
MOST_TENANTS = 10
WANTED = 10

_BY_HAND = (
    "SELECT m.id, m.value FROM memories_memoryvector v JOIN memories_memory m "
    "ON m.tenant_id = v.tenant_id AND m.id = v.memory_id WHERE v.tenant_id = %s AND v.profile = %s "
    "AND m.trashed_at IS NULL AND (m.visible_until IS NULL OR m.visible_until > now()) "
    "ORDER BY -(v.embedding::halfvec(384) <#> %s::halfvec(384)) DESC LIMIT %s"
)


def sizes_of(total: int) -> list[int]:
    """The sizes of the tenants that make up so many vectors."""
    return [
        size
        for size, share in SHARES.items()
        for _ in range(max(1, round(total * share / size)))
    ]  # fmt: skip


def measure(data: Path, *, quick: bool) -> list[dict[str, Any]]:
    """A row for each size of tenant and mode."""
    total = 40_000 if quick else 200_000
    draw = Draw(7)
    with running_servers(data):
        filled = fill(data, sizes_of(total), draw=draw)
        rows = []
        for size in SHARES:
            of_size = [one for one in filled if len(one.ids) == size]
            rows += [measure_size(of_size, draw, mode) for mode in ("vector", "hybrid")]
        return [{"vectors": total, **row} for row in rows]


def measure_size(tenants: list[Filled], draw: Draw, mode: str) -> dict[str, Any]:
    times: list[float] = []
    by_hand: list[float] = []
    recalls: list[float] = []
    plan = None
    for number, query in enumerate(draw.around(WARMING + QUERIES)):
        tenant = tenants[number % min(len(tenants), MOST_TENANTS)]
        text = "[" + ",".join(f"{x:.6g}" for x in query.tolist()) + "]"
        op = SearchOp(namespace_prefix=[], query="garden coffee kernel", mode=mode, recency=0)
        with acting_as(operator_actor(tenant.tenant_id)):
            seconds, found = _timed(partial(answer_alone, Question(op, LOCAL, text, None)))
            hand_seconds = _timed(partial(_run_by_hand, tenant, text))[0] if mode == "vector" else 0
        plan = found.plan
        if number >= WARMING:
            times.append(seconds)
            by_hand.append(hand_seconds)
        best = np.argsort(-(tenant.vectors @ query), kind="stable")[:WANTED]
        wanted = {tenant.ids[index] for index in best}
        recalls.append(len(wanted & {hit.row.id for hit in found.hits}) / len(wanted))
    p95, hand = _at(times, 0.95), _at(by_hand, 0.95)
    answer: dict[str, Any] = {
        "tenant size": len(tenants[0].ids), "mode": mode, "plan": plan,
        "p50": _at(times, 0.5), "p95": p95,
    }  # fmt: skip
    if mode == "vector":
        answer |= {"by hand p95": hand, "times by hand": p95 / hand}
        answer["recall at 10"] = float(np.mean(recalls))
    return answer


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    answer = work()
    return time.perf_counter() - start, answer


def _run_by_hand(tenant: Filled, vector: str) -> list[Any]:
    with relaxed_commit(), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_BY_HAND, [tenant.tenant_id, PROFILE, vector, WANTED])
        return list(cursor.fetchall())


def _at(seconds: list[float], share: float) -> float:
    ordered = sorted(seconds)
    return 1000 * ordered[min(len(ordered) - 1, int(len(ordered) * share))]
