"""LangGraph stores on a MemoryHub: `MemoryHubStore` for threads, `AsyncMemoryHubStore` for loops.

In place of `PostgresStore` and `AsyncPostgresStore`, with the same results. The hub embeds, expires
and sweeps, so what those classes do themselves is here and does nothing.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Iterable
from types import TracebackType
from typing import Any, Self, cast

from langgraph.store.base import NOT_PROVIDED, BaseStore, IndexConfig, Op, Result, TTLConfig

from memoryhub_sdk.clients import AsyncMemoryHub, MemoryHub
from memoryhub_sdk.langgraph.batching import Batch
from memoryhub_sdk.langgraph.gathering import Gatherer
from memoryhub_sdk.langgraph.translating import Asked, ask


class _HubStore(BaseStore):
    """What both have in common; both work from many threads and many event loops.

    `index["fields"]` are indexed by puts that do not say what to index; without, the tenant's
    fields are. Its other entries are kept for those who look: the hub embeds. `ttl` gives
    `default_ttl` (minutes, None: never) and `refresh_on_read`; what it leaves out is as the tenant
    has it. Expired items are never returned, whatever `omit_expired` says. Further `options` are
    those of `MemoryHub`: `timeout`, `retries`, `client_options`.
    """

    supports_ttl = True

    def __init__(
        self,
        url: str,
        key: str,
        *,
        index: IndexConfig | None = None,
        ttl: TTLConfig | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self.index_config = cast(IndexConfig, {"fields": None, **(index or {})})
        self.ttl_config = _ttl_config_of(ttl)
        self._hub = MemoryHub(url, key, **options)
        self._async_hub = AsyncMemoryHub(url, key, **options)
        self._gatherer = Gatherer(self._async_hub)

    @classmethod
    def from_conn_string(cls, url: str, key: str, **options: Any) -> Self:
        """A store for a `with` or `async with` block, which closes it."""
        return cls(url, key, **options)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations: reads first, then writes, all or nothing, results by position.

        More than 20,000 operations or 32 MiB are split; then each request is atomic.
        """
        return self._hub.run(Batch(self._ask(ops)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`. Single operations made at the same time share a request."""
        asked = self._ask(ops)
        if len(asked) == 1:
            return [await self._gatherer.run(asked[0])]
        return await self._async_hub.run(Batch(asked))

    def _ask(self, ops: Iterable[Op]) -> list[Asked]:
        fields = self.index_config.get("fields")
        return ask(ops, fields=[fields] if isinstance(fields, str) else fields)

    def close(self) -> None:
        """Close the connections of the blocking methods."""
        self._hub.close()

    async def aclose(self) -> None:
        """Close all connections but those of other event loops, which close with their loops."""
        await self._gatherer.close()
        await self._async_hub.close()
        self._hub.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


class MemoryHubStore(_HubStore):
    """A LangGraph store on a MemoryHub: `get`, `put`, ... and `aget`, `aput`, ...

    ```python
    with MemoryHubStore.from_conn_string("http://localhost:8000", key) as store:
        store.put(("users", "u1"), "lang", {"content": "prefers Python"})
    ```
    """

    def setup(self) -> None:
        """Nothing to set up: the hub has its tables."""

    def start_ttl_sweeper(
        self, sweep_interval_minutes: int | None = None
    ) -> concurrent.futures.Future[None]:
        """Nothing to start: the hub sweeps. A finished future."""
        finished: concurrent.futures.Future[None] = concurrent.futures.Future()
        finished.set_result(None)
        return finished

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """Nothing to stop. True."""
        return True

    def sweep_ttl(self) -> int:
        """Nothing to sweep: what expired is already out of sight. 0."""
        return 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class AsyncMemoryHubStore(_HubStore):
    """As `MemoryHubStore`, where `AsyncPostgresStore` stood: `setup` and the sweeper are awaited.

    Blocking methods work from threads; in a thread that runs an event loop they are refused,
    because they would stop the loop.
    """

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """As `abatch`, for threads without a running loop; else `asyncio.InvalidStateError`."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return super().batch(ops)
        raise asyncio.InvalidStateError(
            "This would block the running event loop; await the method with an a before its name "
            "(`await store.aget(...)` for `store.get(...)`), or call it from another thread."
        )

    async def setup(self) -> None:
        """Nothing to set up: the hub has its tables."""

    async def start_ttl_sweeper(
        self, sweep_interval_minutes: int | None = None
    ) -> asyncio.Future[None]:
        """Nothing to start: the hub sweeps. A finished future."""
        finished = asyncio.get_running_loop().create_future()
        finished.set_result(None)
        return finished

    async def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """Nothing to stop. True."""
        return True

    async def sweep_ttl(self) -> int:
        """Nothing to sweep: what expired is already out of sight. 0."""
        return 0


def _ttl_config_of(ttl: TTLConfig | None) -> TTLConfig:
    """The configuration with what was left out as "not given", which the wire leaves to the tenant.

    BaseStore's methods copy these two entries into the operation when the caller gives nothing.
    """
    as_the_tenant_has_it = {"default_ttl": NOT_PROVIDED, "refresh_on_read": None}
    return cast(TTLConfig, {**as_the_tenant_has_it, "omit_expired": True, **(ttl or {})})
