"""Every address with an id in it: another tenant's thing answers like one that never was.

A new address must be added to MAKERS, or the last test fails: nothing escapes the comparison.
Daily, each thing is tried at one of its addresses; in `make test-all` at all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from django.urls.converters import PathConverter

from api.urls import urlpatterns
from audit.models import Job
from memories.models import SweepScope
from memories.scopes import add_scope
from memories.sweeping import sweep_now
from policies.drafting import draft_rules
from policies.models import RuleSet
from tenants.access.provisioning import create_tenant, create_user, issue_key
from tenants.actors import operator_actor
from tenants.context import acting_as, now
from tenants.keys import make_key_text
from tenants.models import ApiKey, Membership, Tenant
from tenants.roles import Scope
from tests.audit.reading import events_of
from tests.callers import Caller
from tests.grids import one_of_each
from tests.people import Person

METHODS = ["GET", "PUT", "POST", "PATCH", "DELETE"]
BODIES: list[Any] = [None, {"reason": "because", "enabled": False, "role": "viewer"}]

Make = Callable[["Stage"], Any]


@dataclass(frozen=True)
class Stage:
    """Tenant A with its agent, and those of tenant B who try everything."""

    tenant: Tenant
    agent: Caller
    rivals: list[Caller]


def call_with(tenant: Tenant, **options: Any) -> Caller:
    with acting_as(operator_actor(tenant.id)):
        options.setdefault("scopes", [scope.value for scope in Scope])
        return Caller(str(issue_key(tenant, name="test", **options).text))


def sign_in(tenant: Tenant, role: str) -> Person:
    with acting_as(operator_actor(tenant.id)):
        user = create_user(f"{role}-{uuid4().hex}@example.com", tenant=tenant, role=role)
    return Person(user, tenant)


@pytest.fixture(scope="module")
def stage(hub: str) -> Stage:
    with acting_as(operator_actor()):
        ours, theirs = (create_tenant(f"t-{uuid4().hex[:12]}", name=name) for name in "AB")
    rivals = [call_with(theirs), sign_in(theirs, "admin"), sign_in(theirs, "officer")]
    return Stage(ours, call_with(ours), rivals)


def make_memory(stage: Stage) -> Any:
    return stage.agent.put(["a"], uuid4().hex, {"n": 1}, index=False).json()["id"]


def make_event(stage: Stage) -> Any:
    return events_of(stage.tenant)[0].id


def make_key(stage: Stage) -> Any:
    return stage.agent.key.split("_")[1]


def make_member(stage: Stage) -> Any:
    return Membership.objects.get(user=sign_in(stage.tenant, "viewer").user).id


def make_scope(stage: Stage) -> Any:
    with acting_as(operator_actor(stage.tenant.id)):
        return add_scope(f"{uuid4()}/", interval_minutes=1).row.id


def make_run(stage: Stage) -> Any:
    with acting_as(operator_actor(stage.tenant.id)):
        return sweep_now().id


def make_job(stage: Stage) -> Any:
    with acting_as(operator_actor(stage.tenant.id)), transaction.atomic():
        job = Job.objects.create(
            kind="test", action="memory.delete", created_at=now(), created_by_kind="key",
            created_by="k", created_by_name="k",
        )  # fmt: skip
    return job.id


def make_ruleset(stage: Stage) -> Any:
    with acting_as(operator_actor(stage.tenant.id)):
        return draft_rules(based_on=None).n


def post(stage: Stage, path: str, body: dict[str, Any], name: str = "id") -> Any:
    answer = stage.agent.call("POST", path, body)
    assert answer.status_code == 201, answer.content
    return answer.json()[name]


def make_hold(stage: Stage) -> Any:
    body = {"matter": "M", "reason": "because", "custodian": "c", "scope": {"subjects": ["s"]}}
    return post(stage, "/policies/holds", body)


def make_request(stage: Stage) -> Any:
    body = {"subject": f"s-{uuid4()}", "kind": "access", "reason": "because"}
    return post(stage, "/subject-requests", body)


def make_session(stage: Stage) -> Any:
    return post(stage, "/sessions", {"subject": "s", "channel": "chat"}, "session_id")


def make_question(stage: Stage) -> Any:
    body = {"question": "what?", "expected": [make_memory(stage)]}
    return post(stage, "/golden-questions", body)


def make_privacy_rule(stage: Stage) -> Any:
    return _by_admin(stage, "rules", {"entity": "cn_id", "action": "redact"})


def make_privacy_pattern(stage: Stage) -> Any:
    name = f"badge_{uuid4().hex[:8]}"
    return _by_admin(stage, "patterns", {"entity": name, "pattern": "BD-[0-9]{5}"})


def make_allowed_value(stage: Stage) -> Any:
    return _by_admin(stage, "allowed", {"value": f"support-{uuid4().hex[:8]}@example.com"})


def _by_admin(stage: Stage, name: str, body: dict[str, Any]) -> Any:
    made = sign_in(stage.tenant, "admin").call("POST", f"/privacy/{name}", body)
    assert made.status_code == 201, made.content
    return made.json()["id"]


def make_search(stage: Stage) -> Any:
    return stage.agent.search(["a"]).json()["search_id"]


MAKERS: dict[str, Make] = {
    "hold_id": make_hold,
    "request_id": make_request,
    "session_id": make_session,
    "question_id": make_question,
    "rule_id": make_privacy_rule,
    "pattern_id": make_privacy_pattern,
    "allowed_id": make_allowed_value,
    "search_id": make_search,
    "memory_id": make_memory,
    "event_id": make_event,
    "key_id": make_key,
    "member_id": make_member,
    "scope_id": make_scope,
    "run_id": make_run,
    "job_id": make_job,
    "n": make_ruleset,
}

WITH_IDS = {
    str(one.pattern): next(iter(one.pattern.converters))
    for one in urlpatterns
    if one.pattern.converters
    and not any(isinstance(kind, PathConverter) for kind in one.pattern.converters.values())
}


SERVED = {str(one.pattern): one.callback.view_class for one in urlpatterns}


def methods_of(pattern: str) -> list[str]:
    """Those that the address has, and one that it has not: 405 is 405 by whatever name."""
    has = [name for name in METHODS if hasattr(SERVED[pattern], name.lower())]
    return [*has, *[name for name in METHODS if name not in has][:1]]


def address(pattern: str, name: str, identifier: Any) -> str:
    kind = {"key_id": "slug", "n": "int", "session_id": "str"}.get(name, "uuid")
    return "/" + pattern.replace(f"<{kind}:{name}>", str(identifier))


def told(answer: Any, identifier: Any) -> tuple[int, Any, str]:
    """All that an answer tells, the id that was asked for and the request's own apart."""
    headers = {name: value for name, value in answer.headers.items() if name != "X-Request-Id"}
    text = answer.content.decode().replace(answer.headers["X-Request-Id"], "…")
    if not isinstance(identifier, int):  # a short number may stand anywhere
        text = text.replace(str(identifier), "…")
    return answer.status_code, sorted(headers.items()), text


