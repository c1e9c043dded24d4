"""Refusals are told by themselves: the refused work is rolled back, its event is not."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import psycopg
import pytest

from tenants.keys import make_key_text
from tenants.models import Tenant
from tests.audit.reading import events_of, platform_events
from tests.callers import Caller


def test_a_missing_scope_is_told_in_the_tenant(
    tenant: Tenant, make_caller: Callable[..., Caller]
) -> None:
    caller = make_caller(tenant, scopes=["memory:read"])
    assert caller.put(["a"], "k", {"n": 1}).json()["required"] == "memory:write"
    (event,) = events_of(tenant, action="access.call")
    assert (event.code, event.outcome) == ("ACC-CAL-D", "denied")
    assert event.target_id == "PUT /api/v1/store/items"
    assert event.links == {"code": "scope_missing"}
    assert event.key_id == caller.key.split("_")[1]


def test_a_write_outside_the_prefix_is_told_and_nothing_is_written(
    agent: Caller, tenant: Tenant, make_caller: Callable[..., Caller]
) -> None:
    caller = make_caller(tenant, prefixes=["users/u1/"])
    caller.batch(
        {"op": "put", "namespace": ["users", "u1"], "key": "in", "value": {}, "index": False},
        {"op": "put", "namespace": ["users", "u2"], "key": "out", "value": {}, "index": False},
    )
    (event,) = events_of(tenant, action="access.call")
    assert event.links == {"code": "outside_prefix"}
    assert agent.keys([]) == []


@pytest.mark.parametrize(
    "key",
    [None, "", "nonsense", str(make_key_text())],
    ids=["missing", "empty", "malformed", "unknown"],
)
def test_a_key_that_is_not_good_is_told_on_the_platform(hub: str, key: str | None) -> None:
    request_id = uuid4().hex
    Caller(key).call("PUT", "/store/items", {}, x_request_id=request_id)
    (event,) = platform_events(request_id=request_id)
    assert (event.code, event.actor_kind, event.key_id) == ("ACC-KEY-D", "anonymous", None)


def test_the_text_of_an_unknown_key_is_in_no_event(hub: str) -> None:
    request_id, key = uuid4().hex, make_key_text()
    Caller(str(key)).call("PUT", "/store/items", {}, x_request_id=request_id)
    (event,) = platform_events(request_id=request_id)
    assert key.id not in event.payload
    assert key.secret not in event.payload


@pytest.mark.parametrize("path", ["/a%00b", "/%ED%A0%80", "/%FF%FE", "/" + "x" * 4000, "/记忆"])
def test_a_denial_is_told_whatever_the_address(hub: str, path: str) -> None:
    request_id = uuid4().hex
    answer = Caller(None).call("GET", path, x_request_id=request_id)
    assert answer.status_code == 401
    (event,) = platform_events(request_id=request_id)
    assert event.target_id.startswith("GET /api/v1/")


def test_a_closed_tenants_key_is_told_in_that_tenant(
    agent: Caller, tenant: Tenant, owner_url: str
) -> None:
    agent.put(["a"], "k", {"n": 1}, index=False)
    with psycopg.connect(owner_url) as connection:
        connection.execute(
            "UPDATE tenants_tenant SET closed_at = now(), version = version + 1 WHERE id = %s",
            [tenant.id],
        )
    assert agent.get(["a"], "k").status_code == 401
    (event,) = events_of(tenant, outcome="denied")
    assert event.code == "ACC-KEY-D"
