"""Each kind of job, begun and run: exactly what its work leaves; and what the routes of jobs leave.

The kinds are those that a worker knows: a new one has no line here and fails.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from audit.jobs import known_kinds
from audit.verifying.running import Span
from audit.verifying.standing import ask_for_bundle
from dashboard.views.evidence import JOB_NAMES
from memories import activating, deleting, holding, occurring, redating
from memories.forecasting import count_calendar_anew
from memories.rotating import ask_for_rotation
from tenants.actors import operator_actor
from tenants.context import acting_as
from tests.api.test_permissions import PERIOD
from tests.audit.everywhere.places import HOLD
from tests.audit.everywhere.world import NOTHING, World, identifier
from tests.erasure.asking import Asking
from tests.rules.governing import Governed

Run = Callable[..., None]
Begin = Callable[[World], str]

ROUTES = {
    "get jobs/<uuid:job_id>": NOTHING,
    "post jobs/<uuid:job_id>/cancel": ("job.cancel", "job.end"),
    "get jobs/<uuid:job_id>/file": ("job.file",),
    "post memories/find": ("memory.find",),
}
"""Routes that stand outside the table of permissions."""


def _by_person(role: str, path: str, body: Any = None) -> Begin:
    return lambda world: identifier(world.people[role].call("POST", path, body))


def _by_operator(begin: Callable[[], Any]) -> Begin:
    def run(world: World) -> str:
        with acting_as(operator_actor(world.tenant.id)):
            return str(begin().id)

    return run


def _newest(world: World) -> str:
    """The job of a request that answers with something else."""
    (found, *_) = world.agent.call("GET", "/audit/events?action=job.begin").json()["items"]
    return str(found["target"]["id"])


def _measure(world: World) -> str:
    question = {"question": "?", "expected": [world.memory]}
    world.agent.call("POST", "/golden-questions", question)
    return identifier(world.agent.call("POST", "/golden-questions/run"))


def _simulate(world: World) -> str:
    rules = Governed(world.tenant, world.people["A"], world.people["O"])
    return _ask_to_simulate(rules, rules.draft())


def _ask_to_simulate(rules: Governed, n: int) -> str:
    return identifier(rules.author.call("POST", f"/policies/rulesets/{n}/simulate"))


def _settle(world: World) -> str:
    Governed(world.tenant, world.people["A"], world.people["O"]).enforce()
    return _newest(world)


def _delete_namespace(world: World) -> str:
    world.put(["gone"], "k")
    body = {"namespace_prefix": ["gone"], "dry_run": False}
    return identifier(world.agent.call("DELETE", "/store/namespaces", body))


def _redate(world: World) -> str:
    world.people["A"].call("PATCH", "/settings", {"trash_days": 60})
    return _newest(world)


def _hold(world: World) -> str:
    world.people["O"].call("POST", "/policies/holds", HOLD)
    return _newest(world)


def _happen(world: World) -> str:
    world.put(["a"], "k", subjects=["s"])
    body = {"id": "e", "type": "t", "occurred_at": "2026-01-01T00:00:00Z", "subject": "s"}
    assert world.agent.call("POST", "/events", body).status_code == 202
    return _newest(world)


def _scope(world: World) -> str:
    asking = Asking(world.tenant, world.people["O"], world.second)
    request = asking.open("anna", "access")
    asking.verify(request)
    return identifier(asking.step(request, "scope"))


def _carry_out(kind: str) -> Begin:
    def begin(world: World) -> str:
        world.put(["crm"], "k", subjects=["anna"])
        asking = Asking(world.tenant, world.people["O"], world.second)
        return identifier(asking.approve(asking.ready("anna", kind)))

    return begin


KINDS: dict[str, tuple[Begin, tuple[str, ...]]] = {
    "audit.verify": (_by_person("U", "/audit/verify", {}), ("audit.verify", "job.end")),
    "audit.bundle": (_by_operator(lambda: ask_for_bundle(Span())), ("audit.bundle", "job.end")),
    "evidence.export": (_by_person("U", "/audit/exports", {}), ("evidence.export", "job.end")),
    "evidence.report": (
        _by_person("U", "/audit/reports", PERIOD), ("audit.verify", "evidence.report", "job.end"),
    ),
    "rules.simulate": (_simulate, ("job.end", "rules.simulate")),
    "rules.settle": (_settle, ("job.end",)),
    "namespace.delete": (_delete_namespace, ("job.end", "memory.delete", "namespace.delete")),
    "dates.redate": (_redate, ("job.end",)),
    "holds.redate": (_hold, ("job.end",)),
    "event.apply": (_happen, ("job.end",)),
    "calendar.build": (_by_operator(count_calendar_anew), ("job.end",)),
    "keys.rotate": (_by_operator(ask_for_rotation), ("job.end", "keys.rotate")),
    "recall": (_measure, ("job.end", "recall.measure")),
    "request.scope": (_scope, ("job.end", "request.scope")),
    "request.access": (_carry_out("access"), ("job.end", "request.close")),
    "request.restrict": (_carry_out("restriction"), ("job.end", "request.close")),
    "request.erase": (
        _carry_out("erasure"), ("job.end", "request.close", "request.probe", "request.purge"),
    ),
}  # fmt: skip


def test_every_kind_of_job_has_its_line(world: World) -> None:
    """A new kind must say here what its work leaves; and people read its name on the page."""
    assert set(KINDS) == known_kinds() == set(JOB_NAMES)


@pytest.fixture
def nothing_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done within a request for few memories becomes a job for one."""
    for module in (activating, deleting, holding, occurring, redating):
        monkeypatch.setattr(module, "AT_ONCE", 0 if module in (deleting, occurring) else -1)


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_at_once")
@pytest.mark.parametrize("kind", KINDS)
def test_a_job_leaves_exactly_its_events(fresh: World, kind: str, run_task: Run) -> None:
    begin, expected = KINDS[kind]
    job = begin(fresh)
    shown = fresh.people["O"].call("GET", f"/jobs/{job}").json()
    assert shown.get("kind") in (kind, None), "an officer does not see an admin's"
    with fresh.watching() as left:
        run_task("audit.tasks.run_job_of", str(fresh.tenant.id), job)
    assert tuple(left) == expected
    with fresh.watching() as again:
        run_task("audit.tasks.run_job_of", str(fresh.tenant.id), job)
    assert again == []


def test_what_is_asked_of_a_job_leaves_its_events(world: World, run_task: Run) -> None:
    officer, left = world.people["O"], {}
    job = identifier(officer.call("POST", "/audit/exports", {}))
    run_task("audit.tasks.run_job_of", str(world.tenant.id), job)
    _, left["get jobs/<uuid:job_id>"] = world.told(officer, "GET", f"/jobs/{job}")
    _, left["get jobs/<uuid:job_id>/file"] = world.told(officer, "GET", f"/jobs/{job}/file")
    other = identifier(officer.call("POST", "/audit/exports", {}))
    _, left["post jobs/<uuid:job_id>/cancel"] = world.told(officer, "POST", f"/jobs/{other}/cancel")
    sought = {"entity": "cn_id", "value": "11010519491231002X"}
    _, left["post memories/find"] = world.told(officer, "POST", "/memories/find", sought)
    assert left == ROUTES


def test_a_job_that_fails_says_so(world: World, run_task: Run) -> None:
    rules = Governed(world.tenant, world.people["A"], world.people["O"])
    n = rules.draft()
    first, _ = (_ask_to_simulate(rules, n) for _ in range(2))
    with world.watching() as left:
        run_task("audit.tasks.run_job_of", str(world.tenant.id), first)
    assert left == ["job.end failed"]
