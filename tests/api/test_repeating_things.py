"""Idempotency-Key where people make things: kept with the thing, whenever the process dies."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from audit import repeating
from tenants.models import Tenant, User
from tests.callers import Caller
from tests.people import Person

REASON = "asked for"


def test_what_was_made_is_not_made_twice_when_the_process_dies_after_its_commit(
    agent: Caller,
    tenant: Tenant,
    make_person: Callable[..., User],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    admin, officer = (Person(make_person(tenant, role), tenant) for role in ("admin", "officer"))
    memory = agent.put(["a"], "k", {"n": 1}).json()["id"]
    agent.delete(["a"], "k")
    calls: list[tuple[Person, str, dict[str, Any], int]] = [
        (admin, "/keys", {"name": "one"}, 201),
        (admin, "/members", {"email": f"new-{tenant.slug}@example.com", "role": "viewer"}, 201),
        (admin, "/policies/sweep-scopes", {"namespace_prefix": ["a"], "interval_minutes": 5}, 201),
        (officer, f"/memories/{memory}/restore", {"reason": REASON}, 200),
        (officer, f"/memories/{memory}/label", {"label": "x", "reason": REASON}, 200),
    ]

    def die(*_: object, **__: object) -> None:
        raise RuntimeError("the process ended here")

    monkeypatch.setattr(repeating, "LEASE", timedelta(0))
    for by, path, body, status in calls:
        with monkeypatch.context() as dying:
            dying.setattr("api.repeating.settle_afterwards", die)
            assert by.call("POST", path, body, idempotency_key=path).status_code == 500
        again = by.call("POST", path, body, idempotency_key=path)
        assert (path, again.status_code) == (path, status), again.content
        assert again.headers["Idempotent-Replay"] == "true"
        assert (
            by.call("GET", again.headers["Location"].removeprefix("/api/v1")).json()["id"]
            == (again.json()["id"])
        )
    assert [one["name"] for one in admin.call("GET", "/keys").json()["items"]].count("one") == 1


def test_a_key_that_would_be_of_no_use_is_refused(
    tenant: Tenant, make_person: Callable[..., User]
) -> None:
    admin = Person(make_person(tenant, "admin"), tenant)
    for field, given in [("expires_at", "2020-01-01T00:00:00Z"), ("scopes", [])]:
        refused = admin.call("POST", "/keys", {"name": "one", field: given})
        assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, field)
    assert admin.call("POST", "/keys", {"name": "one"}).status_code == 201
