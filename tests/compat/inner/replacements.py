"""The plugin under which LangGraph's store tests meet the hub instead of Postgres.

It runs in a pytest of its own, which knows nothing of Django. `MEMORYHUB_COMPAT` tells, as JSON,
where the hubs are (`plain` without embeddings, and one for each metric) and where the endpoint is
that embeds for them. The tests import their constants from `tests.conftest`: this file stands in
for it. Fixtures and helpers that LangGraph defines inside its test modules are replaced as each
module is collected; between two tests all that the tenant holds is deleted.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest
from langchain_core.embeddings import Embeddings

from memoryhub_sdk import Job, MemoryHub
from memoryhub_sdk.langgraph import AsyncMemoryHubStore, MemoryHubStore

DEFAULT_URI = "unused"
VECTOR_TYPES = ["halfvec"]  # the hub stores no other
METRICS = ["l2", "inner_product", "cosine"]
WHERE: dict[str, Any] = json.loads(os.environ["MEMORYHUB_COMPAT"])
LEFT_OUT: dict[str, str] = WHERE["left_out"]
SECONDS = 6  # LangGraph's TTL_SECONDS

sys.modules["tests.conftest"] = sys.modules[__name__]


class EndpointEmbeddings(Embeddings):
    """LangGraph's character embeddings, asked of the endpoint that the hubs ask too.

    Their projections depend on the order in which an instance meets its characters; so there is
    one instance, in the endpoint.
    """

    dims = 500

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        body = {"model": "characters", "input": texts}
        answer = httpx.post(f"{WHERE['embeddings']}/embeddings", json=body, timeout=30)
        return [one["embedding"] for one in answer.raise_for_status().json()["data"]]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EndpointEmbeddings)

    __hash__ = None  # type: ignore[assignment]


CharacterEmbeddings = EndpointEmbeddings  # the tests name it in annotations


def _empty_hub(name: str) -> dict[str, str]:
    """Address and key of a hub whose tenant holds nothing any more."""
    at: dict[str, str] = WHERE["hubs"][name]
    with MemoryHub(**at) as hub:
        for (root,) in hub.store.list_namespaces(max_depth=1, limit=1000):
            deletion = hub.store.delete_namespace((root,))
            if isinstance(deletion, Job):
                hub.jobs.wait(deletion.id, timeout=60, poll_every=0.1)
        assert hub.store.list_namespaces() == []
    return at


def _ttl() -> dict[str, Any]:
    return {"default_ttl": SECONDS / 60, "refresh_on_read": True, "sweep_interval_minutes": 1}


def _index(embeddings: Embeddings, fields: list[str] | None) -> dict[str, Any]:
    return {"dims": embeddings.dims, "embed": embeddings, "fields": fields}


@pytest.fixture
def fake_embeddings() -> EndpointEmbeddings:
    return EndpointEmbeddings()


@pytest.fixture
def store() -> Iterator[MemoryHubStore]:
    with MemoryHubStore.from_conn_string(**_empty_hub("plain"), ttl=_ttl()) as store:
        store.start_ttl_sweeper()
        yield store
        store.stop_ttl_sweeper()


@contextmanager
def create_vector_store(
    vector_type: str,
    distance_type: str,
    fake_embeddings: Embeddings,
    text_fields: list[str] | None = None,
    enable_ttl: bool = True,
) -> Iterator[MemoryHubStore]:
    at, index = _empty_hub(distance_type), _index(fake_embeddings, text_fields)
    ttl = {"default_ttl": 2, "refresh_on_read": True} if enable_ttl else None
    with MemoryHubStore.from_conn_string(**at, index=index, ttl=ttl) as store:
        store.setup()
        yield store


@pytest.fixture(params=METRICS)
def vector_store(
    request: pytest.FixtureRequest, fake_embeddings: Embeddings
) -> Iterator[MemoryHubStore]:
    with create_vector_store("halfvec", request.param, fake_embeddings) as store:
        yield store


def expire_now(store: MemoryHubStore, ns: tuple[str, ...], key: str) -> None:
    """Let it expire: a put with a TTL of 60 ms."""
    store.put(ns, key, {"data": "gone"}, ttl=0.001)
    time.sleep(0.1)


def row_exists(store: MemoryHubStore, ns: tuple[str, ...], key: str) -> bool:
    """Whether the hub still has the row cannot be seen from outside, and need not."""
    return True


def stored_expires_at(store: MemoryHubStore, ns: tuple[str, ...], key: str) -> datetime | None:
    """The effective date, None for what is not seen. Waits: touching works once a second."""
    memory = store._hub.store.get(ns, key, refresh_ttl=False)
    time.sleep(1.1)
    return memory and memory.retention and memory.retention.visible_until


@pytest.fixture(name="store")
async def async_store() -> AsyncIterator[AsyncMemoryHubStore]:
    at = await asyncio.to_thread(_empty_hub, "plain")
    async with AsyncMemoryHubStore.from_conn_string(**at, ttl=_ttl()) as store:
        await store.start_ttl_sweeper()
        yield store
        await store.stop_ttl_sweeper()


@asynccontextmanager
async def create_async_vector_store(
    vector_type: str,
    distance_type: str,
    fake_embeddings: Embeddings,
    text_fields: list[str] | None = None,
) -> AsyncIterator[AsyncMemoryHubStore]:
    at = await asyncio.to_thread(_empty_hub, distance_type)
    index = _index(fake_embeddings, text_fields)
    async with AsyncMemoryHubStore.from_conn_string(**at, index=index) as store:
        await store.setup()
        yield store


@pytest.fixture(name="vector_store", params=METRICS)
async def async_vector_store(
    request: pytest.FixtureRequest, fake_embeddings: Embeddings
) -> AsyncIterator[AsyncMemoryHubStore]:
    async with create_async_vector_store("halfvec", request.param, fake_embeddings) as store:
        yield store


async def aexpire_now(store: AsyncMemoryHubStore, ns: tuple[str, ...], key: str) -> None:
    await asyncio.to_thread(expire_now, store, ns, key)


async def arow_exists(store: AsyncMemoryHubStore, ns: tuple[str, ...], key: str) -> bool:
    return True


async def astored_expires_at(
    store: AsyncMemoryHubStore, ns: tuple[str, ...], key: str
) -> datetime | None:
    return await asyncio.to_thread(stored_expires_at, store, ns, key)


REPLACED: dict[str, dict[str, Any]] = {
    "test_store.py": {
        "store": store,
        "vector_store": vector_store,
        "_create_vector_store": create_vector_store,
        "_expire_now": expire_now,
        "_row_exists": row_exists,
        "_stored_expires_at": stored_expires_at,
    },
    "test_async_store.py": {
        "store": async_store,
        "vector_store": async_vector_store,
        "_create_vector_store": create_async_vector_store,
        "_aexpire_now": aexpire_now,
        "_arow_exists": arow_exists,
        "_astored_expires_at": astored_expires_at,
    },
}


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module:
    module = pytest.Module.from_parent(parent, path=module_path)
    _replace_in(module.obj, REPLACED[module_path.name])
    return module


def _replace_in(module: ModuleType, replaced: dict[str, Any]) -> None:
    for name, replacement in replaced.items():
        if not hasattr(module, name):
            raise pytest.UsageError(f"{module.__name__} has no {name} to replace")
        setattr(module, name, replacement)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the list names; a name without a test is a mistake in the list."""
    named = {item: f"{item.path.name}::{getattr(item, 'originalname', '')}" for item in items}
    stale = LEFT_OUT.keys() - set(named.values())
    if stale:
        raise pytest.UsageError(f"left out, but not there: {sorted(stale)}")
    config.hook.pytest_deselected(items=[item for item in items if named[item] in LEFT_OUT])
    items[:] = [item for item in items if named[item] not in LEFT_OUT]