@pytest.mark.parametrize("pattern", one_of_each(WITH_IDS, WITH_IDS.__getitem__))
def test_another_tenants_thing_answers_like_one_that_never_was(pattern: str, stage: Stage) -> None:
    name = WITH_IDS[pattern]
    there, served = MAKERS[name](stage), methods_of(pattern)
    nowhere = {"key_id": make_key_text().id, "n": 99_999}.get(name, uuid4())
    for caller in stage.rivals:
        for method in served:
            for body in BODIES[: 1 if method == "GET" else None]:
                seen, expected = (
                    told(caller.call(method, address(pattern, name, one), body), one)
                    for one in (there, nowhere)
                )
                assert seen == expected, (method, body)
                good = {204} if method == "DELETE" else set()
                assert seen[0] in {403, 404, 405, 415, 422} | good, (method, body, seen)
    assert is_still_there(stage, name, there)


REMOVABLE: dict[str, Any] = {
    "n": (RuleSet, {"state": "draft"}),
    "member_id": (Membership, {"role": "viewer"}),
    "scope_id": (SweepScope, {"enabled": True}),
    "key_id": (ApiKey, {"revoked_at": None}),
}


def is_still_there(stage: Stage, name: str, identifier: Any) -> bool:
    """Of what can be removed by its id, unchanged; true of anything else."""
    if name not in REMOVABLE:
        return True
    model, unchanged = REMOVABLE[name]
    with acting_as(operator_actor(stage.tenant.id)), transaction.atomic():
        found = {"n" if name == "n" else "id": identifier}
        return model.objects.filter(**found, **unchanged).exists()


OF_A_MEMORY = [one for one in WITH_IDS if "memory_id" in one]


@pytest.mark.parametrize("pattern", one_of_each(OF_A_MEMORY, lambda one: one.endswith(">")))
def test_a_memory_outside_the_prefix_answers_like_one_that_never_was(
    pattern: str, stage: Stage
) -> None:
    there, nowhere = make_memory(stage), uuid4()
    caller = call_with(stage.tenant, prefixes=["b/"])
    for method in METHODS:
        seen, expected = (
            told(caller.call(method, address(pattern, "memory_id", one), BODIES[-1]), one)
            for one in (there, nowhere)
        )
        assert seen == expected, method
        assert seen[0] in (403, 404, 405, 415, 422), (method, seen)


def test_nobody_is_told_anything_at_any_address(hub: str) -> None:
    nobody = Caller(None)
    for one in urlpatterns:
        path = str(one.pattern)
        for kind, name in (("uuid", uuid4()), ("slug", "k"), ("int", 1), ("path", "x")):
            while f"<{kind}:" in path:
                start = path.index(f"<{kind}:")
                path = path[:start] + str(name) + path[path.index(">", start) + 1 :]
        for method in METHODS:
            answer = nobody.call(method, "/" + path)
            assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated"), path


def test_every_address_with_an_id_is_compared() -> None:
    assert set(WITH_IDS.values()) <= set(MAKERS)
    assert len(WITH_IDS) > 10
