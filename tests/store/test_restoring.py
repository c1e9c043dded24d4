"""POST /memories/{id}/restore and /label: by officers, with a reason."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.callers import Caller
from tests.people import Person


def restore(by: Caller, memory: str, reason: str | None = "asked for") -> object:
    return by.call("POST", f"/memories/{memory}/restore", {"reason": reason})


def test_an_officer_restores_what_an_agent_deleted(agent: Caller, officer: Person) -> None:
    made = agent.put(["a"], "k", {"n": 1}).json()
    agent.delete(["a"], "k")
    done = restore(officer, made["id"])
    assert done.status_code == 200
    assert done.json()["retention"]["state"] == "ACTIVE"
    got = agent.get(["a"], "k").json()
    assert got["id"] == made["id"]
    assert got["version"] == 1


def test_what_is_in_use_cannot_be_restored(agent: Caller, officer: Person) -> None:
    made = agent.put(["a"], "k", {"n": 1}).json()
    refused = restore(officer, made["id"])
    assert refused.status_code == 409
    assert refused.json()["code"] == "not_hidden"


def test_a_key_that_was_taken_meanwhile_stays_with_the_new_memory(
    agent: Caller, officer: Person
) -> None:
    old = agent.put(["a"], "k", {"n": 1}).json()
    agent.delete(["a"], "k")
    new = agent.put(["a"], "k", {"n": 2}).json()
    refused = restore(officer, old["id"])
    assert (refused.status_code, refused.json()["code"]) == (409, "key_taken")
    assert officer.call("GET", f"/memories/{old['id']}").json()["restorable"] is False
    agent.delete(["a"], "k")
    assert restore(officer, old["id"]).status_code == 200
    assert restore(officer, new["id"]).json()["code"] == "key_taken"


@pytest.mark.parametrize("reason", ["", "  ", None, 3])
def test_a_restore_without_a_reason_is_refused(
    agent: Caller, officer: Person, reason: object
) -> None:
    made = agent.put(["a"], "k", {"n": 1}).json()
    agent.delete(["a"], "k")
    refused = officer.call("POST", f"/memories/{made['id']}/restore", {"reason": reason})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["path"] == "reason"


def test_only_officers_restore_and_label(agent: Caller, person: Callable[[str], Person]) -> None:
    made = agent.put(["a"], "k", {"n": 1}).json()
    agent.delete(["a"], "k")
    assert restore(agent, made["id"]).json()["code"] == "people_only"
    for role in ("admin", "auditor", "viewer"):
        assert restore(person(role), made["id"]).status_code == 403


def test_an_outsider_cannot_restore(
    agent: Caller, rival: object, make_person: Callable[..., object]
) -> None:
    made = agent.put(["a"], "k", {"n": 1}).json()
    agent.delete(["a"], "k")
    stranger = Person(make_person(rival, "officer"), rival)  # type: ignore[arg-type]
    assert restore(stranger, made["id"]).status_code == 404


def test_a_label_is_set_and_taken_off(agent: Caller, officer: Person) -> None:
    made = agent.put(["a"], "k", {"n": 1}).json()
    path = f"/memories/{made['id']}/label"
    done = officer.call("POST", path, {"label": "contract", "reason": "it is one"})
    assert done.json()["label"] == "contract"
    assert agent.get(["a"], "k").json()["label"] == "contract"
    done = officer.call("POST", path, {"label": None, "reason": "it is not"})
    assert done.json()["label"] is None
    assert officer.call("POST", path, {"reason": "no label"}).status_code == 422


def test_a_put_keeps_the_label(agent: Caller, officer: Person) -> None:
    made = agent.put(["a"], "k", {"n": 1}).json()
    officer.call("POST", f"/memories/{made['id']}/label", {"label": "x", "reason": "y"})
    assert agent.put(["a"], "k", {"n": 2}).json()["label"] == "x"


def test_a_restore_is_an_event_with_its_reason(agent: Caller, officer: Person) -> None:
    made = agent.put(["a"], "k", {"n": 1}).json()
    agent.delete(["a"], "k")
    restore(officer, made["id"], "the customer came back")
    events = officer.call("GET", f"/memories/{made['id']}/events").json()["items"]
    event = next(one for one in events if one["action"] == "memory.restore")
    assert event["actor"]["kind"] == "person"
    assert event["links"]["reason"] == "the customer came back"
