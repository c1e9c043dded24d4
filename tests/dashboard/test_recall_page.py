"""The page of recall quality: teaches when empty, takes a question, shows runs and the alarm."""

from __future__ import annotations

import pytest
from django.test import Client

from audit.jobs import run_job
from audit.models import Job
from conversations.measuring import measure_nightly
from tenants.actors import job_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.callers import Caller


def measure(tenant: Tenant) -> Job:
    with acting_as(job_actor("run", tenant.id)):
        job = measure_nightly()
        assert job is not None
        run_job(job.id)
    return job


def text_of(client: Client, path: str = "/memories/recall", **headers: str) -> str:
    answer = client.get(path, headers=headers)
    assert answer.status_code == 200
    return answer.content.decode()


def test_empty_it_teaches_and_a_question_is_added_asked_and_removed(
    tenant: Tenant, agent: Caller, officer: Client
) -> None:
    assert "No golden question yet" in text_of(officer)
    ship = agent.put(
        ["users", "u1"], "ship", {"text": "默认用顺丰发货"}, index=["text"]
    ).json()["id"]  # fmt: skip
    body = {"question": "快递怎么寄？", "namespace_prefix": "users/", "expected": ship}
    assert officer.post("/memories/recall", {**body, "expected": "x"}).status_code == 422
    wrong = officer.post("/memories/recall", {**body, "namespace_prefix": "teams/"})
    assert (wrong.status_code, "快递怎么寄" in wrong.content.decode()) == (422, True)
    assert officer.post("/memories/recall", body).status_code == 302
    assert "not measured yet" in text_of(officer)
    assert officer.post("/memories/recall/now").status_code == 302
    assert "A run is under way" in text_of(officer)
    with acting_as(job_actor("run", tenant.id)):
        job = agent.call("GET", "/golden-questions").json()["items"][0]
    shown = text_of(officer)
    assert "disabled" in shown
    removed = officer.post(f"/memories/recall/{job['id']}/remove")
    assert removed.status_code == 302
    assert "No golden question yet" in text_of(officer)


@pytest.mark.slow
def test_runs_are_drawn_with_their_table_and_a_drop_is_an_alarm(
    tenant: Tenant, agent: Caller, officer: Client
) -> None:
    ids = [
        agent.put(["users"], key, {"text": text}, index=["text"]).json()["id"]
        for key, text in (("ship", "默认用顺丰发货"), ("tea", "我喜欢喝龙井茶"))
    ]
    body = {"question": "快递怎么寄？", "namespace_prefix": ["users"], "expected": ids}
    assert agent.call("POST", "/golden-questions", body).status_code == 201
    measure(tenant)
    shown = text_of(officer)
    assert "100 %" in shown
    assert "recall has dropped" not in shown
    agent.delete(["users"], "ship")
    measure(tenant)
    shown = text_of(officer)
    assert "recall has dropped" in shown
    assert 'class="curve curve-found" d="M' in shown
    assert "1 of 2 not found" in shown
    chinese = text_of(officer, **{"accept-language": "zh-hans"})
    assert "召回质量" in chinese
    assert "Recall quality" not in chinese
    assert "recall has dropped" in text_of(officer, "/")


def test_feedback_is_shown_as_a_share(agent: Caller, officer: Client) -> None:
    agent.put(["users"], "ship", {"text": "默认用顺丰发货"}, index=["text"])
    for used in (True, True, True, False):
        found = agent.search(["users"], query="快递").json()
        ids = [found["items"][0]["id"]] if used else []
        path = f"/searches/{found['search_id']}/feedback"
        assert agent.call("POST", path, {"used": ids, "helpful": used}).status_code == 204
    assert "75 %" in text_of(officer)
