"""What left-out tests mean, told without SQL: see left_out.py."""

from __future__ import annotations

import time
from collections.abc import Iterator
from uuid import uuid4

import pytest

from memoryhub_sdk.langgraph import MemoryHubStore
from tests.compat.hubs import Hubs
from tests.threads import run_async

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def namespace() -> tuple[str, str]:
    return ("equivalents", uuid4().hex)


@pytest.fixture
def store(hubs: Hubs) -> Iterator[MemoryHubStore]:
    with MemoryHubStore.from_conn_string(**hubs["plain"]) as store:
        yield store


def _put_in_order(store: MemoryHubStore, namespace: tuple[str, str]) -> None:
    """`a` newest, then one that expires, then `b`, then `c`."""
    for key, ttl in (("c", 5), ("b", 5), ("expired", 0.01), ("a", 5)):
        store.put(namespace, key, {"k": key}, ttl=ttl)
    time.sleep(0.7)


def test_an_expired_item_within_a_page_leaves_no_gap(
    store: MemoryHubStore, namespace: tuple[str, str]
) -> None:
    _put_in_order(store, namespace)
    assert [item.key for item in store.search(namespace, limit=2)] == ["a", "b"]
    assert [item.key for item in store.search(namespace, limit=2, offset=2)] == ["c"]


def test_an_expired_item_within_a_page_leaves_no_gap_for_awaiting_callers(
    store: MemoryHubStore, namespace: tuple[str, str]
) -> None:
    _put_in_order(store, namespace)

    async def pages() -> list[list[str]]:
        first = await store.asearch(namespace, limit=2)
        second = await store.asearch(namespace, limit=2, offset=2)
        return [[item.key for item in page] for page in (first, second)]

    assert run_async(pages()) == [["a", "b"], ["c"]]
