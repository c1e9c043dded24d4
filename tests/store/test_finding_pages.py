"""Pages of a search: full to the last, nothing twice; filters before limits; old texts are gone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.callers import Caller

PAGES, SIZE = 20, 5


@pytest.fixture(scope="module")
def words() -> list[str]:
    animals = ["cat", "dog", "horse", "sparrow", "trout", "beetle", "goat", "whale", "owl", "fox"]
    return [f"the {animal} sleeps in room {n}" for n in range(10) for animal in animals]


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"query": "which animal sleeps", "mode": "vector"},
                                     {"query": "sleeps", "mode": "text"},
                                     {"query": "which animal sleeps"}],
                         ids=["newest", "vector", "text", "hybrid"])  # fmt: skip
def test_page_20_of_20_is_full_and_no_item_comes_twice(
    agent: Caller, words: list[str], options: dict[str, Any]
) -> None:
    puts = [
        {"op": "put", "namespace": ["a", str(n % 7)], "key": str(n), "value": {"t": text, "n": n}}
        for n, text in enumerate(words)
    ]
    noise = [{**put, "namespace": ["b"]} for put in puts]
    assert agent.batch(*puts, *noise).status_code == 200
    seen: list[str] = []
    for page in range(PAGES):
        got = agent.search(["a"], limit=SIZE, offset=page * SIZE, **options).json()["items"]
        assert len(got) == SIZE
        seen += [item["key"] for item in got]
    assert len(set(seen)) == PAGES * SIZE
    assert agent.search(["a"], limit=SIZE, offset=PAGES * SIZE, **options).json()["items"] == []


def test_limits_come_after_filters(agent: Caller) -> None:
    puts = [
        {"op": "put", "namespace": ["a"], "key": str(n), "value": {"n": n}, "index": False}
        for n in range(60)
    ]
    agent.batch(*puts)
    found = agent.keys(["a"], filter={"n": {"$lt": 5}}, limit=3)
    more = agent.keys(["a"], filter={"n": {"$lt": 5}}, limit=3, offset=3)
    assert len(found) == 3
    assert sorted(found + more) == ["0", "1", "2", "3", "4"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ({"n": {"$gt": 9}}, {"10", "100"}),
        ({"n": {"$gte": 9}}, {"9", "10", "100"}),
        ({"n": {"$in": [9, 100]}}, {"9", "100"}),
        ({"n": 9}, {"9"}),
        ({"n": "9"}, {"text"}),
        ({"n": None}, {"null"}),
        ({"n": {"$ne": 9}}, {"10", "100", "text", "null", "none"}),
        ({"n": {"$exists": False}}, {"none"}),
        ({"$or": [{"n": 9}, {"n": 10}]}, {"9", "10"}),
        ({"$not": {"n": {"$exists": True}}}, {"none"}),
        ({"deep.n": 1}, {"none"}),
        ({"deep": {"n": 1}}, {"none"}),
        ({"tags": {"$contains": "x"}}, {"none"}),
    ],
)
def test_filters_over_http(agent: Caller, condition: Any, found: set[str]) -> None:
    for number in (9, 10, 100):
        agent.put(["a"], str(number), {"n": number}, index=False)
    agent.put(["a"], "text", {"n": "9"}, index=False)
    agent.put(["a"], "null", {"n": None}, index=False)
    agent.put(["a"], "none", {"deep": {"n": 1, "m": 2}, "tags": ["x", "y"]}, index=False)
    assert set(agent.keys(["a"], filter=condition)) == found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({}, {"index": False}),
        ({}, {"index": ["other"]}),
        ({"index": ["list[*]"]}, {"value": {"list": ["pear"]}, "index": ["list[*]"]}),
        ({"index": ["list[1]"]}, {"value": {"other": "pear"}, "index": ["list[1]"]}),
        ({}, {"value": {"other": "pear"}}),
    ],
    ids=["not indexed", "another field", "fewer elements", "no such field", "another value"],
)
def test_the_old_text_of_a_put_is_found_no_more(
    agent: Caller, first: dict[str, Any], second: dict[str, Any]
) -> None:
    value = {"list": ["pear", "zeppelin"], "other": "pear"}
    agent.put(["a"], "k", value, **first)
    assert agent.keys(["a"], query="zeppelin", mode="text") == ["k"]
    again = agent.put(["a"], "k", second.get("value", value), index=second.get("index"))
    assert again.status_code == 200
    assert agent.keys(["a"], query="zeppelin", mode="text") == []
    shown = agent.search(["a"], query="zeppelin", mode="vector", explain=True).json()["items"]
    if second.get("index") is False:
        assert shown == []
    else:  # what is left is not the airship: its vector is that of the pear
        alone = Caller(agent.key)
        alone.put(["b"], "k", {"list": ["zeppelin"]}, index=["list[*]"])
        best = agent.search([], query="zeppelin", mode="vector").json()["items"][0]
        assert best["namespace"] == ["b"]
