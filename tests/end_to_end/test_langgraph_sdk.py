"""The official `langgraph_sdk` client, pointed at the hub as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from langgraph_sdk import get_client, get_sync_client
from langgraph_sdk.errors import AuthenticationError, NotFoundError

from tenants.models import Tenant
from tests.threads import run_async


@pytest.fixture
def key(tenant: Tenant, make_key: Callable[[Tenant], str]) -> str:
    return make_key(tenant)


@pytest.mark.parametrize("header", ["X-Api-Key", "Authorization"])
def test_the_sync_client_puts_gets_searches_lists_and_deletes(
    address: str, key: str, header: str
) -> None:
    url = f"{address}/api/v1"
    if header == "X-Api-Key":
        store = get_sync_client(url=url, api_key=key).store
    else:
        store = get_sync_client(url=url, headers={"Authorization": f"Bearer {key}"}).store
    store.put_item(["users", "u1"], key="food", value={"text": "likes noodles"}, ttl=60)
    store.put_item(["users", "u2"], key="city", value={"text": "lives in Chengdu"}, index=False)
    item = store.get_item(["users", "u1"], key="food")
    assert item["value"] == {"text": "likes noodles"}
    assert item["namespace"] == ["users", "u1"]
    assert item["created_at"]
    found = store.search_items(["users"], query="what does the user eat?", limit=5)
    assert found["items"][0]["key"] == "food"
    assert found["items"][0]["score"] > 0
    filtered = store.search_items(["users"], filter={"text": "lives in Chengdu"}, offset=0)
    assert [one["key"] for one in filtered["items"]] == ["city"]
    listed = store.list_namespaces(prefix=["users"], max_depth=2)
    assert listed["namespaces"] == [["users", "u1"], ["users", "u2"]]
    store.delete_item(["users", "u1"], key="food")
    with pytest.raises(NotFoundError):
        store.get_item(["users", "u1"], key="food")
    assert store.list_namespaces(suffix=["u1"])["namespaces"] == []


def test_the_async_client_does_the_same(address: str, key: str) -> None:
    async def use() -> None:
        store = get_client(url=f"{address}/api/v1", api_key=key).store
        await asyncio.gather(
            *(
                store.put_item(["n", str(number)], key="k", value={"n": number}, index=False)
                for number in range(8)
            )
        )
        got = await asyncio.gather(
            *(store.get_item(["n", str(number)], key="k", refresh_ttl=True) for number in range(8))
        )
        assert [item["value"]["n"] for item in got] == list(range(8))
        found = await store.search_items(["n"], limit=3, filter={"n": {"$gte": 5}})
        assert sorted(item["value"]["n"] for item in found["items"]) == [5, 6, 7]
        assert len((await store.list_namespaces())["namespaces"]) == 8
        await store.delete_item(["n", "0"], key="k")
        with pytest.raises(NotFoundError):
            await store.get_item(["n", "0"], key="k")

    run_async(use())


def test_a_wrong_key_is_an_authentication_error(address: str) -> None:
    store = get_sync_client(url=f"{address}/api/v1", api_key="mh_nonsense").store
    with pytest.raises(AuthenticationError):
        store.get_item(["a"], key="k")
