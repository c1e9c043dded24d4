"""What is quarantined, and the three decisions of an officer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memories.redating import change_settings
from memories.scanning import scan_pending
from privacy.configuring import add_pattern, add_policy
from privacy.detecting import PatternSpec
from tenants.access.configuring import parse_settings
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.callers import Caller
from tests.people import Person

SECRET = "AKIAIOSFODNN7EXAMPLE"
CN_ID = "11010519491231002X"
VALUE = {"note": f"{SECRET} is the key id", "who": f"身份证{CN_ID}"}


def quarantine(agent: Caller, key: str = "k") -> str:
    return agent.put(["a"], key, VALUE).json()["id"]


def decide(by: Caller, memory: str, decision: str, reason: str = "looked at it") -> Any:
    body = {"decision": decision, "reason": reason}
    return by.call("POST", f"/privacy/quarantine/{memory}", body)


def test_the_list_says_what_was_found_and_no_value(agent: Caller, officer: Person) -> None:
    made = quarantine(agent)
    answer = officer.call("GET", "/privacy/quarantine?count=true")
    assert SECRET not in answer.content.decode()
    (item,) = answer.json()["items"]
    assert (item["id"], item["because"], answer.json()["total"]) == (made, "detected", 1)
    assert {"entity": "secret", "path": "note", "count": 1} in item["found"]
    shown = officer.call("GET", f"/memories/{made}").json()
    assert shown["retention"]["state"] == "QUARANTINED"
    assert SECRET not in str(shown)
    assert CN_ID not in str(shown)


def test_a_released_memory_is_in_use_with_what_is_milder_still_done(
    agent: Caller, officer: Person
) -> None:
    made = quarantine(agent)
    done = decide(officer, made, "release")
    assert done.status_code == 200, done.content
    assert done.json()["retention"]["state"] == "ACTIVE"
    got = agent.get(["a"], "k").json()
    assert got["id"] == made
    assert got["value"]["note"] == VALUE["note"]
    assert CN_ID not in got["value"]["who"]
    assert officer.call("GET", "/privacy/quarantine").json()["items"] == []
    again = decide(officer, made, "release").json()
    assert (again["code"], again["state"]) == ("invalid_state", "ACTIVE")


def test_a_released_memory_stays_released_until_something_else_is_found(
    agent: Caller, officer: Person, tenant: Tenant
) -> None:
    made = quarantine(agent)
    decide(officer, made, "release")

    def scan(**rule: str) -> Any:
        """The next scan after a change of rules, which looks at everything again."""
        with acting_as(operator_actor(tenant.id)):
            add_policy(**rule)
            return scan_pending()

    for kind in ("fact", "profile"):  # twice: the first scan keeps what the officer said
        assert scan(entity="email", action="redact", kind=kind)["scanned"] == 1
        assert agent.get(["a"], "k").json()["value"]["note"] == VALUE["note"]
    scan(entity="secret", action="reject")  # stricter, and the same is found
    assert agent.get(["a"], "k").json()["value"]["note"] == VALUE["note"]
    with acting_as(operator_actor(tenant.id)):
        add_pattern(PatternSpec("code", "is the key"))
    scan(entity="code", action="quarantine")
    assert agent.get(["a"], "k").status_code == 404
    assert officer.call("GET", "/privacy/quarantine").json()["items"][0]["id"] == made
    decide(officer, made, "release")
    agent.put(["a"], "k", {**VALUE, "more": f"{SECRET} once more"})
    assert agent.get(["a"], "k").json()["value"]["note"] == VALUE["note"], "the put is quarantined"


def test_what_was_only_noted_is_quarantined_by_a_stricter_rule(
    agent: Caller, tenant: Tenant
) -> None:
    with acting_as(operator_actor(tenant.id)):
        change_settings(parse_settings({"pii": {"secret": "flag"}}))
    agent.put(["a"], "k", VALUE)
    assert agent.get(["a"], "k").json()["value"]["note"] == VALUE["note"]
    with acting_as(operator_actor(tenant.id)):
        add_policy(entity="secret", action="quarantine")
        assert scan_pending()["quarantined"] == 1
    assert agent.get(["a"], "k").status_code == 404


def test_a_redacted_memory_is_in_use_without_the_secret(agent: Caller, officer: Person) -> None:
    made = quarantine(agent)
    assert decide(officer, made, "redact").status_code == 200
    assert agent.get(["a"], "k").json()["value"]["note"] == "[secret] is the key id"
    assert agent.search(["a"], query="key", mode="text").json()["items"][0]["id"] == made


def test_a_destroyed_memory_goes_by_the_trash(agent: Caller, officer: Person) -> None:
    made = quarantine(agent)
    done = decide(officer, made, "destroy")
    assert done.json()["retention"]["state"] == "TRASH"
    assert agent.get(["a"], "k").status_code == 404
    event = officer.call("GET", f"/memories/{made}/events").json()["items"][0]
    assert event["action"] == "privacy.decide"
    assert event["links"]["decision"] == "destroy"


def test_nothing_returns_while_its_key_is_taken(agent: Caller, officer: Person) -> None:
    made = quarantine(agent)
    agent.put(["a"], "k", {"note": "safe"})
    assert decide(officer, made, "release").json()["code"] == "key_taken"
    agent.delete(["a"], "k")
    assert decide(officer, made, "release").status_code == 200


def test_a_quarantined_memory_is_not_restored_by_the_other_door(
    agent: Caller, officer: Person
) -> None:
    made = quarantine(agent)
    refused = officer.call("POST", f"/memories/{made}/restore", {"reason": "please"})
    assert (refused.status_code, refused.json()["code"]) == (409, "quarantined")


def test_only_officers_decide(
    agent: Caller, person: Callable[[str], Person], rival: Tenant, make_person: Callable[..., Any]
) -> None:
    made = quarantine(agent)
    assert decide(agent, made, "release").json()["code"] == "people_only"
    assert agent.call("GET", "/privacy/quarantine").json()["code"] == "people_only"
    for role in ("admin", "auditor", "viewer"):
        assert decide(person(role), made, "release").status_code == 403
    stranger = Person(make_person(rival, "officer"), rival)
    assert decide(stranger, made, "release").status_code == 404
    assert stranger.call("GET", "/privacy/quarantine").json()["items"] == []
