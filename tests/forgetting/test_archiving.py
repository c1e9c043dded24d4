"""Archived: out of ordinary search, found when asked for, back by a read of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.callers import Caller
from tests.rules.governing import Governed

Sweep = Callable[..., dict[str, int]]
PassTime = Callable[..., None]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["archive", "expire"])
def test_an_archived_memory_is_out_of_search_and_comes_back_by_a_read(
    governed: Governed, agent: Caller, sweep: Sweep, pass_time: PassTime, kind: str
) -> None:
    end = {"end": "archive"} if kind == "expire" else {}
    governed.enforce({"key": "old", "kind": kind, "after": {"days": 90}, **end})
    made = {key: agent.put(["a"], key, {"text": f"tea {key}"}).json() for key in ("k", "other")}
    pass_time(days=91)
    for query in ({}, {"query": "tea"}, {"query": "tea", "mode": "text"}):
        assert agent.keys(["a"], **query) == []
    assert sweep(dry_run=True) == {"archived": 2}
    assert sweep() == {"archived": 2}
    assert sweep() == {}
    found = agent.search(["a"], query="tea", include_archived=True).json()["items"]
    assert {item["retention"]["state"] for item in found} == {"ARCHIVED"}
    assert sorted(item["key"] for item in found) == ["k", "other"]
    assert agent.keys(["a"]) == []  # what a search finds in the archive stays there
    assert agent.namespaces() == [["a"]]
    read = agent.get(["a"], "k").json()
    assert (read["retention"]["state"], read["retention"]["purge_at"]) == ("ACTIVE", None)
    assert (
        agent.call("GET", f"/memories/{made['other']['id']}").json()["retention"]["state"]
        == "ACTIVE"
    )
    assert sorted(agent.keys(["a"])) == ["k", "other"]
    pass_time(days=91)
    assert sweep() == {"archived": 2}


def test_a_put_restores_what_was_archived(
    governed: Governed, agent: Caller, sweep: Sweep, pass_time: PassTime
) -> None:
    governed.enforce({"key": "old", "kind": "archive", "after": {"days": 90}})
    first = agent.put(["a"], "k", {"n": 1}, index=False).json()
    pass_time(days=91)
    assert sweep() == {"archived": 1}
    again = agent.put(["a"], "k", {"n": 2}, index=False).json()
    assert (again["id"], again["version"], again["outcome"]) == (first["id"], 2, "updated")
    assert again["retention"]["state"] == "ACTIVE"
    assert agent.keys(["a"]) == ["k"]
