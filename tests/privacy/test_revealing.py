"""An agent sees the token, an officer reveals it and finds by it; the event says so, no value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sealing.rotating import destroy_tenant
from tenants.models import Tenant
from tests.callers import Caller
from tests.people import Person

CN_ID = "11010519491231002X"
VALUE = {"list": [{"text": f"他的身份证是{CN_ID}。"}], "tel": "13800138000"}


def reveal(by: Caller, memory: str, path: str, reason: str = "the court asked") -> Any:
    return by.call("POST", f"/memories/{memory}/reveal", {"path": path, "reason": reason})


def find(by: Caller, value: str = CN_ID, entity: str = "cn_id") -> Any:
    return by.call("POST", "/memories/find", {"entity": entity, "value": value})


def test_an_officer_reveals_one_place_for_five_minutes(agent: Caller, officer: Person) -> None:
    made = agent.put(["a"], "k", VALUE).json()
    shown = officer.call("GET", f"/memories/{made['id']}")
    assert CN_ID not in shown.content.decode()
    for path in ("list[0].text", "value.list[0].text", "$.list[0].text"):
        done = reveal(officer, made["id"], path)
        assert done.status_code == 200, done.content
        assert done.json()["value"] == VALUE["list"][0]["text"]
        assert done.json()["until"].endswith("Z")
    assert done["Cache-Control"] == "no-store"


def test_the_event_names_place_and_reason_and_no_value(agent: Caller, officer: Person) -> None:
    made = agent.put(["a"], "k", VALUE).json()
    reveal(officer, made["id"], "list[0].text", f"asked about {CN_ID}")
    answer = officer.call("GET", f"/memories/{made['id']}/events")
    assert CN_ID not in answer.content.decode()
    event = next(one for one in answer.json()["items"] if one["action"] == "memory.reveal")
    assert event["actor"]["kind"] == "person"
    assert event["links"]["path"] == "list[0].text"
    assert event["links"]["entities"] == ["cn_id"]


@pytest.mark.slow
def test_what_is_only_masked_has_no_original(agent: Caller, officer: Person) -> None:
    made = agent.put(["a"], "k", VALUE).json()
    assert reveal(officer, made["id"], "tel").json()["code"] == "nothing_sealed"
    assert reveal(officer, made["id"], "nowhere").json()["errors"][0]["code"] == "unknown_path"


@pytest.mark.slow
def test_what_is_encrypted_is_shown_masked_and_revealed(
    make_tenant: Any, make_caller: Any, make_person: Any
) -> None:
    tenant = make_tenant(pii={"cn_mobile": "encrypt"})
    made = make_caller(tenant).put(["a"], "k", VALUE).json()
    assert made["value"]["tel"] == "138****8000"
    done = reveal(Person(make_person(tenant, "officer"), tenant), made["id"], "tel")
    assert done.json()["value"] == "13800138000"


def test_only_officers_reveal_and_find(agent: Caller, person: Callable[[str], Person]) -> None:
    made = agent.put(["a"], "k", VALUE).json()
    assert reveal(agent, made["id"], "list[0].text").json()["code"] == "people_only"
    assert find(agent).json()["code"] == "people_only"
    for role in ("admin", "auditor", "viewer"):
        assert reveal(person(role), made["id"], "list[0].text").status_code == 403
        assert find(person(role)).status_code == 403


def test_an_outsider_reveals_and_finds_nothing(
    agent: Caller, rival: Tenant, make_person: Callable[..., Any]
) -> None:
    made = agent.put(["a"], "k", VALUE).json()
    stranger = Person(make_person(rival, "officer"), rival)
    assert reveal(stranger, made["id"], "list[0].text").status_code == 404
    assert find(stranger).json()["items"] == []


def test_a_reveal_needs_a_reason(agent: Caller, officer: Person) -> None:
    made = agent.put(["a"], "k", VALUE).json()
    assert reveal(officer, made["id"], "list[0].text", " ").status_code == 422


def test_the_budget_of_an_hour_ends(agent: Caller, officer: Person, settings: Any) -> None:
    settings.REVEALS_PER_HOUR = 2
    made = agent.put(["a"], "k", VALUE).json()
    for _ in range(2):
        assert reveal(officer, made["id"], "list[0].text").status_code == 200
    refused = reveal(officer, made["id"], "list[0].text")
    assert (refused.status_code, refused.json()["code"]) == (429, "reveal_budget")
    assert 0 < int(refused["Retry-After"]) <= 3600


@pytest.mark.slow
@pytest.mark.parametrize("written", [CN_ID, CN_ID.lower(), "110105 19491231 002X"])
def test_an_officer_finds_a_memory_by_a_sealed_value(
    agent: Caller, officer: Person, written: str
) -> None:
    made = agent.put(["a"], "k", VALUE).json()
    agent.put(["a"], "other", {"text": "nothing"})
    found = find(officer, written)
    assert [one["id"] for one in found.json()["items"]] == [made["id"]]
    assert CN_ID not in found.content.decode()
    assert find(officer, "440524188001010014").json()["items"] == []
    assert find(officer, CN_ID, "bank_card").json()["items"] == []


def test_without_the_tenants_key_nothing_is_revealed(
    agent: Caller, officer: Person, tenant: Tenant
) -> None:
    made = agent.put(["a"], "k", VALUE).json()
    destroy_tenant(tenant.id)
    refused = reveal(officer, made["id"], "list[0].text")
    assert (refused.status_code, refused.json()["code"]) == (409, "key_gone")


@pytest.mark.slow
def test_a_token_that_an_agent_copied_keeps_its_original(agent: Caller, officer: Person) -> None:
    made = agent.put(["a"], "k", VALUE).json()
    copy = agent.put(["b"], "k", {"seen": made["value"]["list"][0]["text"]}).json()
    assert reveal(officer, copy["id"], "seen").json()["value"] == VALUE["list"][0]["text"]
    assert len(find(officer).json()["items"]) == 2
    forged = agent.put(["b"], "f", {"seen": "⟦cn_id:AAAAAAAAAA⟧"}).json()
    assert reveal(officer, forged["id"], "seen").json()["code"] == "nothing_sealed"
