"""`MemoryHub` and `AsyncMemoryHub`: the flows of `calling.py` walked over httpx.

Both may be shared: `MemoryHub` by threads, `AsyncMemoryHub` also by event loops (`loops.py`).
"""

from __future__ import annotations

import asyncio
import platform
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

import httpx

from memoryhub_sdk.calling import API, Operation, Reply, Retries, Send, Sleep
from memoryhub_sdk.errors import TimedOut, Unreachable
from memoryhub_sdk.loops import PerLoop
from memoryhub_sdk.methods import (
    Awaiting,
    Blocking,
    HubMethods,
    JobMethods,
    MemoryMethods,
    SessionMethods,
    StoreMethods,
)
from memoryhub_sdk.models import Page
from memoryhub_sdk.version import __version__

P = ParamSpec("P")
T = TypeVar("T")

DEFAULT_TIMEOUT = 120.0
CONNECT_TIMEOUT = 5.0
_AGENT = f"memoryhub-sdk/{__version__} python/{platform.python_version()}"


class MemoryHub(HubMethods, Blocking):
    """A client that blocks; threads may share it.

    `url` is the hub's address, `key` an API key. `timeout` is in seconds, `retries` says how often
    to try again, `client_options` go to `httpx.Client` (`verify`, `proxy`, `limits`, ...).
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        retries: Retries | None = None,
        client_options: Mapping[str, Any] | None = None,
    ) -> None:
        options = _options_for(url, key, timeout=timeout, given=client_options)
        self._http = httpx.Client(**options)
        self._retries = retries or Retries()
        self.store = Store(self)
        self.memories = Memories(self)
        self.sessions = Sessions(self)
        self.jobs = Jobs(self)

    def run(self, operation: Operation[T], /) -> T:
        """Walk an operation to its result."""
        flow = operation.flow(self._retries)
        advance: Callable[[], Send | Sleep] = partial(next, flow)
        try:
            while True:
                step = advance()
                if isinstance(step, Sleep):
                    time.sleep(step.seconds)
                    advance = partial(next, flow)
                    continue
                try:
                    reply = self._send(step)
                except Unreachable as fault:
                    advance = partial(flow.throw, fault)
                else:
                    advance = partial(flow.send, reply)
        except StopIteration as end:
            result: T = end.value
            return result

    def _send(self, step: Send) -> Reply:
        with _as_unreachable(step):
            return _reply_of(self._http.request(**_arguments_of(step, self._http.timeout)))

    def iterate(
        self, method: Callable[P, Page[T]], *args: P.args, **kwargs: P.kwargs
    ) -> Iterator[T]:
        """Every item of a list, page after page: `hub.iterate(hub.memories.events, memory_id)`."""
        while True:
            page = method(*args, **kwargs)
            yield from page.items
            if page.next is None:
                return
            kwargs["cursor"] = page.next

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class AsyncMemoryHub(HubMethods, Awaiting):
    """A client that awaits; tasks, threads and event loops may share it.

    Parameters as for `MemoryHub`; `client_options` go to `httpx.AsyncClient`.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        retries: Retries | None = None,
        client_options: Mapping[str, Any] | None = None,
    ) -> None:
        options = _options_for(url, key, timeout=timeout, given=client_options)
        self._http = PerLoop(
            make=lambda: httpx.AsyncClient(**options), close=httpx.AsyncClient.aclose
        )
        self._retries = retries or Retries()
        self.store = AsyncStore(self)
        self.memories = AsyncMemories(self)
        self.sessions = AsyncSessions(self)
        self.jobs = AsyncJobs(self)

    async def run(self, operation: Operation[T], /) -> T:
        """Walk an operation to its result."""
        flow = operation.flow(self._retries)
        advance: Callable[[], Send | Sleep] = partial(next, flow)
        try:
            while True:
                step = advance()
                if isinstance(step, Sleep):
                    await asyncio.sleep(step.seconds)
                    advance = partial(next, flow)
                    continue
                try:
                    reply = await self._send(step)
                except Unreachable as fault:
                    advance = partial(flow.throw, fault)
                else:
                    advance = partial(flow.send, reply)
        except StopIteration as end:
            result: T = end.value
            return result

    async def _send(self, step: Send) -> Reply:
        http = await self._http.get()
        with _as_unreachable(step):
            return _reply_of(await http.request(**_arguments_of(step, http.timeout)))

    async def iterate(
        self, method: Callable[P, Awaitable[Page[T]]], *args: P.args, **kwargs: P.kwargs
    ) -> AsyncIterator[T]:
        """Every item of a list, page after page."""
        while True:
            page = await method(*args, **kwargs)
            for item in page.items:
                yield item
            if page.next is None:
                return
            kwargs["cursor"] = page.next

    async def close(self) -> None:
        """Close the connections of this loop; those of other loops are closed with their loops."""
        await self._http.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


