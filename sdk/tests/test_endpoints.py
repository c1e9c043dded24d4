"""Memories by id, conversations, jobs, health: paths, bodies and what is made of the answers."""

from __future__ import annotations

from typing import Any

import pytest
from fake_hub import FakeHub

from memoryhub_sdk import AsyncMemoryHub, JobFailed, MemoryHub, TimedOut

API = "/api/v1"
MEMORY = {
    "id": "m1",
    "namespace": ["a"],
    "key": "k",
    "value": {"n": 1},
    "version": 3,
    "created_at": "2026-01-31T08:00:00Z",
    "updated_at": "2026-01-31T08:00:00Z",
}


def test_a_memory_by_id_and_its_history(hub: MemoryHub, fake: FakeHub) -> None:
    event = {"id": "e1", "at": "2026-01-31T08:00:00Z", "action": "memory.put", "outcome": "success"}
    fake.canned = {
        ("GET", f"{API}/memories/m1"): (200, MEMORY),
        ("GET", f"{API}/memories/m1/versions"): (
            200,
            {"items": [{"version": 3, "value": {"n": 1}}], "next": None, "total": 1},
        ),
        ("GET", f"{API}/memories/m1/events"): (200, {"items": [event], "next": None}),
    }
    assert hub.memories.get("m1").version == 3
    assert hub.memories.versions("m1", limit=5).items[0].value == {"n": 1}
    assert fake.requests[-1].params == {"limit": "5"}
    assert hub.memories.events("m1").items[0].action == "memory.put"


def test_an_id_cannot_leave_its_place_in_the_path(hub: MemoryHub, fake: FakeHub) -> None:
    with pytest.raises(Exception, match="not_found"):
        hub.memories.get("../jobs/1?x")
    assert fake.requests[-1].path == f"{API}/memories/..%2Fjobs%2F1%3Fx"


def test_an_explanation_tells_its_clauses(hub: MemoryHub, fake: FakeHub) -> None:
    clause = {"key": "ttl", "kind": "ttl", "date": "2026-02-01T00:00:00Z", "role": "won"}
    step = {"at": "2026-02-01T00:00:00Z", "what": "hide", "because": "ttl"}
    explanation = {"memory_id": "m1", "state": "ACTIVE", "text": "还在。", "clauses": [clause]}
    fake.canned["GET", f"{API}/memories/m1/explain"] = (200, explanation | {"next": [step]})
    explained = hub.memories.explain("m1", lang="zh")
    assert fake.requests[-1].params == {"lang": "zh"}
    assert (explained.text, explained.clauses[0].role) == ("还在。", "won")
    assert explained.next[0].what == "hide"


def test_a_person_restores_and_labels_with_a_reason(hub: MemoryHub, fake: FakeHub) -> None:
    fake.canned["POST", f"{API}/memories/m1/restore"] = (200, MEMORY)
    fake.canned["POST", f"{API}/memories/m1/label"] = (200, MEMORY | {"label": None})
    assert hub.memories.restore("m1", reason="deleted by mistake").id == "m1"
    assert hub.memories.label("m1", label=None, reason="no contract").label is None
    assert fake.requests[-1].body == {"label": None, "reason": "no contract"}


def test_every_page_of_a_list_is_walked(hub: MemoryHub, fake: FakeHub) -> None:
    path = ("GET", f"{API}/memories/m1/versions")
    pages: dict[str | None, Any] = {
        None: {"items": [{"version": 3}, {"version": 2}], "next": "c2"},
        "c2": {"items": [{"version": 1}], "next": None},
    }

    def turn(request: Any) -> None:
        fake.canned[path] = (200, pages[request.params.get("cursor")])

    fake.before = turn
    walked = hub.iterate(hub.memories.versions, "m1", limit=2)
    assert [one.version for one in walked] == [3, 2, 1]


