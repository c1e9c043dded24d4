"""Drafting: versions with numbers, content replaced and compared, drafts thrown away."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from tests.ageing import act_as_owner
from tests.callers import Caller
from tests.rules.governing import BASE, Governed, expire, keep


def test_a_draft_begins_with_what_it_is_based_on(governed: Governed) -> None:
    first = governed.draft(expire(), keep())
    made = governed.author.call("POST", BASE, {"based_on": first, "note": "second"})
    assert made.status_code == 201
    assert made.headers["Location"] == f"/api/v1{BASE}/{made.json()['n']}"
    version = made.json()
    assert (version["n"], version["based_on"], version["state"]) == (first + 1, first, "draft")
    assert [rule["key"] for rule in version["rules"]] == ["e", "k"]
    assert (version["note"], version["approval"], version["simulation"]) == ("second", None, None)


def test_versions_are_listed_newest_first_and_by_state(governed: Governed) -> None:
    numbers = [governed.draft(expire()) for _ in range(3)]
    listed = governed.author.call("GET", BASE + "?limit=2").json()
    assert [one["n"] for one in listed["items"]] == numbers[::-1][:2]
    assert listed["items"][0]["rules"] == 1
    rest = governed.author.call("GET", f"{BASE}?limit=2&cursor={listed['next']}").json()
    assert [one["n"] for one in rest["items"]] == numbers[:1]
    assert governed.author.call("GET", BASE + "?state=active").json()["items"] == []
    assert governed.author.call("GET", BASE + "?state=odd").status_code == 422


def test_faults_are_named_by_their_place(governed: Governed) -> None:
    n = governed.draft()
    rules = [expire(), {"key": "c", "kind": "cap", "anchor": "accessed", "after": {"days": 1}}]
    answer = governed.author.call("PUT", f"{BASE}/{n}", {"rules": rules, "cases": []})
    assert answer.status_code == 422
    assert [one["path"] for one in answer.json()["errors"]] == ["rules[1].anchor"]


def test_a_difference_names_what_came_went_and_changed(governed: Governed) -> None:
    first = governed.draft(expire(), keep())
    second = governed.draft(expire(after={"days": 30}), keep("other"))
    found = governed.author.call("GET", f"{BASE}/{second}/diff?against={first}").json()
    assert [rule["key"] for rule in found["added"]] == ["other"]
    assert [rule["key"] for rule in found["removed"]] == ["k"]
    (change,) = found["changed"]
    assert (change["key"], change["before"]["after"], change["after"]["after"]) == (
        "e", {"days": 90}, {"days": 30},
    )  # fmt: skip


def test_only_drafts_are_deleted_and_their_number_is_not_given_again(governed: Governed) -> None:
    n = governed.draft(expire())
    for _ in range(2):
        assert governed.author.call("DELETE", f"{BASE}/{n}").status_code == 204
    assert governed.author.call("GET", f"{BASE}/{n}").status_code == 404
    again = governed.draft(expire())
    assert again == n + 1
    governed.simulate(again)
    refused = governed.author.call("DELETE", f"{BASE}/{again}")
    assert (refused.status_code, refused.json()["state"]) == (409, "simulated")


def test_the_hash_tells_content_and_nothing_else(governed: Governed) -> None:
    def hash_of(n: int) -> Any:
        return governed.author.call("GET", f"{BASE}/{n}").json()["hash"]

    one, two = governed.draft(expire()), governed.draft(expire(), note="other note")
    assert hash_of(one) == hash_of(two)
    assert hash_of(one) != hash_of(governed.draft(expire(after={"days": 91})))


@pytest.mark.slow
def test_what_was_in_force_cannot_be_changed_even_in_the_database(
    governed: Governed, owner_url: str
) -> None:
    n = governed.enforce(expire())
    body = {"rules": [], "cases": []}
    assert governed.author.call("PUT", f"{BASE}/{n}", body).json()["state"] == "active"
    for statement in ("UPDATE policies_ruleset SET rules = '[]'", "DELETE FROM policies_ruleset"):
        with psycopg.connect(owner_url) as connection:
            act_as_owner(connection, governed.tenant)
            with pytest.raises(psycopg.errors.RaiseException):
                connection.execute(statement)  # type: ignore[arg-type]


def test_another_tenant_sees_none_of_it(governed: Governed, outsider: Caller) -> None:
    n = governed.draft(expire())
    assert outsider.call("GET", BASE).json()["items"] == []
    for method, path in (
        ("GET", f"{BASE}/{n}"), ("GET", f"{BASE}/{n}/diff"), ("POST", f"{BASE}/{n}/simulate"),
        ("PUT", f"{BASE}/{n}"),
    ):  # fmt: skip
        body = {"rules": [], "cases": []} if method == "PUT" else None
        assert outsider.call(method, path, body).status_code == 404


def test_a_case_is_explained_under_rules_of_its_own_or_of_a_version(governed: Governed) -> None:
    case = {
        "memory": {"namespace": ["a"], "created_at": "2026-01-01T00:00:00Z"},
        "at": "2026-04-20T00:00:00Z",
    }
    n = governed.draft(expire())
    for body in ({**case, "rules": [expire()]}, {**case, "ruleset": n}):
        found = governed.author.call("POST", "/policies/evaluate", body).json()
        assert (found["state"], found["visible_until"]) == ("TRASH", "2026-04-01T00:00:00Z")
    found = governed.author.call("POST", "/policies/evaluate", case).json()
    assert (found["state"], found["ruleset"], found["flags"]) == ("ACTIVE", 0, ["uncovered"])
