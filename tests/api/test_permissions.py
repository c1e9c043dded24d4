"""Who may call what (API.md, "Who may"): every address and method stands in this table.

An address that is not in it fails the last test; so does a line whose address is gone. People are
letters: A admin, O officer, U auditor, V viewer. A key has every scope, or every scope but the one.
Each line is called by everybody in `make test-all`; daily, one of those with the same rights is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from api.urls import urlpatterns
from tenants.access.provisioning import create_tenant, create_user, issue_key
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tenants.roles import Scope
from tests.callers import Caller
from tests.grids import one_of_each
from tests.people import Person

ROLES = {"A": "admin", "O": "officer", "U": "auditor", "V": "viewer"}
METHODS = ("get", "post", "put", "patch", "delete")
REFUSED = (401, 403)
ITEM = {"namespace": ["a"], "key": "k"}
WHY = {"reason": "because"}
PERIOD = {"from": "2026-01-01T00:00:00Z", "to": "2026-02-01T00:00:00Z"}


@dataclass(frozen=True)
class Line:
    """One address and method: the scope a key needs (None: people only), and the roles."""

    method: str
    path: str
    scope: str | None
    roles: str
    body: Any = None
    query: str = ""

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"


MEMORY = "memories/<uuid:memory_id>"
RULES = "policies/rulesets"
GOLDEN = "golden-questions"
CASE = {
    "memory": {"namespace": ["a"], "created_at": "2026-01-01T00:00:00Z"},
    "at": "2026-01-02T00:00:00Z",
}
EVENT = {"id": "e", "type": "t", "occurred_at": "2026-01-01T00:00:00Z", "subject": "s"}
HOLD = {"matter": "m", "custodian": "c", "scope": {"subjects": ["s"]}, **WHY}
REQUEST = "subject-requests/<uuid:request_id>"
ASKED = {"subject": "c-1", "kind": "access", **WHY}
KEPT = {"memory_ids": [str(uuid4())], "ground": "legal claims", "text": "a dispute"}
TABLE = [
    Line("get", "store/items", "memory:read", "OU", query="?namespace=a&key=k"),
    Line("put", "store/items", "memory:write", "", {**ITEM, "value": {}, "index": False}),
    Line("delete", "store/items", "memory:delete", "O", {**ITEM, **WHY}),
    Line("post", "store/items/search", "memory:read", "OU", {"namespace_prefix": []}),
    Line("post", "store/namespaces", "memory:read", "OU", {}),
    Line("delete", "store/namespaces", "memory:delete", "O", {"namespace_prefix": ["z"], **WHY}),
    Line("post", "store/batch", "memory:read", "OU", {"ops": [{"op": "get", **ITEM}]}),
    Line("get", MEMORY, "memory:read", "OU"),
    Line("get", f"{MEMORY}/versions", "memory:read", "OU"),
    Line("get", f"{MEMORY}/events", "audit:read", "OU"),
    Line("get", f"{MEMORY}/explain", "policy:read", "AOUV"),
    Line("post", f"{MEMORY}/restore", None, "O", WHY),
    Line("post", f"{MEMORY}/label", None, "O", {"label": "x", **WHY}),
    Line("post", f"{MEMORY}/reveal", None, "O", {"path": "a", **WHY}),
    Line("get", "privacy/quarantine", None, "OU"),
    Line("post", "privacy/quarantine/<uuid:memory_id>", None, "O", {"decision": "release", **WHY}),
    Line("get", "policies/reviews", None, "O"),
    Line("post", "policies/reviews/<uuid:memory_id>", None, "O", {"decision": "keep", **WHY}),
    Line("get", "findings", "policy:read", "AOUV"),
    Line("get", "privacy/clock", "policy:read", "AOUV"),
    Line("get", "privacy/rules", "policy:read", "AOUV"),
    Line("post", "privacy/rules", None, "A", {"entity": "cn_id", "action": "redact"}),
    Line("get", "privacy/rules/<uuid:rule_id>", "policy:read", "AOUV"),
    Line("delete", "privacy/rules/<uuid:rule_id>", None, "A"),
    Line("get", "privacy/patterns", "policy:read", "AOUV"),
    Line("post", "privacy/patterns", None, "A", {"entity": "badge", "pattern": "BD-[0-9]{5}"}),
    Line("get", "privacy/patterns/<uuid:pattern_id>", "policy:read", "AOUV"),
    Line("delete", "privacy/patterns/<uuid:pattern_id>", None, "A"),
    Line("get", "privacy/allowed", "policy:read", "AOUV"),
    Line("post", "privacy/allowed", None, "A", {"value": "400-800-1234"}),
    Line("get", "privacy/allowed/<uuid:allowed_id>", "policy:read", "AOUV"),
    Line("delete", "privacy/allowed/<uuid:allowed_id>", None, "A"),
    Line("get", "usage", "policy:read", "AOU"),
    Line("get", "engine", "policy:read", "AOU"),
    Line("get", "audit/events", "audit:read", "OU"),
    Line("get", "audit/events/<uuid:event_id>", "audit:read", "OU"),
    Line("get", "audit/checkpoints", "audit:read", "OU"),
    Line("get", "audit/checkpoints/consistency", "audit:read", "OU", query="?epoch=1&from=0&to=0"),
    Line("post", "audit/verify", None, "OU", {}),
    Line("post", "audit/exports", None, "OU", {}),
    Line("post", "audit/reports", None, "OU", PERIOD),
    Line("get", "audit/known", "audit:read", "OU", query="?actor=test&at=2026-01-01T00:00:00Z"),
    Line("get", "keys", None, "A"),
    Line("post", "keys", None, "A", {"name": "x"}),
    Line("get", "keys/<slug:key_id>", None, "A"),
    Line("delete", "keys/<slug:key_id>", None, "A"),
    Line("get", "members", None, "A"),
    Line("post", "members", None, "A", {"email": "x@example.com", "role": "viewer"}),
    Line("get", "members/<uuid:member_id>", None, "A"),
    Line("patch", "members/<uuid:member_id>", None, "A", {"role": "viewer"}),
    Line("delete", "members/<uuid:member_id>", None, "A"),
    Line("get", "settings", None, "A"),
    Line("patch", "settings", None, "A", {}),
    Line("get", "policies/sweep-scopes", None, "A"),
    Line("post", "policies/sweep-scopes", None, "A", {"namespace_prefix": ["a"]}),
    Line("get", "policies/sweep-scopes/<uuid:scope_id>", None, "A"),
    Line("patch", "policies/sweep-scopes/<uuid:scope_id>", None, "A", {"enabled": True}),
    Line("delete", "policies/sweep-scopes/<uuid:scope_id>", None, "A"),
    Line("get", "policies/sweeps", "policy:read", "AOUV"),
    Line("post", "policies/sweeps", None, "A", {"dry_run": True}),
    Line("get", "policies/sweeps/<uuid:run_id>", "policy:read", "AOUV"),
    Line("get", RULES, "policy:read", "AOUV"),
    Line("post", RULES, "policy:write", "AO", {"based_on": None, "note": ""}),
    Line("get", f"{RULES}/active", "policy:read", "AOUV"),
    Line("get", f"{RULES}/<int:n>", "policy:read", "AOUV"),
    Line("put", f"{RULES}/<int:n>", "policy:write", "AO", {"rules": [], "cases": []}),
    Line("delete", f"{RULES}/<int:n>", "policy:write", "AO"),
    Line("get", f"{RULES}/<int:n>/diff", "policy:read", "AOUV"),
    Line("post", f"{RULES}/<int:n>/simulate", "policy:write", "AO"),
    Line("post", f"{RULES}/<int:n>/approve", None, "AO", WHY),
    Line("post", f"{RULES}/<int:n>/activate", None, "AO", {}),
    Line("post", "policies/evaluate", "policy:read", "AOUV", CASE),
    Line("get", "policies/holds", "policy:read", "AOUV"),
    Line("post", "policies/holds", "policy:write", "O", HOLD),
    Line("post", "policies/holds/preview", "policy:write", "O", {"scope": HOLD["scope"]}),
    Line("get", "policies/holds/<uuid:hold_id>", "policy:read", "AOUV"),
    Line("get", "policies/holds/<uuid:hold_id>/memories", "policy:read", "AOUV"),
    Line("post", "policies/holds/<uuid:hold_id>/release", None, "O", WHY),
    Line("post", "policies/holds/<uuid:hold_id>/keep", None, "O", WHY),
    Line("post", "events", "event:write", "", EVENT),
    Line("post", "sessions", "session:use", "", {"subject": "s"}),
    Line("get", "sessions/<str:session_id>", "session:use", ""),
    Line("patch", "sessions/<str:session_id>", "session:use", "", {"state": {}}),
    Line("delete", "sessions/<str:session_id>", "session:use", ""),
    Line(
        "post",
        "sessions/<str:session_id>/messages",
        "session:use",
        "",
        {"role": "user", "content": "x"},
    ),
    Line("post", "sessions/<str:session_id>/recall", "session:use", "", {"query": "x"}),
    Line("post", "context", "session:use", "", {"subject": "s", "query": "x"}),
    Line("post", "sessions/<str:session_id>/promote", "session:use", "", {}),
    Line("post", "searches/<uuid:search_id>/feedback", "memory:read", "OU", {"used": []}),
    Line("get", GOLDEN, "policy:read", "AOU"),
    Line("post", GOLDEN, "policy:write", "AO", {"question": "?", "expected": [str(uuid4())]}),
    Line("get", f"{GOLDEN}/results", "policy:read", "AOU"),
    Line("post", f"{GOLDEN}/run", "policy:write", "AO"),
    Line("get", f"{GOLDEN}/<uuid:question_id>", "policy:read", "AOU"),
    Line("delete", f"{GOLDEN}/<uuid:question_id>", "policy:write", "AO"),
    Line("get", f"{GOLDEN}/<uuid:question_id>/results", "policy:read", "AOU"),
    Line("get", "subject-requests", "policy:read", "AOUV"),
    Line("post", "subject-requests", "subject:write", "O", ASKED),
    Line("get", REQUEST, "policy:read", "AOUV"),
    Line("post", f"{REQUEST}/identity", None, "O", {"method": "id", "reference": "seen"}),
    Line("post", f"{REQUEST}/scope", None, "O"),
    Line("post", f"{REQUEST}/exclusions", None, "O", KEPT),
    Line("post", f"{REQUEST}/decide", None, "O", {"grant": True, **WHY}),
    Line("post", f"{REQUEST}/approve", None, "O"),
    Line("post", f"{REQUEST}/extend", None, "O", WHY),
    Line("post", f"{REQUEST}/withdraw", None, "O", WHY),
    Line("get", f"{REQUEST}/memories", "policy:read", "AOUV"),
    Line("get", f"{REQUEST}/package", None, "O"),
    Line("get", f"{REQUEST}/certificate", "policy:read", "AOUV"),
]
ELSEWHERE = {
    # who may see a job is said by what it does: tests/store/test_deleting_namespaces.py
    "get jobs/<uuid:job_id>",
    "post jobs/<uuid:job_id>/cancel",
    "get jobs/<uuid:job_id>/file",
    # not a right of its own: tests/privacy
    "post memories/find",
}


def address_of_nothing(line: Line) -> str:
    """The line's address with ids that nothing has."""
    path = line.path
    while "<" in path:
        before, _, rest = path.partition("<")
        converter, _, after = rest.partition(">")
        kind = converter.partition(":")[0]
        path = before + {"uuid": str(uuid4()), "int": "999"}.get(kind, "a" * 12) + after
    return f"/{path}{line.query}"


