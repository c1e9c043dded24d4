"""Anonymised: masked in place, in every version and in search; sealed while something protects."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from memories.embedding.catching_up import embed_pending
from memories.models import MemoryVersion
from privacy.models import PiiFinding, VaultEntry
from tenants.actors import operator_actor
from tenants.clock import wall_clock
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.callers import Caller
from tests.people import Person
from tests.rules.governing import Governed

CN_ID = "11010519491231002X"
EMAIL = "wang.fang@example.org"
VALUE = {"text": f"身份证{CN_ID}，写信到 {EMAIL}", "drink": "green tea"}
RULE = {"key": "mask", "kind": "anonymise", "after": {"days": 90}}


@pytest.fixture
def tenant(make_tenant: Callable[..., Tenant]) -> Tenant:
    """A tenant that lets addresses stand as they are written, for a while."""
    return make_tenant(pii={"email": "flag"})


def reveal(officer: Person, memory: str) -> Any:
    body = {"path": "text", "reason": "the court asked"}
    return officer.call("POST", f"/memories/{memory}/reveal", body)


def vault(tenant: Tenant) -> tuple[int, int]:
    """(originals, findings that name one)."""
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        named = PiiFinding.objects.filter(token_id__isnull=False)
        return VaultEntry.objects.count(), named.count()


def stored(agent: Caller, tenant: Tenant) -> str:
    """All that is stored of the memory, as text."""
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        versions = [str(one.value) for one in MemoryVersion.objects.all()]
    return agent.get(["a"], "k").content.decode() + "".join(versions)


@pytest.mark.slow
def test_personal_data_is_masked_in_value_and_versions_and_its_originals_are_gone(
    governed: Governed, agent: Caller, tenant: Tenant, sweep: Any, pass_time: Any, officer: Person
) -> None:
    governed.enforce(RULE)
    agent.put(["a"], "k", {"text": f"写信到 {EMAIL}"})
    made = agent.put(["a"], "k", VALUE, source={"from": EMAIL}).json()
    assert EMAIL in stored(agent, tenant)
    assert "⟦cn_id:" in made["value"]["text"]
    assert vault(tenant) == (1, 1)
    pass_time(days=91)
    assert sweep(dry_run=True) == {"anonymised": 1}
    assert sweep() == {"anonymised": 1}
    assert sweep() == {}
    shown = agent.get(["a"], "k").json()
    assert shown["value"] == {
        "text": "身份证[cn_id]，写信到 w***@example.org",
        "drink": "green tea",
    }
    assert (shown["version"], shown["embedding"]) == (2, "pending")
    assert EMAIL not in stored(agent, tenant)
    assert vault(tenant) == (0, 0)
    assert reveal(officer, made["id"]).json()["code"] == "nothing_sealed"
    with acting_as(operator_actor(tenant.id)):
        embed_pending()
    assert agent.keys(["a"], query="green tea", mode="vector") == ["k"]
    assert agent.keys(["a"], query="wang fang", mode="text") == []


@pytest.mark.slow
def test_what_is_written_after_the_date_is_masked_by_the_next_sweep(
    governed: Governed, agent: Caller, tenant: Tenant, sweep: Any, pass_time: Any
) -> None:
    governed.enforce(RULE)
    agent.put(["a"], "k", {"n": 1}, index=False)
    pass_time(days=91)
    assert sweep() == {"anonymised": 1}
    agent.put(["a"], "k", VALUE, index=False)
    assert sweep() == {"anonymised": 1}
    assert EMAIL not in stored(agent, tenant)


def test_under_a_hold_the_original_is_sealed_until_the_hold_ends(
    governed: Governed, agent: Caller, tenant: Tenant, sweep: Any, pass_time: Any, officer: Person,
    make_person: Callable[..., User],
) -> None:  # fmt: skip
    governed.enforce(RULE)
    agent.put(["a"], "k", {"text": f"写信到 {EMAIL}"}, index=False)
    made = agent.put(["a"], "k", VALUE, index=False).json()
    hold = {"matter": "m", "reason": "r", "custodian": "c", "scope": {"namespaces": [["a"]]}}
    placed = officer.call("POST", "/policies/holds", hold)
    assert placed.status_code == 201, placed.content
    pass_time(days=91)
    assert sweep() == {"anonymised": 1}
    assert EMAIL not in stored(agent, tenant)
    assert CN_ID not in stored(agent, tenant)
    assert vault(tenant) == (2, 3)  # the address is in both versions
    assert reveal(officer, made["id"]).json()["value"].split("\n") == [CN_ID, EMAIL]
    assert sweep() == {}
    second = Person(make_person(tenant, "officer"), tenant)
    address = f"/policies/holds/{placed.json()['id']}/release"
    for person in (officer, second):
        assert person.call("POST", address, {"reason": "settled"}).status_code == 200
    sweep()
    assert vault(tenant) == (0, 0)
    assert reveal(officer, made["id"]).json()["code"] == "nothing_sealed"
    assert sweep() == {}


@pytest.mark.slow
def test_under_a_floor_the_original_is_sealed_until_the_floor_ends(
    governed: Governed, agent: Caller, tenant: Tenant, sweep: Any, officer: Person
) -> None:
    governed.enforce(RULE, {"key": "floor", "kind": "keep", "after": {"days": 365}})
    made = agent.put(["a"], "k", VALUE, index=False).json()
    begin = wall_clock()
    assert sweep(at=begin + timedelta(days=91)) == {"anonymised": 1}
    assert sweep(at=begin + timedelta(days=364)) == {}
    assert EMAIL not in stored(agent, tenant)
    assert reveal(officer, made["id"]).status_code == 200
    sweep(at=begin + timedelta(days=366))
    assert vault(tenant) == (0, 0)
    assert reveal(officer, made["id"]).json()["code"] == "nothing_sealed"
