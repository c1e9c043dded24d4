"""What is said in a session: kept or skipped with a reason, once, and as long as the session."""

from __future__ import annotations

import json
from collections.abc import Callable
from uuid import UUID

import pytest
from django.db import transaction

from audit.models import Event
from conversations.sessions import release_message
from memories.models import Memory
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.callers import Caller
from tests.conversations.conftest import Talk
from tests.threads import at_once

CAR = "我要订明天下午 3 点去机场的车"


def test_a_session_is_opened_read_and_sliding(talk: Talk) -> None:
    opened = talk.opened
    assert opened["subject"] == "u1"
    assert (opened["status"], opened["state"], opened["context"]) == ("open", {}, [])
    found = talk.get().json()
    assert found["session_id"] == talk.id
    assert found["expires_at"] > opened["expires_at"]
    assert len(talk.id) == 32


def test_what_matters_is_kept_and_chatter_is_skipped_with_its_reason(talk: Talk) -> None:
    kept = talk.say(CAR, message_id="m1")
    assert kept.status_code == 201
    assert kept.json()["short_term"]["stored"] is True
    assert kept.json()["context"] == ["m1"]
    skipped = {
        "今天天气不错": "chatter", "天为什么是蓝色的？": "question_only", "嗯": "too_short",
    }  # fmt: skip
    for said, reason in skipped.items():
        assert talk.say(said).json()["short_term"] == {"stored": False, "reason": reason}
    answer = talk.say("好的，我来安排去机场的车。", "assistant").json()
    assert answer["short_term"] == {"stored": False, "reason": "not_user"}
    assert len(answer["context"]) == 5
    assert talk.say("还有一件事").json()["context"][-1] != "m1"


def test_an_entry_is_a_short_memory_that_lives_an_hour_from_its_last_access(talk: Talk) -> None:
    made = talk.say(CAR, metadata={"client": "web"}).json()["short_term"]["memory_id"]
    memory = talk.caller.call("GET", f"/memories/{made}").json()
    assert (memory["tier"], memory["kind"], memory["subjects"]) == ("short", "intent", ["u1"])
    assert memory["value"] == {"text": CAR}
    assert memory["source"]["metadata"] == {"client": "web"}
    assert memory["retention"]["ttl_minutes"] == 60
    assert memory["embedding"] == "ready"
    assert talk.caller.search(["users"], query="机场").json()["items"] == []
    found = talk.recall("去机场").json()["items"]
    assert [one["id"] for one in found] == [made]
    assert found[0]["retention"]["visible_until"] >= memory["retention"]["visible_until"]


def test_an_open_task_keeps_what_answers_it(talk: Talk) -> None:
    assert talk.say("三点").json()["short_term"]["stored"] is False
    assert talk.patch({"task": "book_car", "missing": ["time"]}).json()["state"]["task"]
    assert talk.say("三点").json()["short_term"]["stored"] is True
    assert talk.say("谢谢").json()["short_term"] == {"stored": False, "reason": "chatter"}
    talk.patch({"task": "book_car", "status": "done"})
    assert talk.say("三点").json()["short_term"]["stored"] is False


def test_the_same_message_id_does_nothing_twice(talk: Talk) -> None:
    first = talk.say(CAR, message_id="m1")
    again = talk.say(CAR, message_id="m1")
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json()
    answers = at_once([lambda: talk.say("帮我取消周五的会议", message_id="m2")] * 4)
    assert sorted(one.status_code for one in answers) == [200, 200, 200, 201]
    assert len({one.json()["short_term"]["memory_id"] for one in answers}) == 1
    assert talk.get().json()["context"] == ["m2", "m1"]
    assert len(talk.recall("会议").json()["items"]) == 2


def test_a_repeated_request_is_answered_once(talk: Talk, tenant: Tenant) -> None:
    body = {"role": "user", "content": CAR}
    answers = [
        talk.caller.call("POST", f"{talk.path}/messages", body, idempotency_key="k")
        for _ in range(2)
    ]
    assert [one.status_code for one in answers] == [201, 201]
    assert answers[0].json() == answers[1].json()
    assert answers[1]["Idempotent-Replay"] == "true"
    opened = [
        talk.caller.call("POST", "/sessions", {"subject": "u1"}, idempotency_key="s").json()
        for _ in range(2)
    ]
    assert opened[0]["session_id"] == opened[1]["session_id"]


def test_a_message_whose_holder_died_is_taken_again(
    talk: Talk, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object, **__: object) -> None:
        raise SystemExit  # after the memory is committed, before the session knows

    with monkeypatch.context() as patch:
        patch.setattr("conversations.messaging.touch_session", die)
        patch.setattr("conversations.messaging._release", lambda *_: None)
        with pytest.raises(SystemExit):
            talk.say(CAR, message_id="m1")
    monkeypatch.setattr("conversations.messaging.CLAIM_SECONDS", 0)
    with acting_as(operator_actor(tenant.id)):
        release_message(talk.id, "m1")  # what the lease does in fifteen seconds
    assert talk.say(CAR, message_id="m1").status_code == 201
    assert len(talk.recall("机场").json()["items"]) == 1