def call(caller: Caller, line: Line) -> Any:
    return caller.call(line.method.upper(), address_of_nothing(line), line.body)


def is_allowed(answer: Any) -> bool:
    assert answer.status_code not in (405, 500, 503), answer.content
    return answer.status_code not in REFUSED


@dataclass(frozen=True)
class Stage:
    """One tenant for all lines (passwords take their time to hash), with everybody in it."""

    people: dict[str, Person]
    strangers: dict[str, Person]
    every_scope: Caller
    all_but: dict[str, Caller]


@pytest.fixture(scope="module")
def stage(hub: str) -> Stage:
    def tenant() -> Tenant:
        slug = f"t-{uuid4().hex[:12]}"
        with acting_as(operator_actor()):
            return create_tenant(slug, name=slug)

    def people(of: Tenant, calling: Tenant) -> dict[str, Person]:
        with acting_as(operator_actor(of.id)):
            return {
                letter: Person(
                    create_user(f"{role}-{uuid4().hex[:8]}@example.com", tenant=of, role=role),
                    calling,
                )
                for letter, role in ROLES.items()
            }

    def key(of: Tenant, scopes: list[str]) -> Caller:
        with acting_as(operator_actor(of.id)):
            return Caller(str(issue_key(of, name="test", scopes=scopes).text))

    mine, theirs = tenant(), tenant()
    scopes = [scope.value for scope in Scope]
    return Stage(
        people(mine, mine),
        people(theirs, mine),
        key(mine, scopes),
        {one: key(mine, [other for other in scopes if other != one]) for one in scopes},
    )


