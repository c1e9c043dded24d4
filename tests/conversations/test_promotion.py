"""From what is said to what is known: candidates, promotion, contradiction, the caller's word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction

from conversations.models import OpenCandidate
from conversations.promoting import promote_pending
from memories.models import Memory, MemoryVersion
from tenants.actors import job_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.callers import Caller
from tests.fuzzing.contract import fault_of

Say = Callable[..., str]


@pytest.fixture
def say(agent: Caller) -> Say:
    """Says each text as one subject, in a session of its own; the session's id."""

    def speak(subject: str, *texts: str, role: str = "user") -> str:
        opened = agent.call("POST", "/sessions", {"subject": subject, "channel": "web"})
        assert opened.status_code == 201, opened.content
        session = opened.json()["session_id"]
        for text in texts:
            answer = agent.call(
                "POST", f"/sessions/{session}/messages", {"role": role, "content": text}
            )
            assert answer.status_code == 201, answer.content
        return session

    return speak


def promote(tenant: Tenant) -> int:
    with acting_as(job_actor("promote", tenant.id)):
        return promote_pending()


def learned(agent: Caller, subject: str) -> dict[str, Any]:
    """What is known of a subject, by key."""
    found = agent.search(["users"], subjects=[subject], limit=100).json()["items"]
    return {item["key"]: item for item in found if item["tier"] == "long"}


def test_said_in_two_sessions_it_is_a_profile_fact_with_two_sources(
    tenant: Tenant, agent: Caller, say: Say
) -> None:
    say("u1", "我住在杭州")
    assert promote(tenant) == 0
    assert learned(agent, "u1") == {}
    say("u1", "我家在杭州。")
    assert promote(tenant) == 1
    (home,) = learned(agent, "u1").values()
    assert home["kind"] == "profile"
    assert home["value"]["value"] == "杭州"
    assert home["subjects"] == ["u1"]
    assert len(home["derived_from"]) == 2
    assert home["source"]["promotion"] == "two_sessions"
    assert promote(tenant) == 0
    sources = [agent.call("GET", f"/memories/{one}").json() for one in home["derived_from"]]
    assert {one["value"]["text"] for one in sources} == {"我住在杭州", "我家在杭州"}
    assert {(one["kind"], one["tier"]) for one in sources} == {("candidate", "short")}


@pytest.mark.slow
def test_a_contradiction_becomes_the_current_version_and_the_old_is_history(
    tenant: Tenant, agent: Caller, say: Say
) -> None:
    say("u1", "我住在杭州")
    say("u1", "我住在杭州")
    say("u1", "我搬到北京了")  # all three before promotion looks
    assert promote(tenant) == 2
    (home,) = learned(agent, "u1").values()
    assert (home["value"]["value"], home["version"]) == ("北京", 2)
    assert home["source"]["promotion"] == "contradicts"
    versions = agent.call("GET", f"/memories/{home['id']}/versions").json()["items"]
    assert [one["value"]["value"] for one in versions] == ["北京", "杭州"]
    say("u1", "我住在北京")
    assert promote(tenant) == 1
    (home,) = learned(agent, "u1").values()
    assert len(home["derived_from"]) == 2
    assert home["value"]["value"] == "北京"


@pytest.mark.slow
def test_three_times_in_one_session_is_enough_and_chatter_never_is(
    tenant: Tenant, agent: Caller, say: Say
) -> None:
    say("u1", "今天天气不错", "谢谢你", "你好", "I'm allergic to peanuts", "hello there")
    say("u1", "今天天气不错", "谢谢你", "你好", "hello there")
    assert promote(tenant) == 0
    session = say("u2", *["I'm allergic to peanuts"] * 3)
    assert promote(tenant) == 1
    (fact,) = learned(agent, "u2").values()
    assert (fact["source"]["promotion"], len(fact["derived_from"])) == ("three_times", 3)
    with acting_as(job_actor("promote", tenant.id)), transaction.atomic():
        assert Memory.objects.filter(session=session, kind="candidate").count() == 3
        assert OpenCandidate.objects.filter(id__in=fact["derived_from"]).count() == 0


def test_what_the_assistant_says_is_no_candidate(tenant: Tenant, say: Say) -> None:
    say("u1", "我住在杭州", "I live in Berlin", role="assistant")
    with acting_as(job_actor("promote", tenant.id)), transaction.atomic():
        assert OpenCandidate.objects.count() == 0


def test_what_is_asked_to_be_remembered_is_promoted_at_once(
    tenant: Tenant, agent: Caller, say: Say
) -> None:
    say("u1", "请记住，我对花生过敏")
    assert promote(tenant) == 1
    (fact,) = learned(agent, "u1").values()
    assert (fact["value"]["attribute"], fact["source"]["promotion"]) == ("allergy", "confirmed")