async def test_a_conversation(ahub: AsyncMemoryHub, fake: FakeHub) -> None:
    session = {"session_id": "s1", "subject": "u1", "status": "open", "state": {}, "context": []}
    message = {
        "message_id": "x1",
        "context": ["x1"],
        "short_term": {"stored": False, "reason": "chatter"},
        "classes": [],
    }
    promotion = {"promoted": [{"memory_id": "m1", "from": ["c1"], "reason": "said twice"}]}
    item = {"tier": "long", "memory_id": "m1", "text": "likes Python", "score": 0.9}
    context = {
        "prompt": "已知用户信息：…",
        "items": [item],
        "tokens": 9,
        "timings_ms": {"total": 4},
    }
    fake.canned = {
        ("POST", f"{API}/sessions"): (201, session),
        ("PATCH", f"{API}/sessions/s1"): (200, session | {"state": {"step": 2}}),
        ("DELETE", f"{API}/sessions/s1"): (204, None),
        ("POST", f"{API}/sessions/s1/messages"): (201, message),
        ("POST", f"{API}/sessions/s1/recall"): (200, {"items": []}),
        ("POST", f"{API}/sessions/s1/promote"): (200, promotion),
        ("POST", f"{API}/context"): (200, context),
        ("POST", f"{API}/events"): (202, {"matched": 2}),
        ("POST", f"{API}/searches/q1/feedback"): (204, None),
    }
    opened = await ahub.sessions.create("u1", channel="web")
    assert fake.requests[-1].body == {"subject": "u1", "channel": "web"}
    added = await ahub.sessions.add_message(opened.session_id, "user", "你好")
    assert added.short_term.reason == "chatter"
    assert (await ahub.sessions.update("s1", state={"step": 2})).state == {"step": 2}
    assert (await ahub.sessions.recall("s1", "语言")).items == ()
    assert (await ahub.sessions.promote("s1")).promoted[0].sources == ("c1",)
    assert (await ahub.context("语言", session_id="s1")).items[0].text == "likes Python"
    assert await ahub.report_event("o1", "order.completed", "2026-01-31T08:00:00Z") == 2
    await ahub.send_feedback("q1", used=["m1"], helpful=True)
    await ahub.sessions.delete("s1")


def _job(state: str, done: int = 0, **more: Any) -> dict[str, Any]:
    return {"id": "j1", "kind": "export", "state": state} | more | {"progress": {"done": done}}


def _in_turn(fake: FakeHub, *jobs: dict[str, Any]) -> None:
    left = list(jobs)

    def turn(request: Any) -> None:
        fake.canned["GET", f"{API}/jobs/j1"] = (200, left.pop(0) if len(left) > 1 else left[0])

    fake.before = turn


def test_a_job_is_waited_for_and_its_progress_told_once_a_change(
    hub: MemoryHub, fake: FakeHub
) -> None:
    running = _job("running", 5)
    _in_turn(fake, _job("queued"), running, running, _job("done", 9, result={"rows": 9}))
    told: list[Any] = []
    job = hub.jobs.wait("j1", poll_every=0.01, on_progress=told.append)
    assert job.result == {"rows": 9}
    assert [(one.state, one.progress.done) for one in told] == [
        ("queued", 0),
        ("running", 5),
        ("done", 9),
    ]


async def test_a_job_that_fails_raises(ahub: AsyncMemoryHub, fake: FakeHub) -> None:
    _in_turn(fake, _job("running"), _job("failed", error="disk full"))
    with pytest.raises(JobFailed, match="disk full") as caught:
        await ahub.jobs.wait("j1", poll_every=0.01)
    assert caught.value.facts["job"].state == "failed"


def test_waiting_has_an_end(hub: MemoryHub, fake: FakeHub) -> None:
    _in_turn(fake, _job("running"))
    with pytest.raises(TimedOut, match="still running"):
        hub.jobs.wait("j1", timeout=0.05, poll_every=0.02)


def test_a_jobs_file_comes_as_bytes(hub: MemoryHub, fake: FakeHub) -> None:
    fake.canned["GET", f"{API}/jobs/j1/file"] = (200, b"a,b\n")
    assert hub.jobs.file("j1") == b"a,b\n"


def test_health_and_any_other_endpoint(hub: MemoryHub, fake: FakeHub) -> None:
    fake.canned["GET", "/healthz"] = (200, {"status": "ok"})
    fake.canned["GET", f"{API}/usage"] = (200, {"rows": 3})
    assert hub.health().ok
    assert hub.request("GET", "/usage", params={"namespace_prefix": "a.b"}) == {"rows": 3}
    assert fake.requests[-1].params == {"namespace_prefix": "a.b"}
