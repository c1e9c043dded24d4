"""Each route and each task leaves exactly the events it should; what is new must be put in here.

The routes are those of the table of permissions (which the build holds against the URLs), each
called once so that it succeeds where one call can, and once by somebody who may not.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import count
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction

from audit.events import EVENTS
from audit.models import Event
from memoryhub.celery import app
from tenants.access.provisioning import create_tenant, create_user, issue_key
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.ids import PLATFORM_TENANT
from tenants.models import Tenant
from tenants.roles import Scope
from tests.ageing import let_pass
from tests.api.test_permissions import ELSEWHERE, ROLES, TABLE, Line
from tests.audit.reading import events_of
from tests.callers import Caller
from tests.people import Person

NUMBERS = count(1)
NOTHING: tuple[str, ...] = ()


@dataclass
class World:
    """A tenant with an agent and a person of each role; makes what an address speaks of."""

    tenant: Tenant
    agent: Caller
    people: dict[str, Person]
    keys: dict[str, Caller]
    """By scope: a key that has every other one."""
    memory: str = ""

    def caller(self, line: Line) -> Caller:
        return self.agent if line.scope is not None else self.people[line.roles[0]]

    def events(self, request_id: str) -> list[tuple[str, str]]:
        """(action, outcome) of what a request left, in the tenant and on the platform."""
        found = []
        for tenant_id in (self.tenant.id, PLATFORM_TENANT):
            with acting_as(operator_actor(tenant_id)), transaction.atomic():
                rows = Event.objects.filter(request_id=request_id).order_by("at", "id")
                found += list(rows.values_list("action", "outcome"))
        return found


@pytest.fixture(scope="module", autouse=True)
def tasks() -> None:
    """All tasks, as a worker knows them."""
    app.loader.import_default_modules()


@pytest.fixture(scope="module")
def world(hub: str) -> World:
    slug = f"t-{uuid4().hex[:12]}"
    with acting_as(operator_actor()):
        tenant = create_tenant(slug, name=slug)
    with acting_as(operator_actor(tenant.id)):
        key = issue_key(tenant, name="test", scopes=[scope.value for scope in Scope])
        people = {
            letter: Person(
                create_user(f"{role}-{uuid4().hex[:8]}@example.com", tenant=tenant, role=role),
                tenant,
            )
            for letter, role in ROLES.items()
        }
        keys = {
            one.value: Caller(
                str(issue_key(tenant, name="t", scopes=[s.value for s in Scope if s != one]).text)
            )
            for one in Scope
        }
    world = World(tenant, Caller(str(key.text)), people, keys)
    for name in ("k", "gone"):
        world.agent.put(["a"], name, {"a": 1}, index=False)
    world.memory = world.agent.put(["kept"], "k", {"a": 1}, index=False).json()["id"]
    place_of(world, "question_id", TABLE[0])
    session = place_of(world, "session_id", TABLE[0])
    said = {"role": "user", "content": "I like the violin very much."}
    world.agent.call("POST", f"/sessions/{session}/messages", said)  # makes what is made once
    return world


def place_of(world: World, name: str, line: Line) -> str:
    """Something real for a variable part of an address."""
    agent, admin, officer = world.agent, world.people["A"], world.people["O"]
    number = next(NUMBERS)
    if name == "memory_id":
        key = f"made{number}"
        value = {"a": "call me on +49 30 901820"}
        identifier = agent.put(["a"], key, value, index=False).json()["id"]
        if line.path.endswith("restore"):
            agent.delete(["a"], key)
        return str(identifier)
    if name == "event_id":
        return str(agent.call("GET", "/audit/events").json()["items"][0]["id"])
    if name == "n":
        draft = {"based_on": None, "note": ""}
        return str(agent.call("POST", "/policies/rulesets", draft).json()["n"])
    if name == "search_id":
        asked = agent.search(["a"], query="made").json()
        return str(asked["search_id"])
    body: Any
    method, path, body, by, at = {
        "key_id": ("POST", "/keys", {"name": f"k{number}"}, admin, "id"),
        "member_id": (
            "POST", "/members", {"email": f"m{number}-{uuid4().hex[:6]}@example.com",
            "role": "viewer"}, admin, "id",
        ),
        "scope_id": (
            "POST", "/policies/sweep-scopes",
            {"namespace_prefix": [f"s{number}"], "interval_minutes": 5}, admin, "id",
        ),
        "run_id": ("POST", "/policies/sweeps", {"dry_run": True}, admin, "id"),
        "hold_id": (
            "POST", "/policies/holds", {"matter": "m", "custodian": "c", "reason": "r",
            "scope": {"subjects": ["s"]}}, officer, "id",
        ),
        "rule_id": (
            "POST", "/privacy/rules", {"entity": "cn_id", "action": "redact",
            "namespace_prefix": [f"p{number}"]}, admin, "id",
        ),
        "pattern_id": (
            "POST", "/privacy/patterns", {"entity": f"badge{number}", "pattern": "BD-[0-9]{5}"},
            admin, "id",
        ),
        "allowed_id": ("POST", "/privacy/allowed", {"value": f"hotline {number}"}, admin, "id"),
        "session_id": ("POST", "/sessions", {"subject": "s"}, agent, "session_id"),
        "question_id": (
            "POST", "/golden-questions",
            {"question": "?", "expected": [world.memory]}, agent, "id",
        ),
        "request_id": (
            "POST", "/subject-requests", {"subject": f"c-{number}", "kind": "access",
            "reason": "because"}, officer, "id",
        ),
    }[name]  # fmt: skip
    answer = by.call(method, path, body)
    assert answer.status_code in (200, 201), answer.content
    return str(answer.json()[at])


def body_of(world: World, line: Line) -> Any:
    """The body of the table, or one that changes something."""
    return {
        "post sessions": {"subject": f"s{next(NUMBERS)}"},
        "patch settings": {"trash_days": 20 + next(NUMBERS)},
        "post policies/sweep-scopes": {"namespace_prefix": ["n"], "interval_minutes": 5},
        "patch members/<uuid:member_id>": {"role": "auditor"},
        "post golden-questions": {"question": "?", "expected": [world.memory]},
        "post members": {"email": f"m-{uuid4().hex}@example.com", "role": "viewer"},
        "post store/batch": {"ops": [{"op": "get", "namespace": ["kept"], "key": "k"}]},
        "post sessions/<str:session_id>/messages": {
            "role": "user", "content": "I live in Lyon and I work as a baker."
        },
    }.get(line.name, line.body)  # fmt: skip


def call(world: World, line: Line, by: Caller, request_id: str) -> Any:
    path = line.path
    while "<" in path:
        before, _, rest = path.partition("<")
        part, _, after = rest.partition(">")
        path = before + place_of(world, part.partition(":")[2], line) + after
    if line.name in ("get store/items", "delete store/items"):
        world.agent.put(["a"], "k", {"a": 1}, index=False)
    method, where = line.method.upper(), f"/{path}{line.query}"
    return by.call(method, where, body_of(world, line), x_request_id=request_id)


# What the call of each line leaves when it succeeds; figures, lists and states leave nothing.
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
    "post sessions/<str:session_id>/promote": NOTHING,
    "post context": ("context.assemble",),
    "post searches/<uuid:search_id>/feedback": ("search.feedback",),
    "get golden-questions": NOTHING,
    "post golden-questions": ("golden.add",),
    "get golden-questions/results": NOTHING,
    "post golden-questions/run": ("job.begin",),
    "get golden-questions/<uuid:question_id>": NOTHING,
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

# What one call cannot bring to success: the status it gets, and the test that brings it there.
ELSEWHERE_TOLD = {
    "post memories/<uuid:memory_id>/reveal": 409,  # tests/privacy/test_revealing.py
    "post privacy/quarantine/<uuid:memory_id>": 409,  # tests/privacy/test_quarantine.py
    "post policies/reviews/<uuid:memory_id>": 409,  # tests/rules
    "get audit/checkpoints/consistency": 404,  # test_proof_api.py; nothing is sealed here
    "get policies/rulesets/active": 404,  # tests/rules/test_activating.py
    "post policies/rulesets/<int:n>/approve": 409,  # tests/rules/test_events.py
    "post policies/rulesets/<int:n>/activate": 409,  # tests/rules/test_events.py
    "post policies/holds/<uuid:hold_id>/keep": 409,  # tests of holds
    "post subject-requests/<uuid:request_id>/scope": 409,  # tests/erasure
    "post subject-requests/<uuid:request_id>/exclusions": 409,
    "post subject-requests/<uuid:request_id>/decide": 409,
    "post subject-requests/<uuid:request_id>/approve": 403,
    "get subject-requests/<uuid:request_id>/package": 409,
    "get subject-requests/<uuid:request_id>/certificate": 404,
}


def test_every_route_has_its_line() -> None:
    """A new route must say here what it leaves."""
    assert {line.name for line in TABLE} == set(EXPECTED) | set(ELSEWHERE_TOLD)
    assert not set(EXPECTED) & set(ELSEWHERE_TOLD)
    assert len(ELSEWHERE) == 4  # jobs and `find`: test_jobs_leave_their_events, tests/privacy


@pytest.mark.parametrize("line", TABLE, ids=lambda line: line.name)
def test_a_call_leaves_exactly_its_events(world: World, line: Line) -> None:
    request_id = uuid4().hex
    answer = call(world, line, world.caller(line), request_id)
    left = world.events(request_id)
    if line.name in ELSEWHERE_TOLD:
        assert answer.status_code == ELSEWHERE_TOLD[line.name], answer.content
        assert [outcome for _, outcome in left] in ([], ["denied"])
        return
    assert answer.status_code < 300, answer.content
    actions = Counter(action for action, _ in left)
    assert {outcome for _, outcome in left} <= {"success"}
    assert sorted(actions.elements()) == list(EXPECTED[line.name])


@pytest.mark.parametrize("line", TABLE, ids=lambda line: line.name)
def test_a_refusal_leaves_exactly_one_event(world: World, line: Line) -> None:
    refused = world.keys[line.scope] if line.scope else world.agent
    request_id = uuid4().hex
    answer = call(world, line, refused, request_id)
    assert answer.status_code == 403, answer.content
    assert world.events(request_id) == [("access.call", "denied")]


def test_a_key_that_is_none_leaves_its_event_on_the_platform(world: World) -> None:
    for line in TABLE[:3]:
        request_id = uuid4().hex
        nobody = Caller("mh_aaaaaaaaaaaa_" + "a" * 40)
        assert call(world, line, nobody, request_id).status_code == 401
        assert world.events(request_id) == [("access.key", "denied")]


# What each task may leave: by name, the actions, in the tenant it works for.
TASKS: dict[str, set[str]] = {
    "audit.tasks.extend_months": set(),
    "audit.tasks.seal_audit": {"audit.epoch"},
    "audit.tasks.run_jobs_all": set(),
    "audit.tasks.run_job_of": {"job.end"},  # and what the job does
    "audit.tasks.drop_old_files": set(),
    "memories.tasks.sweep_all": set(),
    "memories.tasks.sweep_tenant": {"sweep.run", "sweep.hide", "sweep.purge"},
    "memories.tasks.embed_pending_all": set(),
    "memories.tasks.embed_tenant": {"memory.embed", "tenant.settings"},
    "memories.tasks.scan_all": set(),
    "memories.tasks.scan_tenant": {"privacy.scan", "privacy.quarantine"},
    "memories.tasks.rotate_keys_all": set(),
    "memories.tasks.rotate_keys_of": {"keys.rotate"},
    "memories.tasks.apply_events_all": set(),
    "memories.tasks.apply_event": {"memory.event"},
    "memories.tasks.count_calendars_all": set(),
    "memories.tasks.count_calendar_of": {"job.begin"},
    "memories.tasks.recognise_models": set(),
    "memories.tasks.reconcile_all": set(),
    "memories.tasks.reconcile_of": {"audit.reconcile"},
    "conversations.tasks.read_all": set(),
    "conversations.tasks.read_tenant": {"memory.put"},
    "conversations.tasks.promote_all": set(),
    "conversations.tasks.promote_tenant": {"memory.promote", "memory.put"},
    "conversations.tasks.measure_recall_all": set(),
    "conversations.tasks.measure_recall_of": {"job.begin", "recall.measure"},
    "erasure.tasks.continue_all": set(),
    "erasure.tasks.continue_one": {"request.purge", "request.probe", "request.close", "job.begin"},
    "erasure.tasks.replay_missing": {"erasure.replay"},
    "dashboard.tasks.count_figures_all": set(),
    "dashboard.tasks.count_figures_of": set(),
    "memoryhub.tasks.heartbeat": set(),
}
IDLE = ("memories.tasks.sweep_tenant", "memories.tasks.embed_tenant", "memories.tasks.scan_tenant",
        "memories.tasks.rotate_keys_of",
        "conversations.tasks.read_tenant", "conversations.tasks.promote_tenant")  # fmt: skip


def test_every_task_has_its_line() -> None:
    """A new task must say here what it leaves, and every action it names must be known."""
    assert set().union(*TASKS.values()) <= set(EVENTS)
    registered = {name for name in app.tasks if not name.startswith("celery.")}
    assert registered == set(TASKS)


@pytest.mark.parametrize("name", IDLE)
def test_a_task_with_nothing_to_do_leaves_nothing(tenant: Tenant, name: str) -> None:
    before = len(events_of(tenant))
    extra = [""] if name.endswith("sweep_tenant") else []
    app.tasks[name](str(tenant.id), *extra)
    assert [one.action for one in events_of(tenant)[before:] if one.action != "sweep.run"] == []


def test_tasks_with_work_leave_their_events(tenant: Tenant, agent: Caller, owner_url: str) -> None:
    agent.put(["a"], "k", {"text": "short lived"}, ttl=1, wait=False)
    embedded = _left_by(tenant, "memories.tasks.embed_tenant")
    assert set(embedded) <= TASKS["memories.tasks.embed_tenant"]
    let_pass(owner_url, tenant, days=90)
    swept = _left_by(tenant, "memories.tasks.sweep_tenant", "")
    assert "sweep.hide" in swept
    assert set(swept) <= TASKS["memories.tasks.sweep_tenant"]


def test_jobs_leave_their_events(world: World) -> None:
    job = world.people["U"].call("POST", "/audit/verify", {}).json()["id"]
    left = _left_by(world.tenant, "audit.tasks.run_job_of", job)
    assert left == ["audit.verify", "job.end"]


def _left_by(tenant: Tenant, name: str, *words: str) -> list[str]:
    before = {event.id for event in events_of(tenant)}
    app.tasks[name](str(tenant.id), *words)
    return sorted(event.action for event in events_of(tenant) if event.id not in before)
