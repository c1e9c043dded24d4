"""Deleting: out of use at once, the key free at once, the old memory kept in the trash."""

from __future__ import annotations

import pytest
from django.db import transaction

from memories.models import Memory, MemoryVersion
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.ageing import let_pass
from tests.callers import Caller


def test_a_deleted_item_is_found_by_nothing(agent: Caller) -> None:
    agent.put(["a"], "k", {"text": "to be deleted"}, subjects=["s"])
    answer = agent.delete(["a"], "k")
    assert (answer.status_code, answer.content) == (204, b"")
    assert agent.get(["a"], "k").status_code == 404
    assert agent.keys(["a"]) == agent.keys(["a"], include_archived=True) == []
    assert agent.namespaces() == []


def test_deleting_again_or_what_never_was_is_no_error(agent: Caller) -> None:
    agent.put(["a"], "k", {"n": 1}, index=False)
    for _ in range(2):
        assert agent.delete(["a"], "k").status_code == 204
    assert agent.delete(["nowhere"], "k").status_code == 204
    assert agent.namespaces() == []


def test_the_key_is_free_and_the_old_memory_keeps_its_id_and_history(
    agent: Caller, tenant: Tenant
) -> None:
    old = agent.put(["a"], "k", {"n": 1}, index=False).json()
    agent.put(["a"], "k", {"n": 2}, index=False)
    agent.delete(["a"], "k")
    new = agent.put(["a"], "k", {"n": 3}, index=False, if_version=0).json()
    assert (new["outcome"], new["version"]) == ("created", 1)
    assert new["id"] != old["id"]
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        kept = Memory.objects.get(id=old["id"])
        versions = MemoryVersion.objects.filter(memory_id=old["id"]).count()
    assert (kept.value, kept.version, versions) == ({"n": 2}, 2, 1)
    assert kept.trashed_at is not None
    assert kept.purge_at is not None


def test_a_delete_does_not_touch_what_has_expired(
    agent: Caller, tenant: Tenant, owner_url: str
) -> None:
    agent.put(["a"], "k", {"n": 1}, index=False, ttl=10)
    let_pass(owner_url, tenant, minutes=11)
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        before = Memory.objects.get()
    agent.delete(["a"], "k")
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        after = Memory.objects.get()
    assert (after.purge_at, after.deleted_at) == (before.purge_at, None)


def test_a_delete_by_prefix_counts_first_and_deletes_when_told(agent: Caller) -> None:
    for namespace in (["a"], ["a", "b"], ["a", "b", "c"], ["ab"]):
        agent.put(namespace, "k", {"n": 1}, index=False)
    body = {"namespace_prefix": ["a"]}
    rehearsed = agent.call("DELETE", "/store/namespaces", body | {"dry_run": True})
    done = agent.call("DELETE", "/store/namespaces", body | {"dry_run": False})
    again = agent.call("DELETE", "/store/namespaces", body | {"dry_run": False})
    counts = [(a.json()["matched"], a.json()["deleted"]) for a in (rehearsed, done, again)]
    assert counts == [(3, 0), (3, 3), (0, 0)]
    assert agent.namespaces() == [["ab"]]


@pytest.mark.slow
def test_a_delete_by_prefix_goes_over_more_than_one_chunk(agent: Caller) -> None:
    ops = [
        {"op": "put", "namespace": ["many", str(n % 7)], "key": str(n), "value": {}, "index": False}
        for n in range(1_050)
    ]
    assert agent.batch(*ops).status_code == 200
    body = {"namespace_prefix": ["many"], "dry_run": False}
    done = agent.call("DELETE", "/store/namespaces", body).json()
    assert (done["matched"], done["deleted"], done["kept"]) == (1_050, 1_050, [])
    assert agent.keys(["many"], limit=1000) == []
