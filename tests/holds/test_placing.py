"""Placing a hold: what it covers, what it counts, who may."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from tests.callers import Caller
from tests.holds.holders import BASE, WHY, Holders
from tests.people import Person


def scopes(holders: Holders) -> dict[str, dict[str, Any]]:
    """A scope of each kind over one memory."""
    identifier = holders.put("k", ["a", "b"], subjects=["s"])
    return {
        "subjects": {"subjects": ["s"]},
        "namespaces": {"namespaces": [["a"]]},
        "ids": {"ids": [identifier]},
        "everything": {"namespaces": [[]]},
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["subjects", "namespaces", "ids", "everything"])
def test_a_hold_covers_what_is_there_and_keeps_it_when_its_time_is_over(
    holders: Holders, kind: str
) -> None:
    scope = scopes(holders)[kind]
    holders.put("other", ["ab"], subjects=["t"])
    seen = holders.first.call("POST", f"{BASE}/preview", {"scope": scope}).json()
    assert seen["memories"] == (2 if kind == "everything" else 1)
    hold = holders.place(**scope)
    assert holders.counts(hold) == {"memories": seen["memories"], "prevented": 0}
    holders.agent.delete(["a", "b"], "k")
    holders.wait(days=60)
    assert holders.sweep()["held"] == 1
    listed = holders.first.call("GET", f"{BASE}/{hold}/memories").json()["items"]
    (kept,) = (one for one in listed if one["prevented"])
    assert (kept["state"], kept["prevented"]["cause"]) == ("HELD", "delete")
    assert holders.counts(hold)["prevented"] == 1
    holders.sweep()
    assert holders.counts(hold)["prevented"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("scope", [{"subjects": ["s"]}, {"namespaces": [["a"]]}])
def test_a_hold_covers_what_is_written_later(holders: Holders, scope: dict[str, Any]) -> None:
    hold = holders.place(**scope)
    identifier = holders.put("k", subjects=["s"], ttl=1)
    assert holders.counts(hold)["memories"] == 1
    holders.wait(days=60)
    holders.sweep()
    assert holders.state(identifier) == "HELD"
    assert holders.agent.get(["a"], "k").status_code == 404, "a hold protects bytes, never use"


def test_what_a_held_memory_was_made_into_is_held_with_it(holders: Holders) -> None:
    source = holders.put("k", ["a"])
    holders.place(ids=[source])
    made = holders.put("summary", ["b"], derived_from=[source], ttl=1)
    holders.wait(days=60)
    holders.sweep()
    assert holders.state(made) == "HELD"


def test_a_hold_stays_with_a_memory_whose_subject_is_taken_off(holders: Holders) -> None:
    hold = holders.place(subjects=["s"])
    identifier = holders.put("k", subjects=["s"], ttl=1)
    assert holders.put("k", value={"n": 2}, subjects=[], ttl=1) == identifier
    holders.wait(days=60)
    holders.sweep()
    assert holders.state(identifier) == "HELD"
    assert holders.counts(hold) == {"memories": 1, "prevented": 1}


def test_a_read_restarts_the_ttl_of_a_held_memory_and_gives_it_no_purge_date(
    holders: Holders,
) -> None:
    identifier = holders.put("k", subjects=["s"], ttl=60)
    holders.place(subjects=["s"])
    holders.wait(seconds=5)
    retention = holders.agent.get(["a"], "k").json()["retention"]
    assert (retention["state"], retention["purge_at"]) == ("ACTIVE", None)
    assert "held" in retention["flags"]
    listed = holders.first.call("GET", f"/memories/{identifier}/explain").json()
    assert "held" in listed["flags"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scope", "code", "path"),
    [
        ({}, "empty_scope", "scope"),
        ({"subjects": [], "namespaces": [], "ids": []}, "empty_scope", "scope"),
        ({"ids": [str(uuid4())]}, "unknown_memory", "scope.ids[0]"),
        ({"ids": ["x"]}, "invalid_id", "scope.ids[0]"),
        ({"subjects": [""]}, "invalid_subject", "scope.subjects[0]"),
        ({"namespaces": [["a", 1]]}, "invalid_type", "scope.namespaces[0][1]"),
        ({"others": []}, "unknown_field", "scope.others"),
    ],
)
def test_a_scope_that_says_nothing_good_is_refused(
    holders: Holders, scope: dict[str, Any], code: str, path: str
) -> None:
    for address, more in (
        (BASE, {"matter": "m", "custodian": "c", **WHY}),
        (f"{BASE}/preview", {}),
    ):
        answer = holders.first.call("POST", address, {"scope": scope, **more})
        assert answer.status_code == 422, answer.content
        (fault,) = answer.json()["errors"]
        assert (fault["path"], fault["code"]) == (path, code)


@pytest.mark.parametrize("missing", ["matter", "reason", "custodian"])
def test_a_hold_says_for_what_why_and_who_answers_for_it(holders: Holders, missing: str) -> None:
    body = {"matter": "m", "custodian": "c", "scope": {"subjects": ["s"]}, **WHY}
    answer = holders.first.call("POST", BASE, {**body, missing: " "})
    assert answer.json()["errors"][0] | {"detail": ""} == {
        "path": missing, "code": "required", "detail": "",
    }  # fmt: skip


def test_a_key_with_the_scope_places_a_hold_within_its_prefixes(
    holders: Holders, make_caller: Callable[..., Caller]
) -> None:
    inside = holders.put("k", ["a", "b"])
    outside = holders.put("k", ["z"])
    narrow = make_caller(holders.tenant, prefixes=["a/"])
    holders.place(narrow, namespaces=[["a", "b"]])
    holders.place(narrow, ids=[inside])
    body = {"matter": "m", "custodian": "c", **WHY}
    for scope in ({"namespaces": [["z"]]}, {"subjects": ["s"]}, {"namespaces": [[]]}):
        answer = narrow.call("POST", BASE, {**body, "scope": scope})
        assert (answer.status_code, answer.json()["code"]) == (403, "outside_prefix")
    answer = narrow.call("POST", BASE, {**body, "scope": {"ids": [outside]}})
    assert answer.json()["errors"][0]["code"] == "unknown_memory"
    everything = holders.place(namespaces=[[]])
    assert narrow.call("GET", f"{BASE}/{everything}").json()["counts"]["memories"] == 1
    listed = narrow.call("GET", f"{BASE}/{everything}/memories?count=true").json()
    assert ([one["id"] for one in listed["items"]], listed["total"]) == ([inside], 1)


def test_a_repeated_call_places_one_hold(holders: Holders) -> None:
    body = {"matter": "m", "custodian": "c", "scope": {"subjects": ["s"]}, **WHY}
    answers = [holders.agent.call("POST", BASE, body, idempotency_key="1") for _ in range(2)]
    assert [one.status_code for one in answers] == [201, 201]
    assert answers[0].json()["id"] == answers[1].json()["id"]
    assert answers[0]["Location"] == f"/api/v1{BASE}/{answers[0].json()['id']}"
    listed = holders.agent.call("GET", f"{BASE}?count=true").json()
    assert listed["total"] == 1


def test_lists_are_paged_newest_first(holders: Holders) -> None:
    memories = [holders.put(f"k{number}", subjects=["s"]) for number in range(3)]
    placed = [holders.place(subjects=["s"]) for _ in range(3)]
    for address, made in ((BASE, placed), (f"{BASE}/{placed[0]}/memories", memories)):
        first = holders.first.call("GET", f"{address}?limit=2&count=true").json()
        assert first["total"] == 3
        rest = holders.first.call("GET", f"{address}?limit=2&cursor={first['next']}").json()
        assert rest["next"] is None
        assert [one["id"] for one in first["items"] + rest["items"]] == made[::-1]
        answer = holders.first.call("GET", f"{address}?cursor=nonsense")
        assert answer.json()["errors"][0]["code"] == "invalid_cursor"


def test_nobody_of_another_tenant_learns_of_a_hold(
    holders: Holders, outsider: Caller, rival: Any, make_person: Callable[..., Any]
) -> None:
    hold = holders.place(subjects=["s"])
    stranger = Person(make_person(rival, "officer"), rival)
    for caller in (outsider, stranger):
        assert caller.call("GET", BASE).json()["items"] == []
        for path in ("", "/memories"):
            assert caller.call("GET", f"{BASE}/{hold}{path}").status_code == 404
    for step in ("release", "keep"):
        assert stranger.call("POST", f"{BASE}/{hold}/{step}", WHY).status_code == 404
