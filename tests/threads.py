"""Work at the same time: threads that begin together, each with its own connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any, TypeVar

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


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """As `asyncio.run`, in a thread of its own: in this one a browser test may have left a loop."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
