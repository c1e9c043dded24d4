"""Single calls of one event loop, gathered into few requests.

An agent that fires a hundred `aget` at once should not pay a hundred round trips. Calls that are
made in one tick go out together; while requests are under way, later calls wait and gather.

What must not happen: that one call spoils another. A cancelled call is dropped if it still waits,
and runs to its end unheard if it does not. A bad call is refused before it gets here. When the hub
refuses a gathered request all the same (a key without the scope, a filter it does not know),
nothing of it was done, and the calls are tried again in halves until the culprit stands alone.

Requests that write go one after another, so that of two puts to one key the later call wins.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from copy import deepcopy
from typing import Any, TypeAlias

from langgraph.store.base import Result

from memoryhub_sdk.clients import AsyncMemoryHub
from memoryhub_sdk.errors import MemoryHubError, Unauthenticated
from memoryhub_sdk.langgraph.batching import Answers
from memoryhub_sdk.langgraph.translating import Asked
from memoryhub_sdk.loops import PerLoop

MAX_UNDER_WAY = 4
MAX_GATHERED = 500  # the hub works through one request in turn, and on several side by side
_Waiting: TypeAlias = tuple["asyncio.Future[Result]", Asked]


class Gatherer:
    """Runs single operations for any number of event loops."""

    def __init__(self, hub: AsyncMemoryHub) -> None:
        self._lanes = PerLoop(make=lambda: _Lane(hub), close=_Lane.close)

    async def run(self, asked: Asked) -> Result:
        """The result of one operation."""
        lane = await self._lanes.get()
        return await lane.submit(asked)

    async def close(self) -> None:
        """Forget the running loop."""
        await self._lanes.close()


class _Lane:
    """The calls of one loop; touched by that loop alone."""

    def __init__(self, hub: AsyncMemoryHub) -> None:
        self._hub = hub
        self._loop = asyncio.get_running_loop()
        self._waiting: list[_Waiting] = []
        self._under_way: set[asyncio.Task[None]] = set()
        self._write_turn = asyncio.Lock()

    def submit(self, asked: Asked) -> asyncio.Future[Result]:
        future: asyncio.Future[Result] = self._loop.create_future()
        self._waiting.append((future, asked))
        if len(self._waiting) == 1:
            self._loop.call_soon(self._set_out)
        return future

    def _set_out(self) -> None:
        """Take what waits on its way, unless enough is; then the next to return comes here."""
        while self._waiting and len(self._under_way) < MAX_UNDER_WAY:
            taken, self._waiting = self._waiting[:MAX_GATHERED], self._waiting[MAX_GATHERED:]
            wanted = [one for one in taken if not one[0].done()]
            if wanted:
                task = self._loop.create_task(self._carry(wanted))
                self._under_way.add(task)
                task.add_done_callback(self._returned)

    def _returned(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if not self._loop.is_closed():
            self._set_out()

    async def _carry(self, calls: list[_Waiting]) -> None:
        try:
            if any(asked.target is not None for _, asked in calls):
                async with self._write_turn:
                    await self._answer(calls)
            else:
                await self._answer(calls)
        except asyncio.CancelledError:  # the loop ends
            for future, _ in calls:
                future.cancel()
            raise

    async def _answer(self, calls: list[_Waiting]) -> None:
        unique, places = _distinct([asked for _, asked in calls])
        try:
            answers = await self._hub.run(Answers(unique))
            _settle(calls, places, answers)
        except Exception as fault:
            if len(calls) > 1 and _may_be_of_one_call(fault):
                middle = len(calls) // 2
                await self._answer(calls[:middle])
                await self._answer(calls[middle:])
                return
            for future, _ in calls:
                if not future.done():
                    future.set_exception(fault)

    async def close(self) -> None:
        """Let what is under way come to its end."""
        while self._waiting or self._under_way:
            self._set_out()
            await asyncio.gather(*self._under_way, return_exceptions=True)


def _may_be_of_one_call(fault: Exception) -> bool:
    """Whether the hub refused what was asked, and would not refuse everything."""
    if not isinstance(fault, MemoryHubError) or isinstance(fault, Unauthenticated):
        return False
    return fault.status is not None and 400 <= fault.status < 500 and fault.status != 429


def _distinct(asked: Sequence[Asked]) -> tuple[list[Asked], list[int]]:
    """Each read once, of the writes to a key the last; and where each call finds its answer."""
    unique: list[Asked] = []
    places: list[int] = []
    known: dict[object, int] = {}
    for one in asked:
        at = known.setdefault(one.content if one.target is None else one.target, len(unique))
        if at == len(unique):
            unique.append(one)
        elif one.target is not None:
            unique[at] = one
        places.append(at)
    return unique, places


def _settle(calls: Sequence[_Waiting], places: Sequence[int], answers: Sequence[Any]) -> None:
    """Give each call a result that is its own to change."""
    used: set[int] = set()
    for (future, asked), at in zip(calls, places, strict=True):
        if future.done():
            continue
        answer = deepcopy(answers[at]) if at in used else answers[at]
        used.add(at)
        future.set_result(asked.result_of(answer))