def test_ending_a_session_deletes_its_short_term_memories(talk: Talk, tenant: Tenant) -> None:
    other = Talk(talk.caller)
    ids = [UUID(one.say(CAR).json()["short_term"]["memory_id"]) for one in (talk, other)]
    assert talk.end().status_code == 204
    assert talk.end().status_code == 204
    assert talk.get().status_code == 404
    assert talk.say("你好").status_code == 404
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        states = {one.id: one.deleted_at for one in Memory.objects.filter(id__in=ids)}
    assert states[ids[0]] is not None
    assert states[ids[1]] is None


def test_a_session_is_nobody_elses(
    talk: Talk, outsider: Caller, tenant: Tenant, make_caller: Callable[..., Caller]
) -> None:
    talk.say(CAR)
    narrow = make_caller(tenant, prefixes=["users/u2/"])
    for stranger in (outsider, narrow):
        theirs = [
            stranger.call("GET", talk.path),
            stranger.call("PATCH", talk.path, {"state": {}}),
            stranger.call("DELETE", talk.path),
            stranger.call("POST", f"{talk.path}/messages", {"role": "user", "content": "x"}),
            stranger.call("POST", f"{talk.path}/recall", {"query": "x"}),
            stranger.call("POST", "/context", {"session_id": talk.id, "query": "x"}),
        ]
        assert {one.status_code for one in theirs} == {404}
    assert talk.get().status_code == 200
    inside = Talk(narrow, "u1")
    made = inside.say(CAR).json()["short_term"]["memory_id"]
    assert narrow.call("GET", f"/memories/{made}").json()["namespace"][:2] == ["users", "u2"]


def test_a_key_needs_no_more_than_the_scope_of_sessions(
    tenant: Tenant, make_caller: Callable[..., Caller]
) -> None:
    talk = Talk(make_caller(tenant, scopes=["session:use"]))
    assert talk.say(CAR).json()["short_term"]["stored"] is True
    assert len(talk.recall("机场").json()["items"]) == 1
    assert talk.recall("机场", limit=0).json()["items"] == []
    assert len(talk.recall("机场", limit=1000).json()["items"]) == 1
    assert talk.context("机场").status_code == 200
    assert talk.caller.search([]).status_code == 403
    assert talk.end().status_code == 204


@pytest.mark.parametrize(
    ("method", "path", "body", "fault"),
    [
        ("POST", "/sessions", {"subject": ""}, ("subject", "invalid_item")),
        ("POST", "/sessions", {"subject": "u", "ttl_seconds": 59}, ("ttl_seconds", "out_of_range")),
        ("POST", "/sessions", {"subject": "u", "x": 1}, ("x", "unknown_field")),
        ("POST", "/sessions", {"subject": "11010519491231002X"}, ("subject", "pii_rejected")),
        ("POST", "*/messages", {"role": "x", "content": ""}, ("role", "unknown_value")),
        ("POST", "*/messages", {"role": "user", "content": "x" * 65_537}, ("content", "too_long")),
        ("PATCH", "*", {"state": {"a": "x" * 4_096}}, ("state", "too_long")),
        ("POST", "*/recall", {"query": " "}, ("query", "empty")),
        ("POST", "*/recall", {"query": "x", "limit": -1}, ("limit", "out_of_range")),
        ("POST", "*/recall", {"query": "x", "limit": 1001}, ("limit", "out_of_range")),
        ("POST", "/context", {"query": "x"}, ("", "not_together")),
        ("POST", "/context", {"query": "x", "subject": "u", "budget_tokens": 1},
         ("budget_tokens", "out_of_range")),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(
    talk: Talk, method: str, path: str, body: object, fault: tuple[str, str]
) -> None:
    answer = talk.caller.call(method, path.replace("*", talk.path), body)
    assert answer.status_code == 422
    assert [(one["path"], one["code"]) for one in answer.json()["errors"]] == [fault]


def test_everything_leaves_an_event_without_content(talk: Talk, tenant: Tenant) -> None:
    talk.say(CAR)
    talk.say("今天天气不错")
    talk.get()
    talk.patch({"task": "车"})
    talk.recall("机场")
    talk.context("机场")
    talk.end()
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        events = list(Event.objects.filter(action__startswith="session").order_by("at", "id"))
        context = Event.objects.get(action="context.assemble")
    assert [one.action for one in events] == [
        "session.open", "session.message", "session.message", "session.read", "session.change",
        "session.end",
    ]  # fmt: skip
    assert {one.target_id for one in events} == {talk.id}
    assert all(one.subjects[0].startswith("s_") for one in events)
    assert context.counts["n"] == 1
    told = json.dumps([one.payload for one in [*events, context]], ensure_ascii=False)
    assert not [word for word in ("机场", "天气", "u1", "车") if f'"{word}' in told]