class _Part(Blocking):
    def __init__(self, hub: MemoryHub) -> None:
        self._hub = hub

    def run(self, operation: Operation[T], /) -> T:
        return self._hub.run(operation)


class _AsyncPart(Awaiting):
    def __init__(self, hub: AsyncMemoryHub) -> None:
        self._hub = hub

    async def run(self, operation: Operation[T], /) -> T:
        return await self._hub.run(operation)


class Store(StoreMethods, _Part):
    """`hub.store`"""


class Memories(MemoryMethods, _Part):
    """`hub.memories`"""


class Sessions(SessionMethods, _Part):
    """`hub.sessions`"""


class Jobs(JobMethods, _Part):
    """`hub.jobs`"""


class AsyncStore(StoreMethods, _AsyncPart):
    """`hub.store`"""


class AsyncMemories(MemoryMethods, _AsyncPart):
    """`hub.memories`"""


class AsyncSessions(SessionMethods, _AsyncPart):
    """`hub.sessions`"""


class AsyncJobs(JobMethods, _AsyncPart):
    """`hub.jobs`"""


def _options_for(
    url: str, key: str, *, timeout: float, given: Mapping[str, Any] | None
) -> dict[str, Any]:
    base = url.rstrip("/").removesuffix(API)
    if not base.startswith(("http://", "https://")):
        raise ValueError(f"The hub's address must begin with http:// or https://, not {url!r}")
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise ValueError("An API key is printable ASCII without spaces")
    headers = {"authorization": f"Bearer {key}", "user-agent": _AGENT, "accept": "application/json"}
    options = dict(given or {})
    headers.update(options.pop("headers", {}))
    return {
        "base_url": base,
        "headers": headers,
        "timeout": httpx.Timeout(timeout, connect=min(timeout, CONNECT_TIMEOUT)),
        **options,
    }


def _arguments_of(step: Send, timeout: httpx.Timeout) -> dict[str, Any]:
    seconds = timeout.as_dict()
    if step.patience and seconds["read"] is not None:
        seconds["read"] += step.patience
    return {
        "method": step.method,
        "url": step.path,
        "params": dict(step.params) or None,
        "headers": dict(step.headers),
        "content": step.content,
        "timeout": httpx.Timeout(**seconds),
    }


def _reply_of(response: httpx.Response) -> Reply:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Reply(response.status_code, headers, response.content)


@contextmanager
def _as_unreachable(step: Send) -> Iterator[None]:
    """Whatever httpx says about a lost answer, in our words. A slow connect counts as none."""
    try:
        yield
    except httpx.ConnectTimeout as fault:
        raise Unreachable(f"{step.method} {step.path}: {fault}", code="unreachable") from fault
    except httpx.TimeoutException as fault:
        raise TimedOut(f"{step.method} {step.path}: no answer in time", code="timed_out") from fault
    except httpx.TransportError as fault:
        raise Unreachable(f"{step.method} {step.path}: {fault}", code="unreachable") from fault
