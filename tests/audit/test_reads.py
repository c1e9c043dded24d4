"""Every answer that holds content leaves an event; answers without content need none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tenants.models import Tenant
from tests.audit.reading import events_of
from tests.callers import Caller

WITH_CONTENT: dict[str, Callable[[Caller, str], Any]] = {
    "by key": lambda caller, _: caller.get(["a"], "k"),
    "by id": lambda caller, one: caller.call("GET", f"/memories/{one}"),
    "versions": lambda caller, one: caller.call("GET", f"/memories/{one}/versions"),
    "search": lambda caller, _: caller.search(["a"]),
    "search by meaning": lambda caller, _: caller.search(["a"], query="content"),
    "batch get": lambda caller, _: caller.batch({"op": "get", "namespace": ["a"], "key": "k"}),
    "batch search": lambda caller, _: caller.batch({"op": "search", "namespace_prefix": ["a"]}),
}
WITHOUT: dict[str, Callable[[Caller, str], Any]] = {
    "namespaces": lambda caller, _: caller.call("POST", "/store/namespaces", {}),
    "usage": lambda caller, _: caller.call("GET", "/usage"),
}


@pytest.fixture
def memory(agent: Caller) -> str:
    agent.put(["a"], "k", {"text": "one"}, index=False)
    return agent.put(["a"], "k", {"text": "content"}).json()["id"]


@pytest.mark.slow
@pytest.mark.parametrize("read", WITH_CONTENT.values(), ids=WITH_CONTENT)
def test_a_read_of_content_leaves_an_event_that_names_the_memory(
    agent: Caller, tenant: Tenant, memory: str, read: Callable[[Caller, str], Any]
) -> None:
    before = {event.id for event in events_of(tenant)}
    answer = read(agent, memory)
    assert answer.status_code == 200
    assert "content" in answer.content.decode() or "one" in answer.content.decode()
    (event,) = [event for event in events_of(tenant) if event.id not in before]
    assert event.request_id == answer.headers["X-Request-Id"]
    assert event.key_id == agent.key.split("_")[1]
    assert memory in event.payload


@pytest.mark.parametrize("read", WITHOUT.values(), ids=WITHOUT)
def test_what_returns_no_content_writes_nothing(
    agent: Caller, tenant: Tenant, memory: str, read: Callable[[Caller, str], Any]
) -> None:
    before = len(events_of(tenant))
    answer = read(agent, memory)
    assert answer.status_code == 200
    assert "content" not in answer.content.decode()
    assert len(events_of(tenant)) == before
