"""Events of memories name whom they are about, by pseudonym; found by it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from privacy.subjects import pseudonyms_of
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.audit.reading import events_of
from tests.callers import Caller
from tests.people import Person


@pytest.fixture
def officer(tenant: Tenant, make_person: Callable[..., User]) -> Person:
    return Person(make_person(tenant, "officer"), tenant)


def names_of(tenant: Tenant, *subjects: str) -> list[str]:
    with acting_as(operator_actor(tenant.id)):
        return sorted(pseudonyms_of(subjects).values())


def test_writes_and_reads_of_a_memory_name_its_subjects(
    agent: Caller, tenant: Tenant, officer: Person
) -> None:
    made = agent.put(["a"], "k", {"text": "one"}, subjects=["ann", "ben"]).json()["id"]
    agent.get(["a"], "k")
    agent.put(["a"], "other", {"text": "two"}, subjects=["ben", "cyd"])
    agent.put(["a"], "nobody", {"text": "three"})
    agent.get(["a"], "nobody")
    agent.search(["a"])
    agent.batch({"op": "get", "namespace": ["a"], "key": "other"})
    officer.call("GET", f"/memories/{made}/versions")
    officer.call("POST", f"/memories/{made}/label", {"label": "vip", "reason": "they asked"})
    agent.put(["a"], "k", {"text": "changed"}, subjects=["ann"])
    agent.delete(["a"], "k")
    both, ann = names_of(tenant, "ann", "ben"), names_of(tenant, "ann")
    told: dict[str, list[Any]] = {}
    for event in events_of(tenant):
        assert json.loads(event.payload)["subjects"] == event.subjects
        told.setdefault(event.action, []).append(event.subjects)
    assert told["memory.put"] == [both, names_of(tenant, "ben", "cyd"), [], ann]
    assert told["memory.get"] == [both, []]
    assert told["memory.search"] == [names_of(tenant, "ann", "ben", "cyd")]
    assert told["memory.batch"] == [names_of(tenant, "ben", "cyd")]
    assert told["memory.versions"] == told["memory.label"] == [both]
    assert told["memory.delete"] == [ann]
    found = officer.call("GET", f"/audit/events?subject={ann[0]}").json()["items"]
    assert len(found) == 7


def test_what_a_derived_memory_takes_over_is_named(agent: Caller, tenant: Tenant) -> None:
    source = agent.put(["a"], "s", {"text": "one"}, subjects=["ann"]).json()["id"]
    agent.put(["a"], "d", {"text": "two"}, derived_from=[source])
    assert events_of(tenant, action="memory.put")[1].subjects == names_of(tenant, "ann")
