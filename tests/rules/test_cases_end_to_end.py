"""Each worked example for real: made in Postgres, its rules in force, the sweep at its instant.

Facts are written where the use cases write them: columns of the memory, and rows of legal holds.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from django.db import transaction

from memories.dating import evaluate_row, regime_of
from memories.models import Memory, Tombstone
from memories.namespaces import encode
from memories.redating import redate
from memories.statements import staging
from memories.sweeping import sweep_now
from policies.cases import Case, parse_case, run_case
from policies.facts import MemoryFacts
from policies.models import Hold, RuleSet
from policies.outcomes import Evaluation
from policies.parsing import rule_as_wire
from tenants.actors import operator_actor
from tenants.clock import instant_as_wire
from tenants.context import acting_as
from tenants.models import Tenant
from tenants.snapshots import tenant_settings
from tests.ageing import act_as_owner
from tests.callers import Caller
from tests.policies.test_worked_examples import EVERY

STORED = (
    "created_at", "updated_at", "accessed_at", "access_count", "decay", "label", "ttl_expires_at",
    "deleted_at", "restored_at", "dates_moved_at", "reviewed_at", "erasure_verified_at",
    "erasure_approved_at", "restricted_at", "source_erased_at",
)  # fmt: skip
SET = (
    "UPDATE memories_memory SET "
    + ", ".join(f"{name} = %({name})s" for name in STORED)
    + ", classes = %(classes)s, source_caps = %(source_caps)s, events = %(events)s, "
    "quarantined_at = %(quarantined_at)s, trashed_at = %(trashed_at)s, ttl = %(ttl)s "
    "WHERE tenant_id = %(tenant)s"
)


def make(case: Case, tenant: Tenant, agent: Caller, owner_url: str) -> None:
    """One memory with the facts of the case."""
    memory = case.memory
    written = agent.put(list(memory.namespace), "k", {"n": 1}, index=False, kind=memory.kind)
    assert written.status_code == 200, written.content
    facts: dict[str, Any] = {name: getattr(memory, name) for name in STORED}
    facts["updated_at"] = memory.updated_at or memory.created_at
    counted = memory.deleted_at is not None and _is_deleted(memory, case)
    facts |= {
        "classes": sorted(memory.classes), "source_caps": list(memory.source_caps),
        "events": json.dumps({name: instant_as_wire(at) for name, at in memory.events.items()}),
        "quarantined_at": memory.created_at if memory.quarantined else None,
        "trashed_at": memory.deleted_at if counted else None,
        "ttl": None if memory.ttl_expires_at is None else memory.ttl_expires_at - memory.created_at,
        "tenant": tenant.id,
    }  # fmt: skip
    with psycopg.connect(owner_url) as connection:
        act_as_owner(connection, tenant)
        connection.execute(SET, facts)


def _is_deleted(memory: MemoryFacts, case: Case) -> bool:
    """A delete puts into the trash; a later restore takes out again."""
    deleted, restored = memory.deleted_at, memory.restored_at
    return deleted is not None and deleted <= case.at and (restored is None or restored < deleted)


def place_holds(case: Case, tenant: Tenant) -> None:
    """The holds of the case, each over the namespace of its memory."""
    if not case.memory.holds:
        return
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        for number, hold in enumerate(case.memory.holds):
            is_over = hold.released_at is not None
            Hold.objects.create(
                matter=f"matter {number}", reason="a dispute", custodian="counsel",
                namespaces=[encode(case.memory.namespace)], placed_at=hold.placed_at,
                placed_by="x", placed_by_name="x", released_at=hold.released_at,
                state="released" if is_over else "active",
            )  # fmt: skip
        row = Tenant.objects.get(id=tenant.id)
        row.holds += 1
        row.save()


def put_into_force(case: Case, tenant: Tenant) -> None:
    """The rules of the case as the active version, each since when the case says."""
    rules = case.rules or ()
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        RuleSet.objects.create(
            n=1, state="active", hash="0" * 64, rules=[_without_since(rule) for rule in rules],
            since={
                rule.key: instant_as_wire(rule.active_since)
                for rule in rules if rule.active_since is not None
            },
            created_at=datetime(2020, 1, 1, tzinfo=UTC), created_by="x", created_by_name="x",
            written_by="x", activated_at=datetime(2020, 1, 1, tzinfo=UTC),
        )  # fmt: skip
        row = Tenant.objects.get(id=tenant.id)
        settings = case.settings
        row.active_ruleset, row.trash_days = 1, settings.trash_days
        row.notice_days, row.timezone = settings.notice_days, settings.timezone
        row.save()


def _without_since(rule: Any) -> dict[str, Any]:
    wire = rule_as_wire(rule)
    wire.pop("active_since", None)
    return {**wire, "citation": "a law"} if rule.statutory else wire


def outcome(case: Case, tenant: Tenant) -> dict[str, Any]:
    """What Postgres says after the dates followed and the sweep ran at the instant of the case."""
    with acting_as(operator_actor(tenant.id)):
        with transaction.atomic():
            regime = regime_of(tenant_settings())
            (row,) = Memory.objects.all()
            ((stored, _),) = staging.lock_free([row.id])
            before = evaluate_row(stored, regime, case.at)
            redate([stored], (regime, regime), at=case.at, moved_at=case.at)
            visible = Memory.objects.all().visible(case.at).exists()
        sweep_now(at=case.at)
        with transaction.atomic():
            left = Memory.objects.first()
            assert (left is None) is Tombstone.objects.exists()
    dates = _dates(left) if left is not None else _dates(before)
    is_quarantined = case.memory.quarantined
    return {
        **dates,
        "state": "PURGED" if left is None else before.state,
        "visible": visible and not is_quarantined,
        "flags": tuple(before.flags if left is None else left.flags),
    }


def _dates(found: Evaluation | Memory) -> dict[str, Any]:
    archive = found.archive_at if isinstance(found, Evaluation) else found.archived_at
    return {
        "visible_until": found.visible_until, "purge_at": found.purge_at, "archive_at": archive,
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("raw", EVERY)
def test_the_example_holds_in_postgres(
    raw: dict[str, Any], tenant: Tenant, make_caller: Callable[..., Caller], owner_url: str
) -> None:
    case = parse_case(raw)
    make(case, tenant, make_caller(tenant), owner_url)
    place_holds(case, tenant)
    put_into_force(case, tenant)
    got = outcome(case, tenant)
    for name, expected in case.expect.items():
        if name in ("anonymise_at", "degrade_at"):
            assert run_case(case).passed
            continue
        shown = got[name]
        if isinstance(expected, datetime) and isinstance(shown, datetime):
            assert abs(shown - expected) <= timedelta(milliseconds=1), name
        else:
            assert shown == expected, (name, asdict(run_case(case)))
