"""Who may do what with rules and events: every address, every role, and a key with each scope."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tenants.models import Tenant, User
from tests.callers import Caller
from tests.people import Person
from tests.rules.governing import BASE

ROLES = ("admin", "officer", "auditor", "viewer")
WRITERS = {"admin", "officer"}
EVENT = {"id": "e", "type": "t", "occurred_at": "2026-01-01T00:00:00Z", "subject": "s"}
CASE = {
    "memory": {"namespace": ["a"], "created_at": "2026-01-01T00:00:00Z"},
    "at": "2026-01-02T00:00:00Z",
}
TABLE: list[tuple[str, str, Any, set[str], str | None]] = [
    # method, path, body, roles that may, scope of a key that may
    ("GET", BASE, None, set(ROLES), "policy:read"),
    ("POST", BASE, {"based_on": None, "note": ""}, WRITERS, "policy:write"),
    ("GET", f"{BASE}/999", None, set(ROLES), "policy:read"),
    ("PUT", f"{BASE}/999", {"rules": [], "cases": []}, WRITERS, "policy:write"),
    ("DELETE", f"{BASE}/999", None, WRITERS, "policy:write"),
    ("GET", f"{BASE}/active", None, set(ROLES), "policy:read"),
    ("GET", f"{BASE}/999/diff", None, set(ROLES), "policy:read"),
    ("POST", f"{BASE}/999/simulate", None, WRITERS, "policy:write"),
    ("POST", f"{BASE}/999/approve", {"reason": "r"}, WRITERS, None),
    ("POST", f"{BASE}/999/activate", {}, WRITERS, None),
    ("POST", "/policies/evaluate", CASE, set(ROLES), "policy:read"),
    ("POST", "/events", EVENT, set(), "event:write"),
]


@pytest.mark.parametrize(("method", "path", "body", "roles", "scope"), TABLE)
def test_roles_and_scopes(
    tenant: Tenant, make_person: Callable[..., User], make_caller: Callable[..., Caller],
    method: str, path: str, body: Any, roles: set[str], scope: str | None,
) -> None:  # fmt: skip
    for role in ROLES:
        answer = Person(make_person(tenant, role), tenant).call(method, path, body)
        assert (answer.status_code == 403) is (role not in roles), (role, answer.content)
    for given in ("policy:read", "policy:write", "event:write", "memory:read"):
        answer = make_caller(tenant, scopes=[given]).call(method, path, body)
        assert (answer.status_code == 403) is (given != scope), (given, answer.content)
    assert Caller(None).call(method, path, body).status_code == 401
