"""Approval by another person, refusals by name, and the switch, exact at once everywhere."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction

from memories.models import Memory
from memories.sweeping import sweep_now
from policies.models import RuleSet
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.ageing import count_rows, let_pass
from tests.callers import Caller
from tests.people import Person
from tests.rules.governing import BASE, Governed, expire, keep

CASE = {
    "name": "after ninety days it is gone",
    "memory": {"namespace": ["a"], "created_at": "2026-01-01T00:00:00Z"},
    "at": "2026-05-01T00:00:00Z",
    "expect": {"visible": False},
}


def retention(caller: Caller, key: str) -> Any:
    return caller.get(["a"], key).json()["retention"]


def test_the_author_neither_approves_nor_activates(
    governed: Governed, agent: Caller, make_person: Callable[..., User]
) -> None:
    n = governed.draft(expire())
    governed.simulate(n)
    own = governed.approve(n, governed.author)
    assert (own.status_code, own.json()["code"]) == (403, "second_person_required")
    by_key = agent.call("POST", f"{BASE}/{n}/approve", {"reason": "r"})
    assert (by_key.status_code, by_key.json()["code"]) == (403, "people_only")
    viewer = Person(make_person(governed.tenant, "viewer"), governed.tenant)
    assert governed.approve(n, viewer).status_code == 403
    assert governed.approve(n).json()["state"] == "approved"
    refused = governed.author.call("POST", f"{BASE}/{n}/activate", {})
    assert (refused.status_code, refused.json()["code"]) == (403, "second_person_required")
    assert governed.activate(n).json()["state"] == "active"
    assert governed.author.call("GET", BASE + "/active").json()["n"] == n


def test_whoever_wrote_the_content_last_is_an_author_too(governed: Governed) -> None:
    n = governed.draft(expire())
    written = governed.approver.call("PUT", f"{BASE}/{n}", {"rules": [expire()], "cases": []})
    assert written.status_code == 200
    governed.simulate(n)
    assert governed.approve(n).json()["code"] == "second_person_required"


@pytest.mark.slow
def test_a_statutory_rule_needs_a_second_approver(
    governed: Governed, make_person: Callable[..., User]
) -> None:
    n = governed.draft(keep(statutory=True, citation="HGB 257"))
    governed.simulate(n)
    assert governed.approve(n).json()["state"] == "simulated"
    assert governed.approve(n).json()["code"] == "second_person_required"
    assert governed.activate(n).json()["code"] == "invalid_state"
    third = Person(make_person(governed.tenant, "officer"), governed.tenant)
    approved = governed.approve(n, third).json()
    assert (approved["state"], len(approved["approvals"])) == ("approved", 2)
    assert governed.activate(n).status_code == 200


@pytest.mark.slow
def test_a_failing_example_refuses_the_activation(governed: Governed) -> None:
    n = governed.draft(expire(after={"days": 900}), cases=[CASE])
    result = governed.simulate(n)
    assert [one["name"] for one in result["failed_cases"]] == [CASE["name"]]
    governed.approve(n)
    refused = governed.activate(n)
    assert (refused.status_code, refused.json()["code"]) == (409, "case_failed")
    assert governed.enforce(expire(), cases=[CASE])


def test_a_simulation_gets_stale(governed: Governed, agent: Caller) -> None:
    n = governed.draft(expire())
    assert governed.approve(n).json()["code"] == "invalid_state"
    governed.simulate(n)
    governed.approve(n)
    with acting_as(operator_actor(governed.tenant.id)), transaction.atomic():
        version = RuleSet.objects.get(n=n)
        at = datetime.fromisoformat(version.simulation["at"]) - timedelta(hours=25)
        version.simulation = {**version.simulation, "at": at.isoformat()}
        version.save()
    refused = governed.activate(n)
    assert (refused.status_code, refused.json()["code"]) == (409, "simulation_stale")
    governed.simulate(n)  # the approval is of the content, and stands
    assert governed.activate(n).status_code == 200


@pytest.mark.slow
def test_a_change_of_settings_or_another_simulation_makes_it_stale(governed: Governed) -> None:
    n, other = governed.draft(expire()), governed.draft(keep())
    governed.simulate(n)
    governed.approve(n)
    governed.simulate(other)
    assert governed.activate(n).json()["code"] == "simulation_stale"
    governed.simulate(n)
    with acting_as(operator_actor(governed.tenant.id)):
        row = Tenant.objects.get(id=governed.tenant.id)
        row.trash_days = 3
        row.save()
    assert governed.activate(n).json()["code"] == "simulation_stale"


@pytest.mark.slow
def test_moved_data_refuses_the_activation(governed: Governed, agent: Caller) -> None:
    for number in range(10):
        agent.put(["a"], f"k{number}", {"n": number}, index=False)
    n = governed.draft(expire())
    governed.simulate(n)
    governed.approve(n)
    for number in range(10, 12):
        agent.put(["a"], f"k{number}", {"n": number}, index=False)
    refused = governed.activate(n)
    assert (refused.status_code, refused.json()["code"]) == (409, "data_moved")


@pytest.mark.slow
def test_what_leaves_use_is_counted_and_the_count_is_asked_for(
    governed: Governed, agent: Caller, owner_url: str
) -> None:
    for number in range(4):
        agent.put(["a"], f"k{number}", {"n": number}, index=False)
    let_pass(owner_url, governed.tenant, days=100)
    n = governed.draft(expire())
    result = governed.simulate(n)
    assert (result["memories"], result["confirm_count"]) == (4, 4)
    (group,) = result["by"]
    assert (group["namespace"], group["kind"], group["newly_hidden"]) == (["a"], "fact", 4)
    assert result["due"] == {"7": 0, "30": 4, "90": 4}
    assert len(result["samples"]) == 4
    assert result["samples"][0]["after"]["state"] == "TRASH"
    governed.approve(n)
    for body in ({}, {"confirm_count": 3}):
        refused = governed.activate(n, **body)
        assert (refused.status_code, refused.json()["code"], refused.json()["count"]) == (
            409, "confirm_count_required", 4,
        )  # fmt: skip
    assert governed.activate(n, confirm_count=4).status_code == 200


@pytest.mark.slow
def test_losing_all_coverage_always_asks_for_the_count(governed: Governed, agent: Caller) -> None:
    agent.put(["a"], "k", {"n": 1}, index=False)
    governed.enforce(expire())
    n = governed.draft()
    assert governed.simulate(n)["confirm_count"] == 1
    governed.approve(n)
    assert governed.activate(n).json()["code"] == "confirm_count_required"
    assert governed.activate(n, confirm_count=1).status_code == 200


def test_a_locked_rule_only_tightens(governed: Governed) -> None:
    governed.enforce(expire(locked=True))
    made = governed.author.call("POST", BASE, {"based_on": None, "note": ""}).json()
    for rules in ([], [expire(locked=True, after={"days": 91})]):
        path, body = f"{BASE}/{made['n']}", {"rules": rules, "cases": []}
        refused = governed.author.call("PUT", path, body)
        assert (refused.status_code, refused.json()["code"], refused.json()["key"]) == (
            409, "rule_locked", "e",
        )  # fmt: skip
    assert governed.enforce(expire(locked=True, after={"days": 60}))


@pytest.mark.slow
def test_the_switch_is_exact_at_once_for_reads_lists_and_counts(
    governed: Governed, agent: Caller, owner_url: str
) -> None:
    agent.put(["a"], "old", {"text": "an old apple"})
    let_pass(owner_url, governed.tenant, days=100)
    agent.put(["a"], "new", {"text": "a new apple"})
    for round_ in range(3):  # there and back, through both slots
        governed.enforce(expire("e" + str(round_)))
        assert agent.keys(["a"]) == ["new"]
        assert agent.keys(["a"], query="apple", mode="text") == ["new"]
        assert agent.get(["a"], "old").status_code == 404
        assert retention(agent, "new")["rule"] == f"e{round_}"
        by_state = agent.call("GET", "/usage").json()["by_state"]
        assert (by_state["ACTIVE"], by_state["TRASH"]) == (1, 1)
        governed.enforce(keep("k" + str(round_)))
        assert sorted(agent.keys(["a"])) == ["new", "old"]
        assert sorted(agent.keys(["a"], query="apple", mode="text")) == ["new", "old"]
        assert agent.get(["a"], "old").status_code == 200


@pytest.mark.slow
def test_writes_between_staging_and_switch_have_both_dates(
    governed: Governed, agent: Caller, owner_url: str
) -> None:
    for number in range(40):
        agent.put(["a"], f"k{number}", {"n": number}, index=False)
    n = governed.draft(expire(after={"days": 5}), expire("b", namespace=["b"]))
    governed.simulate(n)
    governed.approve(n)
    made = agent.put(["b"], "made", {"n": 1}, index=False).json()
    assert made["retention"]["visible_until"] is None
    agent.put(["a"], "k1", {"n": 2}, index=False, ttl=60)
    agent.delete(["a"], "k2")
    agent.get(["a"], "k3")
    assert governed.activate(n).status_code == 200
    assert agent.get(["b"], "made").json()["retention"]["rule"] == "b"
    assert retention(agent, "k1")["visible_until"] < retention(agent, "k0")["visible_until"]
    assert agent.get(["a"], "k2").status_code == 404
    assert retention(agent, "k3")["rule"] == "e"


@pytest.mark.parametrize("many", [30, pytest.param(1000, marks=pytest.mark.slow)])
def test_rules_that_hide_many_destroy_nothing_before_the_notice(
    governed: Governed, agent: Caller, owner_url: str, many: int
) -> None:
    ops = [
        {"op": "put", "namespace": ["a"], "key": f"k{n}", "value": {"n": n}, "index": False}
        for n in range(many)
    ]
    assert agent.call("POST", "/store/batch", {"ops": ops}).status_code == 200
    let_pass(owner_url, governed.tenant, days=400)
    governed.enforce(expire(), keep("floor", namespace=["b"]))
    assert agent.keys(["a"]) == []
    with acting_as(operator_actor(governed.tenant.id)):
        with transaction.atomic():
            row = Memory.objects.filter(key="k0").get()
            since = RuleSet.objects.get(state="active").activated_at
        assert row.purge_at_b == since + timedelta(days=7)
        early = sweep_now(at=since + timedelta(days=7) - timedelta(seconds=1)).counts
        assert (early["hidden"], early["purged"]) == (many, 0)
        assert sweep_now(at=since + timedelta(days=7)).counts["purged"] == many
    assert count_rows(owner_url, governed.tenant, "memories_memory") == 0


@pytest.mark.slow
def test_a_rule_taken_away_gives_notice_too(
    governed: Governed, agent: Caller, owner_url: str
) -> None:
    governed.enforce(expire(), keep(after={"days": 900}))
    agent.put(["a"], "k", {"n": 1}, index=False)
    let_pass(owner_url, governed.tenant, days=400)
    governed.enforce(expire())
    with acting_as(operator_actor(governed.tenant.id)), transaction.atomic():
        row = Memory.objects.filter(key="k").get()
        since = RuleSet.objects.get(state="active").activated_at
    assert (row.dates_moved_at, row.purge_at) == (since, since + timedelta(days=7))


@pytest.mark.slow
def test_a_rule_counts_from_when_it_first_stood_without_a_gap(governed: Governed) -> None:
    def since(key: str) -> Any:
        rules = governed.author.call("GET", BASE + "/active").json()["rules"]
        return next(rule["active_since"] for rule in rules if rule["key"] == key)

    governed.enforce(expire())
    first = since("e")
    governed.enforce(expire(owner="somebody else"), keep())
    assert since("e") == first < since("k")
    governed.enforce(expire(after={"days": 91}))
    changed = since("e")
    assert changed > first
    governed.enforce(expire())
    assert since("e") > changed


@pytest.mark.slow
def test_a_roll_back_is_a_new_version_with_the_old_content(governed: Governed) -> None:
    first = governed.enforce(expire())
    second = governed.enforce(keep())
    made = governed.author.call("POST", BASE, {"based_on": first, "note": "back"}).json()
    assert made["n"] == second + 1
    governed.simulate(made["n"])
    governed.approve(made["n"])
    assert governed.activate(made["n"]).status_code == 200
    states = [one["state"] for one in governed.author.call("GET", BASE).json()["items"]]
    assert states == ["active", "superseded", "superseded"]


@pytest.mark.slow
def test_what_rules_hid_and_a_sweep_trashed_comes_back_with_the_old_rules(
    governed: Governed, agent: Caller, owner_url: str
) -> None:
    agent.put(["a"], "k", {"n": 1}, index=False)
    agent.put(["a"], "taken", {"n": 1}, index=False)
    let_pass(owner_url, governed.tenant, days=100)
    governed.enforce(expire())
    with acting_as(operator_actor(governed.tenant.id)):
        assert sweep_now().counts["hidden"] == 2
    agent.put(["a"], "taken", {"n": 2}, index=False)
    governed.enforce(keep())
    assert agent.get(["a"], "k").json()["value"] == {"n": 1}
    assert agent.get(["a"], "taken").json()["value"] == {"n": 2}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["archive", "expire"])
def test_archiving_takes_out_of_search_and_a_read_brings_back(
    governed: Governed, agent: Caller, owner_url: str, kind: str
) -> None:
    agent.put(["a"], "k", {"n": 1}, index=False)
    let_pass(owner_url, governed.tenant, days=100)
    more = {"end": "archive"} if kind == "expire" else {}
    governed.enforce({"key": "r", "kind": kind, "after": {"days": 90}, **more})
    assert agent.keys(["a"]) == []
    assert agent.keys(["a"], include_archived=True) == ["k"]
    assert agent.call("GET", "/usage").json()["by_state"]["ARCHIVED"] == 1
    assert retention(agent, "k")["state"] == "ACTIVE"
    assert agent.keys(["a"]) == ["k"]
