"""The sealer: every final event gets its place and a signature, in order, once."""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction

from audit.models import Checkpoint, Head, Leaf
from audit.sealing.merkle import grow, hash_leaf
from sealing.signing import open_note
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.audit.reading import events_of
from tests.callers import Caller


def leaves_of(tenant: Tenant) -> list[Leaf]:
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        return list(Leaf.objects.order_by("epoch", "index"))


def test_every_event_gets_the_leaf_of_its_payload(
    tenant: Tenant, agent: Caller, seal_now: Callable[[], int]
) -> None:
    for number in range(5):
        agent.put(["a"], f"k{number}", {"n": number}, index=False)
    assert seal_now() >= 5
    leaves = leaves_of(tenant)
    events = {event.id: event for event in events_of(tenant)}
    assert {leaf.event_id for leaf in leaves} == set(events)
    assert [leaf.index for leaf in leaves] == list(range(len(events)))
    for leaf in leaves:
        assert bytes(leaf.hash) == hash_leaf(events[leaf.event_id].payload.encode())
    seal_now()
    assert len(leaves_of(tenant)) == len(events)


def test_the_newest_checkpoint_signs_the_root_of_all_leaves(
    tenant: Tenant, agent: Caller, seal_now: Callable[[], int]
) -> None:
    agent.put(["a"], "k", {"n": 1}, index=False)
    seal_now()
    agent.put(["a"], "k", {"n": 2}, index=False)
    seal_now()
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        checkpoints = list(Checkpoint.objects.order_by("size"))
        head = Head.objects.get(tenant_id=tenant.id)
    assert len(checkpoints) >= 2
    for checkpoint in checkpoints:
        tree = grow(0, (), [bytes(leaf.hash) for leaf in leaves_of(tenant)[: checkpoint.size]])
        assert bytes(checkpoint.root) == tree.root
        lines = open_note(checkpoint.note).splitlines()
        assert lines[0].startswith(f"memoryhub/{tenant.id}/")
        assert int(lines[1]) == checkpoint.size
    assert (head.size, bytes(head.root)) == (tree.size, tree.root)
