"""A small tenant's search while the others grow: its cost must not follow theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.filling import Draw, Filled, fill
from bench.hub import running_servers
from bench.sizes import measure_size

SMALL, SMALL_TENANTS, LARGE = 1_000, 5, 30_000


def measure(data: Path, *, quick: bool) -> list[dict[str, Any]]:
    """A row for each number of rows in all, by mode; the same small tenants throughout."""
    totals = (10_000, 40_000) if quick else (10_000, 100_000, 1_000_000)
    draw = Draw(11)
    rows: list[dict[str, Any]] = []
    with running_servers(data):
        small: list[Filled] = fill(data, [SMALL] * SMALL_TENANTS, draw=draw)
        held = SMALL * SMALL_TENANTS
        for total in totals:
            more = max(0, total - held)
            sizes = [LARGE] * (more // LARGE) + ([more % LARGE] if more % LARGE else [])
            fill(data, sizes, draw=draw)
            held += more
            for mode in ("vector", "hybrid"):
                row = {"rows": held, **measure_size(small, draw, mode)}
                first = next((one["p95"] for one in rows if one["mode"] == mode), row["p95"])
                rows.append(row | {"times the first p95": row["p95"] / first})
    return rows
