"""Work at the same time: threads that begin together, each with its own connection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from django.db import connections

T = TypeVar("T")


def at_once(works: Sequence[Callable[[], T]]) -> list[T]:
    """The results in order; all begin when the last thread is there."""
    barrier = Barrier(len(works))

    def run(work: Callable[[], T]) -> T:
        barrier.wait()
        try:
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))
