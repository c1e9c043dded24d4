"""Each route of the API, called once so that it succeeds, leaves exactly the events it should.

The routes are those of the table of permissions, which the build holds against the URLs: a new one
has no line here, or in `test_steps.py`, and fails.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from audit.events import EVENTS
from tests.api.test_permissions import ELSEWHERE, ITEM, TABLE, Line
from tests.audit.everywhere.places import address_of, body_of
from tests.audit.everywhere.test_jobs import ROUTES as OF_JOBS
from tests.audit.everywhere.test_steps import STEPS
from tests.audit.everywhere.world import NOTHING, World

# What the call of each line leaves; figures, lists and states leave nothing.
EXPECTED: dict[str, tuple[str, ...]] = {
    "get store/items": ("memory.get",),
    "put store/items": ("memory.put",),
    "delete store/items": ("memory.delete",),
    "post store/items/search": ("memory.search",),
    "post store/namespaces": NOTHING,
    "delete store/namespaces": ("namespace.delete",),
    "post store/batch": ("memory.batch",),
    "get memories/<uuid:memory_id>": ("memory.get",),
    "get memories/<uuid:memory_id>/versions": ("memory.versions",),
    "get memories/<uuid:memory_id>/events": NOTHING,
    "get memories/<uuid:memory_id>/explain": NOTHING,
    "post memories/<uuid:memory_id>/restore": ("memory.restore",),
    "post memories/<uuid:memory_id>/label": ("memory.label",),
    "get privacy/quarantine": NOTHING,
    "get policies/reviews": NOTHING,
    "get findings": NOTHING,
    "get privacy/clock": NOTHING,
    "get privacy/rules": NOTHING,
    "post privacy/rules": ("privacy.rules",),
    "get privacy/rules/<uuid:rule_id>": NOTHING,
    "delete privacy/rules/<uuid:rule_id>": ("privacy.rules",),
    "get privacy/patterns": NOTHING,
    "post privacy/patterns": ("privacy.rules",),
    "get privacy/patterns/<uuid:pattern_id>": NOTHING,
    "delete privacy/patterns/<uuid:pattern_id>": ("privacy.rules",),
    "get privacy/allowed": NOTHING,
    "post privacy/allowed": ("privacy.rules",),
    "get privacy/allowed/<uuid:allowed_id>": NOTHING,
    "delete privacy/allowed/<uuid:allowed_id>": ("privacy.rules",),
    "get usage": NOTHING,
    "get engine": NOTHING,
    "get audit/events": NOTHING,
    "get audit/events/<uuid:event_id>": NOTHING,
    "get audit/checkpoints": NOTHING,
    "post audit/verify": ("job.begin",),
    "post audit/exports": ("job.begin",),
    "post audit/reports": ("job.begin",),
    "get audit/known": ("evidence.known",),
    "get keys": NOTHING,
    "post keys": ("config.change", "key.issue"),
    "get keys/<slug:key_id>": NOTHING,
    "delete keys/<slug:key_id>": ("config.change", "key.revoke"),
    "get members": NOTHING,
    "post members": ("config.change", "config.change", "member.invite"),
    "get members/<uuid:member_id>": NOTHING,
    "patch members/<uuid:member_id>": ("config.change", "member.change"),
    "delete members/<uuid:member_id>": ("config.change", "member.remove"),
    "get settings": NOTHING,
    "patch settings": ("config.change", "job.begin", "job.end", "tenant.settings"),
    "get policies/sweep-scopes": NOTHING,
    "post policies/sweep-scopes": ("sweep.scope",),
    "get policies/sweep-scopes/<uuid:scope_id>": NOTHING,
    "patch policies/sweep-scopes/<uuid:scope_id>": ("sweep.scope",),
    "delete policies/sweep-scopes/<uuid:scope_id>": ("sweep.scope",),
    "get policies/sweeps": NOTHING,
    "post policies/sweeps": ("sweep.run",),
    "get policies/sweeps/<uuid:run_id>": NOTHING,
    "get policies/rulesets": NOTHING,
    "post policies/rulesets": ("rules.draft",),
    "get policies/rulesets/<int:n>": NOTHING,
    "put policies/rulesets/<int:n>": ("rules.write",),
    "delete policies/rulesets/<int:n>": ("rules.delete",),
    "get policies/rulesets/<int:n>/diff": NOTHING,
    "post policies/rulesets/<int:n>/simulate": ("config.change", "job.begin"),
    "post policies/evaluate": NOTHING,
    "get policies/holds": NOTHING,
    "post policies/holds": ("hold.place", "job.begin", "job.end"),
    "post policies/holds/preview": NOTHING,
    "get policies/holds/<uuid:hold_id>": NOTHING,
    "get policies/holds/<uuid:hold_id>/memories": NOTHING,
    "post policies/holds/<uuid:hold_id>/release": ("hold.request",),
    "post events": ("memory.event",),
    "post sessions": ("memory.event", "session.open"),
    "get sessions/<str:session_id>": ("session.read",),
    "patch sessions/<str:session_id>": ("session.change",),
    "delete sessions/<str:session_id>": ("session.end",),
    "post sessions/<str:session_id>/messages": (
        "memory.put", "memory.put", "session.message",
    ),
    "post sessions/<str:session_id>/recall": ("memory.search",),
    "post context": ("context.assemble",),
    "post searches/<uuid:search_id>/feedback": ("search.feedback",),
    "get golden-questions": ("golden.read",),
    "post golden-questions": ("golden.add",),
    "get golden-questions/results": NOTHING,
    "post golden-questions/run": ("job.begin",),
    "get golden-questions/<uuid:question_id>": ("golden.read",),
    "delete golden-questions/<uuid:question_id>": ("golden.remove",),
    "get golden-questions/<uuid:question_id>/results": NOTHING,
    "get subject-requests": NOTHING,
    "post subject-requests": ("request.open",),
    "get subject-requests/<uuid:request_id>": NOTHING,
    "post subject-requests/<uuid:request_id>/identity": ("request.identity", "request.read"),
    "post subject-requests/<uuid:request_id>/extend": ("request.extend", "request.read"),
    "post subject-requests/<uuid:request_id>/withdraw": (
        "request.close", "request.read", "request.withdraw",
    ),
    "get subject-requests/<uuid:request_id>/memories": NOTHING,
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def ready(world: World) -> None:
    """What is made once in a tenant's life: its first vectors choose its model. And a question."""
    session = world.agent.call("POST", "/sessions", {"subject": "s"}).json()["session_id"]
    world.say(session, "I like the violin very much.")
    question = {"question": "?", "expected": [world.memory]}
    assert world.agent.call("POST", "/golden-questions", question).status_code == 201


