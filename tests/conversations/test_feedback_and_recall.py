"""Feedback on searches, golden questions, and recall measured against the exact search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction

from audit.jobs import run_job
from conversations.feedback import count_feedback
from conversations.measuring import Figures, measure_nightly, which_dropped
from memories.models import Finding
from tenants.actors import job_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.callers import Caller
from tests.fuzzing.contract import fault_of
from tests.people import Person

FACTS = {"tea": "我喜欢喝龙井茶", "home": "我住在杭州", "ship": "默认用顺丰发货"}


def fill(agent: Caller) -> dict[str, str]:
    """Some facts; their ids by key."""
    return {
        key: agent.put(["users", "u1"], key, {"text": text}, index=["text"]).json()["id"]
        for key, text in FACTS.items()
    }


def search(agent: Caller, query: str = "我住在哪里") -> dict[str, Any]:
    found: dict[str, Any] = agent.search(["users"], query=query, limit=2).json()
    return found


def give(caller: Caller, search_id: str, **body: Any) -> Any:
    return caller.call("POST", f"/searches/{search_id}/feedback", body)


def test_feedback_is_kept_counted_and_replaced(agent: Caller, tenant: Tenant) -> None:
    fill(agent)
    found = search(agent)
    used = [found["items"][0]["id"]]
    assert give(agent, found["search_id"], used=used, helpful=True).status_code == 204
    assert give(agent, found["search_id"], used=used, helpful=False).status_code == 204
    assert give(agent, search(agent)["search_id"], used=[]).status_code == 204
    with acting_as(job_actor("x", tenant.id)):
        figures = count_feedback()
    assert (figures.given, figures.used, figures.judged, figures.helpful) == (2, 1, 1, 0)
    (event, *_) = agent.call("GET", "/audit/events?action=search.feedback").json()["items"]
    assert event["target"]["kind"] == "search"


def test_feedback_names_what_was_shown(agent: Caller) -> None:
    fill(agent)
    found = search(agent)
    refused = give(agent, found["search_id"], used=[found["items"][0]["id"], str(uuid4())])
    assert refused.status_code == 422
    assert [(one["path"], one["code"]) for one in refused.json()["errors"]] == [
        ("used[1]", "not_shown")
    ]
    assert give(agent, found["search_id"], used="x").status_code == 422
    assert give(agent, found["search_id"], used=[], more=1).status_code == 422


def test_a_search_of_others_is_not_there(
    agent: Caller, outsider: Caller, tenant: Tenant, make_caller: Callable[..., Caller]
) -> None:
    fill(agent)
    found = search(agent)
    assert give(outsider, found["search_id"], used=[]).status_code == 404
    assert give(agent, str(uuid4()), used=[]).status_code == 404
    confined = make_caller(tenant, prefixes=["elsewhere/"])
    assert give(confined, found["search_id"], used=[]).status_code == 404
    colleague = make_caller(tenant, prefixes=["users/"])
    assert give(colleague, found["search_id"], used=[]).status_code == 204
    event = agent.put(["a"], "b", {"text": "no search"}, index=False)
    assert event.status_code == 200
    (put, *_) = agent.call("GET", "/audit/events?action=memory.put").json()["items"]
    assert give(agent, put["id"], used=[]).status_code == 404


@pytest.mark.slow
def test_golden_questions_are_added_listed_measured_and_removed(
    agent: Caller, tenant: Tenant, outsider: Caller
) -> None:
    ids = fill(agent)
    asked = {
        "question": "快递怎么寄", "namespace_prefix": ["users"], "expected": [ids["ship"]],
    }  # fmt: skip
    made = agent.call("POST", "/golden-questions", asked)
    assert made.status_code == 201, made.content
    where = made.headers["Location"].removeprefix("/api/v1")
    assert agent.call("GET", where).json() == made.json()
    assert made.json()["last_result"] is None
    assert outsider.call("GET", where).status_code == 404
    assert outsider.call("GET", "/golden-questions").json()["items"] == []
    started = agent.call("POST", "/golden-questions/run")
    assert (started.status_code, started.json()["progress"]["total"]) == (202, 1)
    assert agent.call("POST", "/golden-questions/run").json()["code"] == "already_running"
    with acting_as(job_actor("run", tenant.id)):
        run_job(started.json()["id"])
    job = agent.call("GET", f"/jobs/{started.json()['id']}").json()
    assert (job["state"], job["result"]["recall"], job["result"]["found"]) == ("done", 1.0, 1.0)
    for path in ("/golden-questions", where, f"{where}/results", "/golden-questions/results"):
        assert fault_of("GET", f"/api/v1{path}", agent.call("GET", path)) is None
    assert fault_of("POST", "/api/v1/golden-questions", made) is None
    assert fault_of("POST", "/api/v1/golden-questions/run", started) is None
    (run,) = agent.call("GET", "/golden-questions/results").json()["items"]
    assert (run["trigger"], run["questions"], run["dropped"]) == ("manual", 1, False)
    (result,) = agent.call("GET", f"{where}/results").json()["items"]
    assert (result["recall"], result["found"], result["missing"]) == (1.0, 1.0, [])
    assert agent.call("GET", where).json()["last_result"] == result
    assert agent.call("DELETE", where).status_code == 204
    assert agent.call("DELETE", where).status_code == 204
    assert agent.call("GET", where).status_code == 404
    assert agent.call("POST", "/golden-questions/run").json()["code"] == "no_questions"


def test_a_golden_question_expects_what_is_there(
    agent: Caller, tenant: Tenant, make_caller: Callable[..., Caller]
) -> None:
    ids = fill(agent)
    body = {"question": "?", "namespace_prefix": ["teams"], "expected": [ids["tea"]]}
    refused = agent.call("POST", "/golden-questions", body)
    assert refused.json()["errors"][0]["code"] == "unknown_memory"
    confined = make_caller(tenant, prefixes=["teams/"])
    body = {"question": "?", "namespace_prefix": ["users"], "expected": [ids["tea"]]}
    assert confined.call("POST", "/golden-questions", body).json()["code"] == "outside_prefix"
    body["question"] = "谁的手机号是13812345678？"
    made = agent.call("POST", "/golden-questions", body).json()
    assert "13812345678" not in made["question"]
    assert confined.call("GET", "/golden-questions").json()["items"] == []
    assert confined.call("GET", f"/golden-questions/{made['id']}").status_code == 404


def measure(tenant: Tenant) -> None:
    with acting_as(job_actor("run", tenant.id)):
        job = measure_nightly()
        assert job is not None
        run_job(job.id)


def is_alarmed(tenant: Tenant) -> bool:
    with acting_as(job_actor("run", tenant.id)), transaction.atomic():
        found: bool = Finding.objects.filter(kind="recall_dropped", closed_at__isnull=True).exists()
        return found


def test_a_drop_is_a_finding_until_it_is_as_good_again(
    agent: Caller, tenant: Tenant, make_person: Callable[[Tenant, str], User]
) -> None:
    ids = fill(agent)
    body = {"question": "快递怎么寄", "namespace_prefix": ["users"], "expected": [ids["ship"]]}
    assert agent.call("POST", "/golden-questions", body).status_code == 201
    measure(tenant)
    assert not is_alarmed(tenant)
    agent.delete(["users", "u1"], "ship")
    measure(tenant)
    assert is_alarmed(tenant)
    officer = Person(make_person(tenant, "officer"), tenant)
    (last, *_) = officer.call("GET", "/golden-questions/results").json()["items"]
    assert (last["trigger"], last["found"], last["dropped"]) == ("nightly", 0.0, True)
    restored = officer.call("POST", f"/memories/{ids['ship']}/restore", {"reason": "needed"})
    assert restored.status_code == 200
    measure(tenant)
    assert not is_alarmed(tenant)


def test_measuring_reads_nothing_and_counts_no_access(agent: Caller, tenant: Tenant) -> None:
    ids = fill(agent)
    body = {"question": "我住在哪", "namespace_prefix": ["users"], "expected": [ids["home"]]}
    agent.call("POST", "/golden-questions", body)
    measure(tenant)
    item = agent.get(["users", "u1"], "home").json()
    assert item["access_count"] == 1  # this very read


@pytest.mark.parametrize(
    ("history", "current", "dropped"),
    [
        ([], (0.1, 0.1), set()),
        ([(1.0, 1.0)], (0.96, 1.0), set()),
        ([(1.0, 1.0)], (0.94, 1.0), {"recall"}),
        ([(1.0, 0.8), (1.0, 0.6)], (1.0, 0.64), {"found"}),
        ([(1.0, 0.8), (1.0, 0.6)], (1.0, 0.66), set()),
        ([(1.0, 0.8)], (0.5, 0.5), {"recall", "found"}),
        ([(None, 1.0)], (0.2, 1.0), set()),
        ([(1.0, 1.0)], (None, 1.0), set()),
    ],
)
def test_a_figure_drops_when_it_falls_below_those_before(
    history: list[tuple[float | None, float]],
    current: tuple[float | None, float],
    dropped: set[str],
) -> None:
    before = [Figures(*one) for one in history]
    assert which_dropped(before, Figures(*current)) == dropped