LINES = one_of_each(TABLE, lambda line: (line.scope, line.roles), name=lambda line: line.name)
METHOD_BY_METHOD = one_of_each(TABLE, lambda line: line.method, name=lambda line: line.name)


@pytest.mark.parametrize("line", LINES)
def test_people_may_what_their_role_allows(stage: Stage, line: Line) -> None:
    people = stage.people.items()
    assert {letter for letter, person in people if is_allowed(call(person, line))} == set(
        line.roles
    )


@pytest.mark.parametrize("line", LINES)
def test_a_key_may_what_its_scope_allows(stage: Stage, line: Line) -> None:
    answer = call(stage.every_scope, line)
    if line.scope is None:
        assert (answer.status_code, answer.json()["code"]) == (403, "people_only")
        return
    assert is_allowed(answer)
    refused = call(stage.all_but[line.scope], line)
    assert (refused.status_code, refused.json()["code"]) == (403, "scope_missing")
    assert refused.json()["required"] == line.scope


@pytest.mark.parametrize("line", METHOD_BY_METHOD)
def test_nobody_may_nothing(hub: str, line: Line) -> None:
    for key in (None, "nonsense", "mh_aaaaaaaaaaaa_" + "a" * 40):
        answer = call(Caller(key), line)
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")


@pytest.mark.parametrize("line", LINES)
def test_people_of_another_tenant_belong_nowhere_here(stage: Stage, line: Line) -> None:
    assert {call(one, line).status_code for one in stage.strangers.values()} <= {403, 404}


def test_every_address_and_method_stands_in_the_table() -> None:
    served = {
        f"{method} {pattern.pattern}"
        for pattern in urlpatterns
        for method in METHODS
        if hasattr(pattern.callback.view_class, method)  # type: ignore[union-attr]
        and not str(pattern.pattern).startswith("<path:")
    }
    assert served == {line.name for line in TABLE} | ELSEWHERE
