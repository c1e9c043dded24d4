"""Listing namespaces, and search without a question."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tenants.models import Tenant
from tests.ageing import let_pass
from tests.callers import Caller

NAMESPACES = [
    ["a"], ["a", "b"], ["a", "b", "c"], ["a", "b", "d"], ["a", "x", "c"], ["ab"], ["b", "b", "c"],
    ["z"],
]  # fmt: skip


@pytest.fixture(scope="module")
def listed(shared_agent: Caller) -> Callable[..., list[str]]:
    for namespace in NAMESPACES:
        shared_agent.put(namespace, "k", {"n": 1}, index=False)
    return lambda **options: [".".join(ns) for ns in shared_agent.namespaces(**options)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [".".join(ns) for ns in NAMESPACES]),
        ({"prefix": ["a"]}, ["a", "a.b", "a.b.c", "a.b.d", "a.x.c"]),
        ({"prefix": ["a", "*", "c"]}, ["a.b.c", "a.x.c"]),
        ({"suffix": ["c"]}, ["a.b.c", "a.x.c", "b.b.c"]),
        ({"suffix": ["b", "*"]}, ["a.b.c", "a.b.d", "b.b.c"]),
        ({"prefix": ["a"], "suffix": ["c"]}, ["a.b.c", "a.x.c"]),
        ({"prefix": ["a", "b"], "suffix": ["a", "b"]}, ["a.b"]),
        ({"prefix": ["a", "b", "c", "d"]}, []),
        ({"max_depth": 1}, ["a", "ab", "b", "z"]),
        ({"prefix": ["a"], "max_depth": 2}, ["a", "a.b", "a.x"]),
        ({"max_depth": 1, "limit": 2, "offset": 1}, ["ab", "b"]),
        ({"limit": 0}, []),
        ({"offset": 100}, []),
        ({"prefix": []}, [".".join(ns) for ns in NAMESPACES]),
        ({"prefix": None, "suffix": None, "max_depth": None}, [".".join(ns) for ns in NAMESPACES]),
    ],
)
def test_namespaces_are_listed_by_pattern_depth_and_page(
    listed: Callable[..., list[str]], options: dict[str, Any], expected: list[str]
) -> None:
    assert listed(**options) == expected


def test_neither_a_read_nor_a_delete_makes_a_namespace_and_the_last_item_takes_it_along(
    agent: Caller,
) -> None:
    agent.get(["new"], "k")
    agent.delete(["new"], "k")
    assert agent.namespaces() == []
    agent.put(["new"], "k", {}, index=False)
    agent.put(["new"], "l", {}, index=False)
    agent.delete(["new"], "k")
    assert agent.namespaces() == [["new"]]
    agent.delete(["new"], "l")
    assert agent.namespaces() == []


@pytest.fixture(scope="module")
def aged(
    make_tenant: Callable[..., Tenant], make_caller: Callable[..., Caller], owner_url: str
) -> Caller:
    """Twelve items, k00 the oldest, for all tests that only read them."""
    tenant = make_tenant()
    return age(make_caller(tenant), tenant, owner_url)


def age(agent: Caller, tenant: Tenant, owner_url: str) -> Caller:
    for number in range(12):
        value = {"n": number, "even": number % 2 == 0, "who": None if number == 3 else "x"}
        options = {"kind": "episode"} if number < 4 else {}
        agent.put(
            ["a", str(number % 3)], f"k{number:02}", value, index=False, tags=[f"t{number % 2}"],
            subjects=[f"s{number}"], **options,
        )  # fmt: skip
        let_pass(owner_url, tenant, hours=1)
    return agent


def names(*numbers: int) -> list[str]:
    return [f"k{number:02}" for number in numbers]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"limit": 3}, names(11, 10, 9)),
        ({"limit": 3, "offset": 3}, names(8, 7, 6)),
        ({"limit": 5, "offset": 10}, names(1, 0)),
        ({"limit": 0}, []),
        ({"filter": {"even": True}, "limit": 2}, names(10, 8)),
        ({"filter": {"even": True}, "limit": 2, "offset": 2}, names(6, 4)),
        ({"filter": {"n": {"$gt": 9}}}, names(11, 10)),
        ({"filter": {"n": "9"}}, []),
        ({"filter": {"who": None}}, names(3)),
        ({"filter": {"$or": [{"n": 1}, {"n": {"$gte": 11}}]}}, names(11, 1)),
        ({"filter": {"n": {"$ne": 0}}, "limit": 1000}, names(*range(11, 0, -1))),
        ({"filter": {"none": {"$ne": 0}}, "limit": 1}, names(11)),
        ({"kinds": ["episode"]}, names(3, 2, 1, 0)),
        ({"tags": ["t0"], "subjects": ["s2", "s3", "s4"]}, names(4, 2)),
        ({"tags": ["t0", "t1"]}, []),
        ({"tier": "short"}, []),
        ({"query": None, "limit": 1}, names(11)),
        ({"query": "", "limit": 1}, names(11)),
    ],
)
def test_without_a_question_the_last_updated_comes_first(
    aged: Caller, options: dict[str, Any], expected: list[str]
) -> None:
    assert aged.keys(["a"], **options) == expected


def test_without_a_question_there_is_no_score(aged: Caller) -> None:
    body = aged.search(["a"], limit=1).json()
    assert body["items"][0]["score"] is None
    assert body["degraded"] is None


def test_pages_hold_every_item_once(aged: Caller) -> None:
    pages = [key for offset in range(0, 12, 5) for key in aged.keys(["a"], limit=5, offset=offset)]
    assert pages == names(*range(11, -1, -1))


def test_an_update_moves_an_item_to_the_front_and_a_read_does_not(
    agent: Caller, tenant: Tenant, owner_url: str
) -> None:
    aged = age(agent, tenant, owner_url)
    aged.get(["a", "0"], "k00")
    assert aged.keys(["a"], limit=1) == names(11)
    aged.put(["a", "0"], "k00", {"n": "changed"}, index=False)
    assert aged.keys(["a"], limit=1) == names(0)


def test_ties_go_by_namespace_and_key(agent: Caller) -> None:
    agent.batch(
        *(
            {"op": "put", "namespace": [ns], "key": key, "value": {}, "index": False}
            for ns, key in (("b", "1"), ("a", "2"), ("B", "9"), ("a", "10"))
        )
    )
    assert agent.keys([]) == ["9", "10", "2", "1"]
