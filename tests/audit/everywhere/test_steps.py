"""Routes that need others before them, brought to success: exactly the events of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memories.sweeping import sweep_now
from tenants.actors import operator_actor
from tenants.context import acting_as
from tests.ageing import let_pass
from tests.audit.everywhere.places import HOLD
from tests.audit.everywhere.world import NOTHING, World, identifier
from tests.erasure.asking import BASE as REQUESTS
from tests.erasure.asking import Asking
from tests.rules.governing import BASE as RULES
from tests.rules.governing import Governed

WHY = {"reason": "because"}
Told = dict[str, tuple[str, ...]]

OF_MEMORIES: Told = {
    "post memories/<uuid:memory_id>/reveal": ("memory.reveal",),
    "post privacy/quarantine/<uuid:memory_id>": ("privacy.decide",),
}
OF_RULES: Told = {
    "post policies/rulesets/<int:n>/approve": ("rules.approve",),
    "post policies/rulesets/<int:n>/activate": (
        "config.change", "job.begin", "job.end", "rules.activate",
    ),
    "get policies/rulesets/active": NOTHING,
    "post policies/reviews/<uuid:memory_id>": ("review.decide",),
}  # fmt: skip
OF_HOLDS: Told = {"post policies/holds/<uuid:hold_id>/keep": ("hold.keep",)}
OF_SESSIONS: Told = {
    "post sessions/<str:session_id>/promote": ("memory.promote", "memory.put"),
}
OF_THE_LOG: Told = {"get audit/checkpoints/consistency": NOTHING}
OF_REQUESTS: Told = {
    "post subject-requests/<uuid:request_id>/scope": ("job.begin",),
    "post subject-requests/<uuid:request_id>/exclusions": ("request.exclude", "request.read"),
    "post subject-requests/<uuid:request_id>/decide": ("request.decide", "request.read"),
    "post subject-requests/<uuid:request_id>/approve": ("job.begin", "request.approve"),
    "get subject-requests/<uuid:request_id>/package": ("request.package",),
    "get subject-requests/<uuid:request_id>/certificate": NOTHING,
}
STEPS: Told = {**OF_MEMORIES, **OF_RULES, **OF_HOLDS, **OF_SESSIONS, **OF_THE_LOG, **OF_REQUESTS}


def test_what_is_sealed_is_revealed_and_what_is_quarantined_is_decided(world: World) -> None:
    officer, left = world.people["O"], {}
    sealed = world.put(["a"], "sealed", {"text": "他的身份证是11010519491231002X。"})
    body: Any = {"path": "text", **WHY}
    _, left["post memories/<uuid:memory_id>/reveal"] = world.told(
        officer, "POST", f"/memories/{sealed}/reveal", body
    )
    waiting = world.put(["a"], "secret", {"text": "AKIAIOSFODNN7EXAMPLE is the key id"})
    body = {"decision": "redact", **WHY}
    _, left["post privacy/quarantine/<uuid:memory_id>"] = world.told(
        officer, "POST", f"/privacy/quarantine/{waiting}", body
    )
    assert left == OF_MEMORIES


@pytest.mark.slow
def test_rules_are_approved_put_into_force_and_let_something_wait(
    fresh: World, owner_url: str
) -> None:
    rules, left = Governed(fresh.tenant, fresh.people["A"], fresh.people["O"]), {}
    n = rules.draft({"key": "e", "kind": "expire", "after": {"days": 90}, "end": "review"})
    rules.simulate(n)
    _, left["post policies/rulesets/<int:n>/approve"] = fresh.told(
        rules.approver, "POST", f"{RULES}/{n}/approve", WHY
    )
    _, left["post policies/rulesets/<int:n>/activate"] = fresh.told(
        rules.approver, "POST", f"{RULES}/{n}/activate", {}
    )
    _, left["get policies/rulesets/active"] = fresh.told(fresh.agent, "GET", f"{RULES}/active")
    waiting = fresh.put(["a"], "k")
    let_pass(owner_url, fresh.tenant, days=91)
    with acting_as(operator_actor(fresh.tenant.id)):
        sweep_now()
    body = {"decision": "keep", **WHY}
    _, left["post policies/reviews/<uuid:memory_id>"] = fresh.told(
        fresh.people["O"], "POST", f"/policies/reviews/{waiting}", body
    )
    assert left == OF_RULES


def test_a_hold_is_kept(world: World) -> None:
    officer = world.people["O"]
    hold = identifier(officer.call("POST", "/policies/holds", HOLD))
    assert officer.call("POST", f"/policies/holds/{hold}/release", WHY).status_code == 200
    _, left = world.told(world.second, "POST", f"/policies/holds/{hold}/keep", WHY)
    assert {"post policies/holds/<uuid:hold_id>/keep": left} == OF_HOLDS


def test_what_a_session_stated_is_kept(world: World) -> None:
    session = identifier(world.agent.call("POST", "/sessions", {"subject": "u"}), "session_id")
    world.say(session, "我住在杭州")
    answer, left = world.told(world.agent, "POST", f"/sessions/{session}/promote", {})
    assert len(answer.json()["promoted"]) == 1
    assert {"post sessions/<str:session_id>/promote": left} == OF_SESSIONS


def test_a_checkpoint_is_proved_to_go_on(world: World, seal_now: Callable[[], int]) -> None:
    world.put(["a"], "k")
    seal_now()
    newest = world.agent.call("GET", "/audit/checkpoints").json()["items"][0]
    where = f"epoch={newest['epoch']}&from=1&to={newest['size']}"
    _, left = world.told(world.agent, "GET", f"/audit/checkpoints/consistency?{where}")
    assert {"get audit/checkpoints/consistency": left} == OF_THE_LOG


@pytest.mark.slow
def test_requests_take_all_their_steps(world: World) -> None:
    asking, left = Asking(world.tenant, world.people["O"], world.second), Told()

    def step(request: str, name: str, body: Any = None, by: Any = None) -> Any:
        who, where = by or asking.officer, f"{REQUESTS}/{request}/{name}"
        method = "GET" if name in ("package", "certificate") else "POST"
        answer, events = world.told(who, method, where, body)
        line = f"{method.lower()} subject-requests/<uuid:request_id>/{name}"
        assert left.setdefault(line, events) == events, "the same for each kind of request"
        return answer

    def carry_out(subject: str, kind: str) -> str:
        spared = world.put(["crm"], f"{subject} spared", subjects=[subject])
        world.put(["crm"], subject, subjects=[subject])
        request = asking.open(subject, kind)
        asking.verify(request)
        asking.run(identifier(step(request, "scope")))
        why = {"memory_ids": [spared], "ground": "legal claims", "text": "a dispute"}
        step(request, "exclusions", why)
        step(request, "decide", {"grant": True, **WHY})
        asking.run(identifier(step(request, "approve", by=asking.second)))
        return request

    step(carry_out("anna", "access"), "package")
    step(carry_out("bob", "erasure"), "certificate")
    assert left == OF_REQUESTS


@pytest.mark.parametrize("step", ["identity", "decide"])
def test_a_step_that_comes_too_early_or_twice_leaves_nothing(world: World, step: str) -> None:
    asking = Asking(world.tenant, world.people["O"], world.second)
    request = asking.open("carla", "access")
    body: Any = {"grant": True, **WHY}
    if step == "identity":
        asking.verify(request)
        body = {"method": "passport", "reference": "seen"}
    with world.watching() as left:
        assert asking.step(request, step, body).status_code == 409
    assert left == []
