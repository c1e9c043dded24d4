"""PUT /store/items."""

from __future__ import annotations

from tests.callers import Caller


def test_a_put_creates_and_a_get_returns_it(agent: Caller) -> None:
    put = agent.put(["users", "u1"], "a", {"text": "hello", "n": 1})
    assert put.status_code == 200
    made = put.json()
    assert made["outcome"] == "created"
    assert made["version"] == 1
    got = agent.get(["users", "u1"], "a").json()
    assert got["id"] == made["id"]
    assert got["value"] == {"text": "hello", "n": 1}


def test_a_put_replaces_the_value_and_keeps_the_old_version(agent: Caller) -> None:
    first = agent.put(["a"], "k", {"n": 1}).json()
    second = agent.put(["a"], "k", {"n": 2}).json()
    assert second["outcome"] == "updated"
    assert second["id"] == first["id"]
    assert second["version"] == 2
    assert second["created_at"] == first["created_at"]
    assert second["updated_at"] > first["updated_at"]
    assert agent.get(["a"], "k").json()["value"] == {"n": 2}


def test_the_same_put_again_is_unchanged(agent: Caller) -> None:
    first = agent.put(["a"], "k", {"n": 1}, tags=["x"]).json()
    again = agent.put(["a"], "k", {"n": 1}, tags=["x"]).json()
    assert again["outcome"] == "unchanged"
    assert again["version"] == 1
    assert again["updated_at"] == first["updated_at"]


def test_an_update_takes_over_the_subjects_of_what_it_is_derived_from(agent: Caller) -> None:
    source = agent.put(["a"], "source", {"n": 1}, subjects=["s1"]).json()["id"]
    agent.put(["a"], "k", {"n": 1}, subjects=["s2"])
    updated = agent.put(["a"], "k", {"n": 2}, derived_from=[source]).json()
    assert updated["subjects"] == ["s2", "s1"]
    found = agent.search(["a"], subjects=["s1"]).json()["items"]
    assert {item["key"] for item in found} == {"source", "k"}
    again = agent.put(["a"], "k", {"n": 2}, subjects=["s2"], derived_from=[source]).json()
    assert again["outcome"] == "unchanged"
    assert agent.get(["a"], "k").json()["subjects"] == ["s2", "s1"]


def test_subjects_taken_over_stay_as_long_as_the_sources_do(agent: Caller) -> None:
    source = agent.put(["a"], "source", {"n": 1}, subjects=["s1"]).json()["id"]
    agent.put(["a"], "k", {"n": 1}, subjects=["s2"], derived_from=[source])
    assert agent.put(["a"], "k", {"n": 2}, subjects=[]).json()["subjects"] == ["s1"]
    assert agent.put(["a"], "k", {"n": 3}, subjects=["s3"]).json()["subjects"] == ["s3", "s1"]
    agent.delete(["a"], "source")  # nobody can tell any more what came from it
    assert agent.put(["a"], "k", {"n": 4}, subjects=[]).json()["subjects"] == ["s3", "s1"]
    assert agent.put(["a"], "k", {"n": 5}, subjects=[], derived_from=[]).json()["subjects"] == []
