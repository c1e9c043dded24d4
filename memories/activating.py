"""Putting rules into force: one transaction moves the pointer, and every process has the new dates.

Refused with a code while anything is not as it was when the rules were rehearsed. After the switch
what depends on the very instant of it is settled: the ends of notice periods, which were staged as
if the rules had come into force when the staging began (too early by as long as that is ago, and
never so early that a purge could come before its notice: it judges again by the exact instant),
and memories that the new rules bring back into use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from audit.jobs import Step, begin_job, job_kind, run_job
from audit.models import Job
from memories.dating import Regime, regime_of, with_dates
from memories.rows import StoredMemory
from memories.staging import under_what
from memories.statements import staging, upsert
from memories.statements.together import Together
from memoryhub.errors import Conflict
from policies.approving import check_approvals
from policies.cases import parse_cases, run_examples
from policies.models import RuleSet
from policies.parsing import parse_rules
from policies.strictness import refuse_loosening
from policies.versions import (
    State,
    find_active,
    find_version,
    lock_tenant,
    record_step,
    refuse_author,
    require_state,
    rules_of,
    since_if_active,
)
from tenants.authorising import require
from tenants.context import now
from tenants.models import Tenant
from tenants.roles import Action
from tenants.snapshots import tenant_settings

JOB = "rules.settle"
CHUNK = 500
AT_ONCE = 5000
FRESH = timedelta(hours=24)


def activate_rules(n: int, *, confirm_count: int | None = None) -> RuleSet:
    """Put an approved version into force.

    Raises Conflict: `invalid_state`, `rule_locked`, `case_failed`, `simulation_stale`,
    `data_moved`, `confirm_count_required` (with `count`); Denied `second_person_required`; Missing.
    """
    actor = require(Action.APPROVE_RULES)
    with transaction.atomic():
        tenant = lock_tenant()
        version, active = find_version(n), find_active()
        refuse_author(version, actor)
        require_state(version, State.APPROVED)
        check_approvals(version, active)
        refuse_loosening(rules_of(active), parse_rules(version.rules))
        _refuse_failed_cases(version)
        simulation, staged = _require_fresh(version, active, tenant)
        _refuse_unconfirmed(simulation, confirm_count)
        _switch(version, active, tenant, by=actor.name)
        params = {"n": n, "staged_at": staged["at"]}
        job = begin_job(JOB, action=Action.APPROVE_RULES, params=params, total=None)
    if simulation["memories"] <= AT_ONCE:
        run_job(job.id)
    return version


def _refuse_failed_cases(version: RuleSet) -> None:
    results = run_examples(parse_cases(version.cases), rules_of(version))
    failed = [one.name for one in results if not one.passed]
    if failed:
        raise Conflict(f"An example fails: {failed[0]}", code="case_failed", cases=failed)


def _require_fresh(
    version: RuleSet, active: RuleSet | None, tenant: Tenant
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The simulation and what it was staged under, when both are as things are now."""
    simulation, staged = version.simulation, version.staged
    if simulation is None or simulation["hash"] != version.hash or staged is None:
        raise Conflict("Simulate the rules again.", code="simulation_stale")
    at = datetime.fromisoformat(simulation["at"]).astimezone(UTC)
    then, today = (
        {name: staged[name] for name in ("active", "settings")},
        under_what(tenant, active),
    )
    if now() - at > FRESH or then != today or tenant.staged_ruleset != version.n:
        raise Conflict("Simulate the rules again.", code="simulation_stale")
    changed = staging.count_changed(at)
    if changed > tenant.data_share * max(simulation["memories"], 1):
        detail = f"{changed} memories changed since the simulation: simulate again."
        raise Conflict(detail, code="data_moved", count=changed)
    return simulation, staged


def _refuse_unconfirmed(simulation: dict[str, Any], confirm_count: int | None) -> None:
    needed = simulation["confirm_count"]
    if needed is not None and confirm_count != needed:
        detail = f"Type the count to confirm it: {needed}."
        raise Conflict(detail, code="confirm_count_required", count=needed)


def _switch(version: RuleSet, active: RuleSet | None, tenant: Tenant, *, by: str) -> None:
    """The one moment: state of both versions, and the pointer to the slot that counts."""
    if active is not None:
        active.state = State.SUPERSEDED
        active.save(update_fields=["state"])
    version.since = dict(since_if_active(rules_of(version), active, now()))
    version.state, version.activated_at, version.activated_by_name = State.ACTIVE, now(), by
    version.save()
    tenant.active_ruleset, tenant.staged_ruleset = version.n, 0
    tenant.date_slot = 1 - tenant.date_slot
    tenant.save(update_fields=["active_ruleset", "staged_ruleset", "date_slot"])
    record_step("rules.activate", version, supersedes=None if active is None else active.n)


@job_kind(JOB)
def _settle_chunk(job: Job) -> Step:
    """One chunk of rows whose dates depend on the instant of the activation."""
    version: RuleSet = find_version(job.params["n"])
    tenant = tenant_settings()
    after = UUID(job.cursor["after"]) if job.cursor else UUID(int=0)
    if tenant.active_ruleset != version.n:
        return Step(finished=True, done=job.done)
    staged_at = datetime.fromisoformat(job.params["staged_at"])
    rows = staging.lock_unsettled(
        version.n, staged_at=staged_at, at=now(), after=after, limit=CHUNK
    )
    if rows:
        _settle(rows, regime_of(tenant), (staged_at, version.activated_at or now()))
    done = job.done + len(rows)
    cursor: dict[str, Any] = {"after": str(rows[-1].id)} if rows else {}
    return Step(finished=len(rows) < CHUNK, done=done, cursor=cursor)


def _settle(
    rows: Sequence[StoredMemory], regime: Regime, instants: tuple[datetime, datetime]
) -> None:
    """`instants`: the one that was staged for the activation, and the one that it was."""
    staged_at, activated_at = instants
    at, settled = now(), []
    taken = staging.taken_keys(rows)
    for row in rows:
        if row.dates_moved_at == staged_at:
            row = replace(row, dates_moved_at=activated_at)
        row = with_dates(row, regime, at)
        is_back = row.trashed_at is not None and not (row.deleted_at or row.quarantined_at)
        key = (row.namespace, row.key)
        if is_back and (row.visible_until is None or row.visible_until > at) and key not in taken:
            row = replace(row, trashed_at=None)
            taken.add(key)
        settled.append(row)
    together = Together()
    upsert.update_dates(together, settled)
    together.run()
