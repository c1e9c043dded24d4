"""Which plan a vector search takes, from how many memories its scope holds.

Exact is right by construction and costs by the scope: about 1 ms for 400 vectors, 6 ms for 2,700.
Beyond a few thousand the graph is faster, and enough of what it meets belongs to the tenant for
its recall to hold (docs/benchmarks.md). Counts are kept for some seconds, those of small scopes
for two: late by that much, never wrong.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from uuid import UUID

from memories.statements.candidates import Plan, Population, measure_population
from tenants.context import current_tenant_id

EXACT_MOST = 5_000
"""Memories of a scope up to which all similarities are computed."""

SMALL = 1_000
KEPT_SECONDS, KEPT_SECONDS_SMALL = 15.0, 2.0
KEPT_SCOPES = 10_000

REMEMBERED_SECONDS = 600.0
AT_ONCE_MOST = 1_000
"""A scope that held at most so many memories so long ago is searched at once, which counts it anew.
By vector that one statement costs the database 0.95 ms for 400 memories where the steps cost 1.5,
and 4.9 for 3,000 where they cost 3.1: it goes by ids, for its plan must fit all. They meet near
1,200. By words too: 2.0 ms where the steps cost 4.1 (160 turns), and 8.0 for 8.7 (1,000 memories,
all of them hit)."""

_Key = tuple[UUID, tuple[str, ...]]
_kept: OrderedDict[_Key, tuple[float, Population]] = OrderedDict()
_lock = threading.Lock()


def population_of(prefixes: tuple[str, ...]) -> Population:
    """How much lies below the prefixes, counted up to one more than EXACT_MOST."""
    key = (current_tenant_id(), prefixes)
    kept = _kept.get(key)
    if kept is not None and kept[0] > time.monotonic():
        return kept[1]
    found = measure_population(prefixes, most=EXACT_MOST + 1)
    keep_population(prefixes, found)
    return found


def keep_population(prefixes: tuple[str, ...], found: Population) -> None:
    """What lies below the prefixes, as just counted."""
    key = (current_tenant_id(), prefixes)
    seconds = KEPT_SECONDS if found.size > SMALL else KEPT_SECONDS_SMALL
    with _lock:
        _kept[key] = (time.monotonic() + seconds, found)
        _kept.move_to_end(key)
        while len(_kept) > KEPT_SCOPES:
            _kept.popitem(last=False)


def is_known_small(prefixes: tuple[str, ...]) -> bool:
    """Whether so little lay below the prefixes lately that one exact statement will do."""
    kept = _kept.get((current_tenant_id(), prefixes))
    if kept is None or kept[1].size > min(AT_ONCE_MOST, EXACT_MOST):
        return False
    return kept[0] > time.monotonic() - REMEMBERED_SECONDS


def plan_for(population: Population) -> Plan:
    """Exact up to EXACT_MOST, above it ann."""
    return "exact" if population.size <= EXACT_MOST else "ann"


def forget_populations() -> None:
    """Count anew (tests)."""
    with _lock:
        _kept.clear()
