"""`MemoryHubStore`: what LangGraph expects of a store, over the wire."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fake_hub import KEY, FakeHub, Problem
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)

from memoryhub_sdk.langgraph import MemoryHubStore

BATCH = ("POST", "/api/v1/store/batch")


def _ops(fake: FakeHub) -> list[dict[str, Any]]:
    return [op for request in fake.of(*BATCH) for op in request.body["ops"]]


def test_it_is_a_store_with_ttl(store: MemoryHubStore) -> None:
    assert isinstance(store, BaseStore)
    assert store.supports_ttl
    assert store.ttl_config["omit_expired"] is True
    assert store.setup() is None


def test_an_item_goes_round(store: MemoryHubStore) -> None:
    store.put(("users", "u1"), "lang", {"content": "Python"})
    item = store.get(("users", "u1"), "lang")
    assert (item.namespace, item.key) == (("users", "u1"), "lang")
    assert item.created_at.tzinfo is not None
    assert [one.score for one in store.search(("users",))] == [None]
    assert store.list_namespaces(suffix=("u1",)) == [("users", "u1")]
    store.delete(("users", "u1"), "lang")
    assert store.get(("users", "u1"), "lang") is None


def test_keys_become_strings_on_every_path(store: MemoryHubStore, fake: FakeHub) -> None:
    store.put(("a",), 7, {})
    store.get(("a",), 7)
    store.delete(("a",), 7)
    store.batch([PutOp(("a",), 7, {}), GetOp(("a",), 7), PutOp(("a",), 8, None)])
    assert {op["key"] for op in _ops(fake)} == {"7", "8"}


def test_reads_run_before_writes_and_writes_give_none(store: MemoryHubStore) -> None:
    store.put(("a",), "k", {"n": 1})
    assert store.batch([]) == []
    got, put = store.batch([GetOp(("a",), "k"), PutOp(("a",), "k", {"n": 2})])
    assert (got.value, put) == ({"n": 1}, None)


def test_a_query_asks_for_the_bare_metric(store: MemoryHubStore, fake: FakeHub) -> None:
    store.search(("a",), query="lang", filter={"n": {"$gt": 9}}, limit=3, offset=2)
    store.search((), query="")
    with_query, without = _ops(fake)
    assert with_query == {
        "op": "search",
        "namespace_prefix": ["a"],
        "query": "lang",
        "filter": {"n": {"$gt": 9}},
        "limit": 3,
        "offset": 2,
        "refresh_ttl": None,
        "mode": "vector",
        "recency": 0,
    }
    assert not {"query", "mode", "recency"} & without.keys()


def test_absent_ttl_is_the_tenants_null_is_never(store: MemoryHubStore, fake: FakeHub) -> None:
    store.put(("a",), "k", {})
    store.put(("a",), "k", {}, ttl=None)
    store.put(("a",), "k", {}, ttl=0.5)
    store.batch([PutOp(("a",), "k", {})])
    absent, never, half, raw = _ops(fake)
    assert "ttl" not in absent
    assert (never["ttl"], half["ttl"], raw["ttl"]) == (None, 0.5, None)


def test_refreshing_is_as_the_tenant_has_it_unless_told(
    store: MemoryHubStore, fake: FakeHub
) -> None:
    store.get(("a",), "k")
    store.get(("a",), "k", refresh_ttl=False)
    store.search(("a",), refresh_ttl=True)
    assert [op["refresh_ttl"] for op in _ops(fake)] == [None, False, True]


def test_a_ttl_config_of_ones_own_is_sent(fake: FakeHub) -> None:
    ttl = {"default_ttl": 10, "refresh_on_read": False}
    with MemoryHubStore.from_conn_string(fake.url, KEY, ttl=ttl) as store:
        store.put(("a",), "k", {})
        store.get(("a",), "k")
        put, got = _ops(fake)
        assert (put["ttl"], got["refresh_ttl"]) == (10, False)


def test_index_fields_hold_for_puts_that_do_not_say(fake: FakeHub) -> None:
    index = {"dims": 384, "embed": "the hub's own", "fields": ["text", "meta.title"]}
    with MemoryHubStore.from_conn_string(fake.url, KEY, index=index) as store:
        assert store.index_config["dims"] == 384
        store.put(("a",), "k", {})
        store.put(("a",), "k", {}, index=False)
        store.put(("a",), "k", {}, index=["other"])
    assert [op["index"] for op in _ops(fake)] == [["text", "meta.title"], False, ["other"]]


def test_without_index_fields_the_tenants_hold(store: MemoryHubStore, fake: FakeHub) -> None:
    assert store.index_config is not None
    store.put(("a",), "k", {})
    assert "index" not in _ops(fake)[0]


BAD = [("a.b",), ("a", ""), ("a", 1), ("a\0",), "users"]


@pytest.mark.parametrize("namespace", BAD)
def test_raw_operations_get_the_same_label_check(
    store: MemoryHubStore, fake: FakeHub, namespace: Any
) -> None:
    bad = [
        GetOp(namespace, "k"),
        PutOp(namespace, "k", {}),
        PutOp(namespace, "k", None),
        SearchOp(namespace),
    ]
    if namespace != "users":
        bad += [
            ListNamespacesOp((MatchCondition(kind, namespace),)) for kind in ("prefix", "suffix")
        ]
    for op in bad:
        with pytest.raises(InvalidNamespaceError):
            store.batch([PutOp(("fine",), "k", {}), op])
    assert fake.requests == []


def test_the_empty_namespace_and_langgraphs_own(store: MemoryHubStore, fake: FakeHub) -> None:
    for refused in (lambda: store.put((), "k", {}), lambda: store.batch([PutOp((), "k", {})])):
        with pytest.raises(InvalidNamespaceError):
            refused()
    with pytest.raises(InvalidNamespaceError):
        store.put(("langgraph", "x"), "k", {})
    assert fake.requests == []
    assert store.get((), "k") is None
    store.delete((), "k")
    assert store.search(()) == []
    store.batch([PutOp(("langgraph", "x"), "k", {"n": 1})])
    assert store.get(("langgraph", "x"), "k").value == {"n": 1}


@pytest.mark.parametrize(
    "label", ["%", "_", "\\", "*", "/", ":", "a b", "x\n", "\U0001f600", "名字"]
)
def test_every_other_label_is_itself(store: MemoryHubStore, label: str) -> None:
    store.put([label], "k", {"n": 1})
    store.put([label + "x"], "k", {"n": 2})
    assert store.get((label,), "k").namespace == (label,)
    assert [item.namespace for item in store.search([label])] == [(label,)]


@pytest.mark.parametrize("value", [{"a": {1, 2}}, {"a": float("nan")}, {1: 2}, {"a": "\ud800"}])
def test_what_json_cannot_hold_is_a_value_error_with_its_path(
    store: MemoryHubStore, fake: FakeHub, value: Any
) -> None:
    with pytest.raises(ValueError, match=r"value\."):
        store.put(("a",), "k", value)
    with pytest.raises(ValueError, match=r"ops\[1\]\.value\."):
        store.batch([GetOp(("a",), "k"), PutOp(("a",), "k", value)])
    assert fake.requests == []


def test_a_value_that_is_no_mapping_is_refused(store: MemoryHubStore) -> None:
    with pytest.raises(ValueError, match="mapping"):
        store.put(("a",), "k", ["no", "mapping"])


def test_an_unknown_operation_or_match_type_raises(store: MemoryHubStore) -> None:
    with pytest.raises(ValueError, match="operation"):
        store.batch([("get", ("a",), "k")])
    with pytest.raises(ValueError, match="match type"):
        store.batch([ListNamespacesOp((MatchCondition("infix", ("a",)),))])


def test_what_the_hub_refuses_is_a_value_error(store: MemoryHubStore) -> None:
    with pytest.raises(ValueError, match="unknown_operator"):
        store.search(("a",), filter={"$bad": 1})


@pytest.mark.parametrize(
    ("conditions", "sent"),
    [
        ([], {}),
        ([("prefix", ())], {}),
        ([("prefix", ("a", "*"))], {"prefix": ["a", "*"]}),
        ([("prefix", ("a", "*")), ("prefix", ("*", "b", "c"))], {"prefix": ["a", "b", "c"]}),
        ([("suffix", ("*", "z")), ("suffix", ("x", "y", "*"))], {"suffix": ["x", "y", "z"]}),
        ([("suffix", "public")], {"suffix": ["public"]}),
        ([("prefix", ["a"]), ("suffix", ["z"])], {"prefix": ["a"], "suffix": ["z"]}),
    ],
)
def test_match_conditions_are_all_meant(
    store: MemoryHubStore, fake: FakeHub, conditions: Any, sent: dict[str, Any]
) -> None:
    matches = tuple(MatchCondition(*condition) for condition in conditions)
    store.batch([ListNamespacesOp(matches)])
    body = _ops(fake)[0]
    assert {name: body[name] for name in body.keys() & {"prefix", "suffix"}} == sent


def test_conditions_that_contradict_match_nothing(store: MemoryHubStore, fake: FakeHub) -> None:
    prefixes = tuple(MatchCondition("prefix", (label,)) for label in "ab")
    store.put(("a",), "k", {})
    assert store.batch([ListNamespacesOp(prefixes), GetOp(("a",), "x")]) == [[], None]
    assert store.batch([ListNamespacesOp(prefixes)]) == [[]]


def test_the_sweeper_is_the_hubs(store: MemoryHubStore) -> None:
    assert store.start_ttl_sweeper().result(timeout=0) is None
    assert store.stop_ttl_sweeper(timeout=1) is True
    assert store.sweep_ttl() == 0


def test_many_threads_share_a_store(store: MemoryHubStore) -> None:
    def work(n: int) -> Any:
        store.put(("t", str(n % 5)), f"k{n}", {"n": n})
        return store.get(("t", str(n % 5)), f"k{n}").value["n"]

    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(work, range(200))) == list(range(200))


def test_many_event_loops_share_a_store(store: MemoryHubStore) -> None:
    async def work(n: int) -> Any:
        await store.aput(("l",), f"k{n}", {"n": n})
        return (await store.aget(("l",), f"k{n}")).value["n"]

    assert [asyncio.run(work(n)) for n in range(3)] == [0, 1, 2]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda n: asyncio.run(work(n)), range(30))) == list(range(30))
    assert len(store._async_hub._http._kept) == 0


async def test_blocking_calls_work_where_a_loop_runs(store: MemoryHubStore) -> None:
    store.put(("a",), "k", {"n": 1})
    assert (await store.aget(("a",), "k")).value == store.get(("a",), "k").value


def test_a_retried_write_keeps_its_key(store: MemoryHubStore, fake: FakeHub) -> None:
    fake.script = [Problem(503, "unavailable", {"retry-after": "0"})]
    store.put(("a",), "k", {})
    store.get(("a",), "k")
    first, again, read = fake.requests
    assert first.headers["idempotency-key"] == again.headers["idempotency-key"]
    assert "idempotency-key" not in read.headers