@pytest.mark.slow
def test_the_caller_marks_a_session(tenant: Tenant, agent: Caller, say: Say) -> None:
    session = say("u1", "默认用顺丰发货", "我要订明天下午 3 点去机场的车")
    where = f"/sessions/{session}/promote"
    answer = agent.call("POST", where, {}, idempotency_key="k1")
    replay = agent.call("POST", where, {}, idempotency_key="k1")
    assert replay.headers["Idempotent-Replay"] == "true"
    assert replay.json() == answer.json()
    other = agent.call("POST", where, {"memory_ids": [str(uuid4())]}, idempotency_key="k1")
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_conflict")
    assert answer.status_code == 200, answer.content
    assert fault_of("POST", f"/api/v1/sessions/{session}/promote", answer) is None
    (made,) = answer.json()["promoted"]
    assert made["reason"] == "marked"
    (skipped,) = answer.json()["skipped"]
    assert skipped["reason"] == "no_fact"
    found = agent.search(["users"], subjects=["u1"], query="快递怎么寄").json()["items"]
    assert found[0]["id"] == made["memory_id"]
    assert found[0]["value"]["text"] == "默认用顺丰发货"
    assert found[0]["derived_from"] == made["from"]
    again = agent.call("POST", f"/sessions/{session}/promote", {}).json()
    assert again["promoted"] == []
    assert {one["reason"] for one in again["skipped"]} == {"already_promoted", "no_fact"}
    named = agent.call(
        "POST", f"/sessions/{session}/promote", {"memory_ids": [skipped["memory_id"]]}
    ).json()
    (kept,) = named["promoted"]
    assert (
        agent.call("GET", f"/memories/{kept['memory_id']}").json()["value"]["text"].endswith("车")
    )
    unknown = agent.call("POST", f"/sessions/{session}/promote", {"memory_ids": [str(uuid4())]})
    assert unknown.status_code == 422
    assert unknown.json()["errors"][0]["code"] == "unknown_memory"


def test_nobody_else_may_promote(agent: Caller, outsider: Caller, say: Say) -> None:
    session = say("u1", "我住在杭州")
    assert outsider.call("POST", f"/sessions/{session}/promote", {}).status_code == 404
    assert agent.call("POST", "/sessions/none/promote", {}).status_code == 404


@pytest.mark.slow
def test_likes_stand_beside_each_other_and_a_dislike_replaces_its_like(
    tenant: Tenant, agent: Caller, say: Say
) -> None:
    say("u1", "我喜欢香菜", "我喜欢绘画、弹钢琴和品茶")
    say("u1", "我喜欢香菜", "我喜欢绘画")
    assert promote(tenant) == 2
    assert len(learned(agent, "u1")) == 2
    say("u1", "我不喜欢香菜")
    assert promote(tenant) == 1
    facts = learned(agent, "u1").values()
    told = {(one["value"]["attribute"], one["value"]["value"]) for one in facts}
    assert told == {("dislikes", "香菜"), ("likes", "绘画、弹钢琴和品茶")}


@pytest.mark.slow
def test_a_forgotten_fact_does_not_come_back_by_itself(
    tenant: Tenant, agent: Caller, say: Say
) -> None:
    say("u1", "我住在杭州")
    say("u1", "我住在杭州")
    promote(tenant)
    (home,) = learned(agent, "u1").values()
    agent.delete(home["namespace"], home["key"])
    say("u1", "我喜欢游泳")
    assert promote(tenant) == 0
    say("u1", "我住在杭州")
    assert promote(tenant) == 0  # once since it was forgotten
    assert learned(agent, "u1") == {}


def test_a_fact_that_an_agent_wrote_is_joined_not_doubled(
    tenant: Tenant, agent: Caller, say: Say
) -> None:
    agent.put(["users", "u1"], "home", {"text": "我住在杭州"}, kind="profile", index=["text"])
    say("u1", "我住在杭州")
    say("u1", "我住在杭州")
    assert promote(tenant) == 1
    facts = learned(agent, "u1")
    assert list(facts) == ["home"]
    assert len(facts["home"]["derived_from"]) == 2
    say("u1", "我搬到北京了")
    assert promote(tenant) == 1
    assert learned(agent, "u1")["home"]["value"]["value"] == "北京"
    with acting_as(job_actor("x", tenant.id)), transaction.atomic():
        assert MemoryVersion.objects.filter(memory_id=facts["home"]["id"]).count() == 2


def test_a_message_that_comes_twice_counts_once(tenant: Tenant, agent: Caller, say: Say) -> None:
    session = say("u1")
    body = {"role": "user", "content": "我住在杭州", "message_id": "m1"}
    for _ in range(3):
        assert agent.call("POST", f"/sessions/{session}/messages", body).status_code < 300
    with acting_as(job_actor("x", tenant.id)), transaction.atomic():
        assert OpenCandidate.objects.count() == 1
