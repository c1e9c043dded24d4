"""One thing for each running event loop, closed when its loop ends.

Connections belong to the loop that opened them; used from another they fail or hang. So whatever
holds connections is kept per loop. Nobody tells a library that a loop ends, except through its
asynchronous generators, which `asyncio.run` closes last: a generator that waits at its `yield` is
the hook on which the closing hangs. The same generator, when its owner is forgotten, is closed by
the loop in passing.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class PerLoop(Generic[T]):
    """Makes one `T` for each loop that asks, at its first asking."""

    def __init__(self, make: Callable[[], T], close: Callable[[T], Awaitable[None]]) -> None:
        self._make = make
        self._close = close
        self._lock = threading.Lock()
        self._kept: dict[asyncio.AbstractEventLoop, tuple[T, AsyncGenerator[None, None]]] = {}

    async def get(self) -> T:
        """The one of the running loop."""
        loop = asyncio.get_running_loop()
        with self._lock:
            kept = self._kept.get(loop)
        if kept is not None:
            return kept[0]
        thing = self._make()
        hook = self._closing(thing, loop)
        with self._lock:
            for ended in [one for one in self._kept if one.is_closed()]:
                del self._kept[ended]
            self._kept[loop] = (thing, hook)
        await anext(hook)
        return thing

    async def close(self) -> None:
        """Close the one of the running loop; those of other loops end with their loops."""
        with self._lock:
            kept = self._kept.get(asyncio.get_running_loop())
        if kept is not None:
            await kept[1].aclose()

    async def _closing(
        self, thing: T, loop: asyncio.AbstractEventLoop
    ) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            with self._lock:
                self._kept.pop(loop, None)
            await self._close(thing)
