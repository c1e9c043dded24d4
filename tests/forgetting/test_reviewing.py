"""The review queue: out of use until an officer destroys, keeps or labels; each decision once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from memories.models import Memory
from tests.callers import Caller
from tests.people import Person
from tests.rules.governing import Governed

Sweep = Callable[..., dict[str, int]]
PassTime = Callable[..., None]
RULE = {"key": "ask", "kind": "expire", "after": {"days": 90}, "end": "review"}


def decide(officer: Caller, memory: str, decision: str, **more: Any) -> Any:
    body = {"decision": decision, "reason": "looked at it", **more}
    return officer.call("POST", f"/policies/reviews/{memory}", body)


def state_of(officer: Caller, memory: str) -> str:
    answer = officer.call("GET", f"/memories/{memory}").json()
    return str(answer["retention"]["state"] if "retention" in answer else answer["code"])


@pytest.fixture
def waiting(governed: Governed, agent: Caller, sweep: Sweep, pass_time: PassTime) -> list[str]:
    """Ids of two memories that wait, swept."""
    governed.enforce(RULE)
    ids = [agent.put(["a"], key, {"n": 1}, index=False).json()["id"] for key in ("k", "l")]
    pass_time(days=91)
    assert sweep(dry_run=True) == {"hidden": 2, "to_review": 2}
    assert sweep() == {"hidden": 2, "to_review": 2}
    return ids


@pytest.mark.slow
def test_what_waits_is_hidden_and_listed_for_officers(
    waiting: list[str], agent: Caller, officer: Person, governed: Governed, sweep: Sweep
) -> None:
    assert agent.get(["a"], "k").status_code == 404
    assert state_of(officer, waiting[0]) == "IN_REVIEW"
    listed = officer.call("GET", "/policies/reviews?limit=1&count=true").json()
    assert (len(listed["items"]), listed["total"]) == (1, 2)
    rest = officer.call("GET", f"/policies/reviews?cursor={listed['next']}").json()["items"]
    items = [*listed["items"], *rest]
    assert sorted(item["memory_id"] for item in items) == sorted(waiting)
    assert {item["rule"] for item in items} == {"ask"}
    assert governed.author.call("GET", "/policies/reviews").status_code == 403
    assert agent.call("GET", "/policies/reviews").status_code == 403
    assert sweep(at=datetime.fromisoformat("2199-01-01T00:00:00Z")) == {}  # until somebody decides


@pytest.mark.slow
def test_a_decision_to_destroy_is_carried_out_by_the_next_sweep(
    waiting: list[str], officer: Person, sweep: Sweep, row_of: Callable[[str], Memory]
) -> None:
    done = decide(officer, waiting[0], "destroy")
    assert done.status_code == 200, done.content
    row = row_of("k")
    again = decide(officer, waiting[0], "destroy")
    assert (again.status_code, row_of("k").reviewed_at) == (200, row.reviewed_at)
    # the rule is newer than the rows, which were aged: its notice comes before
    assert row.purge_at_b - row.reviewed_at < timedelta(days=7)
    assert decide(officer, waiting[0], "keep").json()["code"] == "invalid_state"
    assert sweep(at=row.purge_at_b) == {"purged": 1}
    assert state_of(officer, waiting[0]) == "purged"
    assert len(officer.call("GET", "/policies/reviews").json()["items"]) == 1


@pytest.mark.slow
def test_what_is_kept_is_back_in_use_and_waits_again_later(
    waiting: list[str], agent: Caller, officer: Person, sweep: Sweep, pass_time: PassTime
) -> None:
    for _ in range(2):
        kept = decide(officer, waiting[0], "keep")
        assert (kept.status_code, kept.json()["retention"]["state"]) == (200, "ACTIVE")
    assert agent.get(["a"], "k").status_code == 200
    assert sweep() == {}
    pass_time(days=91)
    assert sweep() == {"hidden": 1, "to_review": 1}
    events = officer.call("GET", "/audit/events?action=review.decide").json()["items"]
    assert [(one["links"]["decision"], one["links"]["reason"]) for one in events] == [
        ("keep", "looked at it")
    ]


@pytest.mark.slow
def test_keeping_is_refused_while_another_memory_has_the_key(
    waiting: list[str], agent: Caller, officer: Person
) -> None:
    agent.put(["a"], "k", {"n": 2}, index=False)
    assert decide(officer, waiting[0], "keep").json()["code"] == "key_taken"
    assert state_of(officer, waiting[0]) == "IN_REVIEW"


@pytest.mark.slow
def test_a_label_lets_the_rules_speak_again(
    governed: Governed, agent: Caller, officer: Person, sweep: Sweep, pass_time: PassTime
) -> None:
    seven_years = {"key": "seven", "kind": "expire", "after": {"days": 2555}, "label": "contract"}
    governed.enforce(RULE, seven_years)
    made = agent.put(["a"], "k", {"n": 1}, index=False).json()["id"]
    pass_time(days=91)
    sweep()
    assert decide(officer, made, "label", label="other").json()["retention"]["state"] == "IN_REVIEW"
    assert decide(officer, made, "label", label="contract").json()["retention"]["state"] == "ACTIVE"
    assert decide(officer, made, "label", label="contract").status_code == 200
    assert agent.get(["a"], "k").json()["label"] == "contract"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"decision": "label"}, 422, "not_together"),
        ({"decision": "keep", "label": "x"}, 422, "not_together"),
        ({"decision": "burn"}, 422, "unknown_value"),
        ({"decision": "keep", "reason": " "}, 422, "required"),
        ({"decision": "keep"}, 409, "invalid_state"),
    ],
)
def test_what_makes_no_sense_is_refused(
    agent: Caller, officer: Person, body: dict[str, Any], status: int, code: str
) -> None:
    made = agent.put(["a"], "k", {"n": 1}, index=False).json()["id"]
    answer = officer.call("POST", f"/policies/reviews/{made}", {"reason": "r", **body})
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.content


@pytest.mark.slow
def test_an_outsider_sees_and_decides_nothing(
    waiting: list[str], outsider: Caller, make_person: Any, rival: Any
) -> None:
    stranger = Person(make_person(rival, "officer"), rival)
    assert stranger.call("GET", "/policies/reviews").json()["items"] == []
    assert decide(stranger, waiting[0], "destroy").status_code == 404
    assert decide(outsider, waiting[0], "destroy").status_code == 403
