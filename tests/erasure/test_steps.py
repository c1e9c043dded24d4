"""The steps of a request over HTTP: who may, in which order, what each changes."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime

import pytest

from tenants.models import Tenant, User
from tests.callers import Caller
from tests.erasure.asking import WHY, Asking
from tests.people import Person


@pytest.fixture
def memory(agent: Caller) -> str:
    made = agent.put(["crm"], "k", {"text": "likes tea very much"}, subjects=["anna"])
    return str(made.json()["id"])


def state(asking: Asking, memory: str) -> str:
    answer = asking.officer.call("GET", f"/memories/{memory}")
    return "PURGED" if answer.status_code == 410 else str(answer.json()["retention"]["state"])


def test_an_erasure_ends_use_as_soon_as_the_identity_is_verified(
    agent: Caller, asking: Asking, memory: str
) -> None:
    request = asking.open("anna")
    assert agent.get(["crm"], "k").status_code == 200
    assert asking.verify(request)["state"] == "identity"
    assert agent.get(["crm"], "k").status_code == 404
    assert agent.search(["crm"]).json()["items"] == []


def test_the_answer_has_the_shape_of_the_contract(asking: Asking, memory: str) -> None:
    request = asking.open("anna", received_at="2026-01-31T12:00:00Z")
    found = asking.get(request)
    names = "id kind subject state outcome received_at due_at extension identity scope"
    assert {*names.split(), "exclusions", "decision", "approval", "result", "links"} <= set(found)
    here = f"/api/v1/subject-requests/{request}"
    assert found["links"] == {
        "memories": f"{here}/memories", "package": None, "certificate": f"{here}/certificate",
    }  # fmt: skip
    assert found["subject"].startswith("s_")
    assert "anna" not in json.dumps(found)
    assert found["due_at"] == "2026-03-02T12:00:00Z"
    asking.verify(request)
    scope = asking.scope(request)
    assert {name: scope[name] for name in ("by_index", "by_probe", "derived", "sessions")} == {
        "by_index": 1, "by_probe": 0, "derived": 0, "sessions": 0,
    }  # fmt: skip


def test_extending_adds_a_calendar_month_once(asking: Asking) -> None:
    request = asking.open("anna", received_at="2026-01-01T12:00:00Z")
    assert asking.get(request)["due_at"] == "2026-01-31T12:00:00Z"
    done = asking.step(request, "extend", WHY).json()
    assert done["due_at"] == "2026-02-28T12:00:00Z"
    assert done["extension"]["from"] == "2026-01-31T12:00:00Z"
    again = asking.step(request, "extend", WHY)
    assert (again.status_code, again.json()["code"]) == (409, "already_extended")


def test_neither_the_requester_nor_a_machine_approves(
    agent: Caller, asking: Asking, memory: str, tenant: Tenant, make_person: Callable[..., User]
) -> None:
    request = asking.ready("anna")
    own = asking.approve(request, by=asking.officer)
    assert (own.status_code, own.json()["code"]) == (403, "second_person_required")
    machine = agent.call("POST", f"/subject-requests/{request}/approve")
    assert (machine.status_code, machine.json()["code"]) == (403, "people_only")
    admin = Person(make_person(tenant, "admin"), tenant)
    assert asking.approve(request, by=admin).status_code == 403
    assert asking.approve(request).status_code == 202


def test_who_decides_about_a_key_s_request_does_not_approve_it(
    agent: Caller, asking: Asking, memory: str
) -> None:
    opened = agent.call("POST", "/subject-requests", {"subject": "anna", "kind": "erasure", **WHY})
    request = opened.json()["id"]
    asking.verify(request)
    asking.scope(request)
    asking.decide(request)
    assert asking.approve(request, by=asking.officer).json()["code"] == "second_person_required"
    assert asking.approve(request).status_code == 202


def test_a_step_out_of_order_is_refused_with_the_state(asking: Asking, memory: str) -> None:
    request = asking.open("anna")
    for name, body in (
        ("scope", None), ("decide", {"grant": True, **WHY}), ("approve", None),
        ("exclusions", {"memory_ids": [memory], "ground": "g", "text": "t"}),
    ):  # fmt: skip
        by = asking.second if name == "approve" else None
        answer = asking.step(request, name, body, by=by)
        assert (answer.status_code, answer.json()["state"]) == (409, "new"), name


@pytest.mark.parametrize("way", ["refuse", "withdraw"])
def test_refusing_and_withdrawing_give_the_memories_back(
    way: str, agent: Caller, asking: Asking, memory: str
) -> None:
    request = asking.open("anna")
    asking.verify(request)
    asking.scope(request)
    assert state(asking, memory) == "RESTRICTED"
    if way == "refuse":
        done = asking.decide(request, grant=False).json()
    else:
        done = asking.step(request, "withdraw", WHY).json()
    assert done["state"] == "closed"
    assert done["outcome"] == {"refuse": "refused", "withdraw": "withdrawn"}[way]
    assert agent.get(["crm"], "k").status_code == 200


def test_another_open_erasure_goes_on_restricting(
    agent: Caller, asking: Asking, memory: str
) -> None:
    first, second = asking.open("anna"), asking.open("anna")
    asking.verify(first)
    asking.verify(second)
    asking.step(first, "withdraw", WHY)
    assert agent.get(["crm"], "k").status_code == 404
    asking.step(second, "withdraw", WHY)
    assert agent.get(["crm"], "k").status_code == 200


@pytest.mark.slow
def test_what_is_excluded_stays_and_says_on_which_ground(
    agent: Caller, asking: Asking, memory: str
) -> None:
    other = agent.put(["crm"], "k2", {"text": "owes three invoices"}, subjects=["anna"]).json()
    request = asking.open("anna")
    asking.verify(request)
    asking.scope(request)
    foreign = agent.put(["crm"], "bob", {"text": "Bob"}, subjects=["bob"]).json()["id"]
    body = {"memory_ids": [foreign], "ground": "legal_claims", "text": "the invoices of 2025"}
    wrong = asking.step(request, "exclusions", body)
    assert wrong.json()["errors"][0]["path"] == "memory_ids[0]"
    made = asking.step(request, "exclusions", {**body, "memory_ids": [other["id"]]})
    assert made.json()["exclusions"][0]["ground"] == "legal_claims"
    asking.decide(request)
    done = asking.carry_out(request)
    assert done["outcome"] == "erased_in_part"
    line = asking.store(done, "memories")
    assert (line["found"], line["removed"], line["kept"]) == (2, 1, 1)
    assert line["ground"] == "excluded: legal_claims"
    assert agent.get(["crm"], "k2").status_code == 200
    assert state(asking, memory) == "PURGED"


def test_a_restriction_hides_until_it_is_lifted(agent: Caller, asking: Asking, memory: str) -> None:
    done = asking.carry_out(asking.ready("anna", "restriction"))
    assert (done["state"], done["outcome"]) == ("closed", "restricted")
    assert agent.get(["crm"], "k").status_code == 404
    assert state(asking, memory) == "RESTRICTED"
    lifted = asking.step(done["id"], "withdraw", WHY).json()
    assert lifted["outcome"] == "lifted"
    assert agent.get(["crm"], "k").status_code == 200


def test_the_list_shows_what_is_past_due_and_pages(asking: Asking) -> None:
    old = asking.open("anna", received_at="2026-01-01T00:00:00Z")
    asking.open("bob", "access")
    listed = asking.officer.call("GET", "/subject-requests?count=true&limit=1").json()
    assert (listed["total"], len(listed["items"])) == (2, 1)
    rest = asking.officer.call("GET", f"/subject-requests?cursor={listed['next']}").json()
    assert [one["id"] for one in rest["items"]] == [old]
    late = rest["items"][0]["due_at"].replace("Z", "+00:00")
    assert datetime.fromisoformat(late).year == 2026
    only = asking.officer.call("GET", "/subject-requests?kind=access&state=new").json()["items"]
    assert [one["kind"] for one in only] == ["access"]
    assert asking.officer.call("GET", "/subject-requests?state=x").status_code == 422


def test_somebody_else_s_request_is_not_there(asking: Asking, outsider: Caller) -> None:
    request = asking.open("anna")
    assert outsider.call("GET", f"/subject-requests/{request}").status_code == 404
    assert outsider.call("GET", "/subject-requests").json()["items"] == []


def test_what_was_written_about_a_person_is_not_for_viewers(
    asking: Asking, tenant: Tenant, make_person: Callable[..., User]
) -> None:
    request = asking.open("anna")
    asking.verify(request)
    assert asking.get(request)["identity"]["reference"] == "seen"
    viewer = Person(make_person(tenant, "viewer"), tenant)
    shown = viewer.call("GET", f"/subject-requests/{request}").json()
    assert (shown["reason"], shown["identity"]["reference"]) == (None, None)