def test_every_route_has_its_line() -> None:
    """A new route must say here what it leaves, or be brought to success as a step of several."""
    assert {line.name for line in TABLE} == set(EXPECTED) | set(STEPS)
    assert not set(EXPECTED) & set(STEPS)
    assert set(ELSEWHERE) == set(OF_JOBS)
    assert set().union(*EXPECTED.values(), *STEPS.values()) <= set(EVENTS)


@pytest.mark.parametrize(
    "line", [line for line in TABLE if line.name in EXPECTED], ids=lambda line: line.name
)
def test_a_call_leaves_exactly_its_events(world: World, line: Line) -> None:
    if line.name in ("get store/items", "delete store/items"):
        world.put(["a"], "k")
    where, body, request_id = address_of(world, line), body_of(world, line), uuid4().hex
    answer = world.caller(line).call(line.method.upper(), where, body, x_request_id=request_id)
    assert answer.status_code < 300, answer.content
    assert world.left_by(request_id) == EXPECTED[line.name]


# The same routes asked for something else.
PUT = {"op": "put", "namespace": ["b"], "key": "k", "value": {"a": 1}, "index": False}
OTHERWISE: list[tuple[str, str, Any, tuple[str, ...]]] = [
    ("PUT", "/store/items", {**ITEM, "value": {"a": 2}, "index": False}, ("memory.put",)),
    (
        "PUT", "/store/items",
        {**ITEM, "key": "secret", "value": {"text": "AKIAIOSFODNN7EXAMPLE is the key id"}},
        ("memory.put",),
    ),
    ("POST", "/store/batch", {"ops": [PUT, {**PUT, "key": "l"}]}, ("memory.put", "memory.put")),
    ("POST", "/store/batch", {"ops": [{**ITEM, "op": "delete"}]}, ("memory.delete",)),
    ("POST", "/store/items/search", {"namespace_prefix": ["none"]}, ("memory.search",)),
    ("DELETE", "/store/namespaces", {"namespace_prefix": ["none"], "dry_run": False},
     ("namespace.delete",)),
    ("DELETE", "/store/namespaces", {"namespace_prefix": ["kept"], "dry_run": False},
     ("memory.delete", "namespace.delete")),
    ("DELETE", "/store/items", {"namespace": ["none"], "key": "k"}, NOTHING),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body", "left"), OTHERWISE)
def test_what_is_asked_for_decides_what_is_left(
    fresh: World, method: str, path: str, body: Any, left: tuple[str, ...]
) -> None:
    fresh.put(["kept"], "k")
    fresh.put(ITEM["namespace"], ITEM["key"])
    assert fresh.told(fresh.agent, method, path, body)[1] == left


def test_settings_that_nobody_confirmed_leave_nothing(world: World) -> None:
    world.put(["trashed"], "k")
    world.agent.delete(["trashed"], "k")
    request_id = uuid4().hex
    admin = world.people["A"]
    answer = admin.call("PATCH", "/settings", {"trash_days": 1}, x_request_id=request_id)
    assert (answer.status_code, answer.json()["code"]) == (409, "confirm_count_required")
    assert world.left_by(request_id) == NOTHING
