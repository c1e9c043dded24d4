"""Sweep scopes: which namespace prefixes are swept by a rhythm of their own, and sweeping now.

A scope and its row in the schedule, which beat reads across tenants, change in one transaction.
A scope that is not enabled is a pause: nothing below it is destroyed, and what expires is hidden
all the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction

from audit.recording import Facts, Target, record
from audit.repeating import settle
from memories.models import SweepRun, SweepScope
from memories.querysets import SweepRunQuerySet
from memories.sweeping import sweep_now
from memoryhub.errors import Conflict, Invalid, Missing
from tenants.authorising import require
from tenants.context import current_tenant_id, now
from tenants.models import Schedule
from tenants.roles import Action

LEAST_MINUTES = 0.1
MOST_MINUTES = 525_600.0
JOB = "sweep"


@dataclass(frozen=True, slots=True)
class Scope:
    """A scope with when it is due next and its last run."""

    row: SweepScope
    next_at: datetime | None
    last_run: SweepRun | None


def list_scopes() -> list[Scope]:
    """The tenant's own scope (prefix "") first, then by prefix."""
    require(Action.ADMINISTER)
    with transaction.atomic():
        _own_scope()
        rows = list(SweepScope.objects.order_by("namespace_prefix"))
        return _with_schedule(rows)


def open_scope(scope_id: UUID) -> Scope:
    """One scope. Raises Missing."""
    require(Action.ADMINISTER)
    with transaction.atomic():
        return _with_schedule([_find(scope_id)])[0]


def add_scope(prefix: str, *, interval_minutes: float, enabled: bool = True) -> Scope:
    """A rhythm for a stored prefix. Raises Invalid, Conflict `scope_taken`."""
    require(Action.ADMINISTER)
    _check_interval(interval_minutes)
    with transaction.atomic():
        _own_scope()
        if SweepScope.objects.filter(namespace_prefix=prefix).exists():
            raise Conflict("This prefix has a sweep scope already.", code="scope_taken")
        row = SweepScope.objects.create(
            namespace_prefix=prefix, interval_minutes=interval_minutes, enabled=enabled
        )
        _schedule(row)
        _record(row, "added")
        settle({"id": str(row.id)}, status=201)
        return _with_schedule([row])[0]


def change_scope(
    scope_id: UUID, *, interval_minutes: float | None = None, enabled: bool | None = None
) -> Scope:
    """Another rhythm, a pause or its end. Raises Missing, Invalid."""
    require(Action.ADMINISTER)
    if interval_minutes is not None:
        _check_interval(interval_minutes)
    with transaction.atomic():
        row = _find(scope_id)
        row.interval_minutes = interval_minutes or row.interval_minutes
        row.enabled = row.enabled if enabled is None else enabled
        row.save(update_fields=["interval_minutes", "enabled"])
        _schedule(row)
        _record(row, "changed")
        return _with_schedule([row])[0]


def remove_scope(scope_id: UUID) -> None:
    """What lies below is swept with the next broader scope. The tenant's own cannot go."""
    require(Action.ADMINISTER)
    with transaction.atomic():
        try:
            row = _find(scope_id)
        except Missing:
            return
        if not row.namespace_prefix:
            raise Conflict("The tenant's own scope stays.", code="own_scope")
        Schedule.objects.filter(
            tenant_id=row.tenant_id, job=JOB, scope=row.namespace_prefix
        ).delete()
        _record(row, "removed")
        row.delete()


def run_sweep(prefix: str = "", *, dry_run: bool = False) -> SweepRun:
    """Sweep below a stored prefix now, or count what a sweep would do."""
    require(Action.ADMINISTER)
    return sweep_now(prefix, dry_run=dry_run)


def find_runs() -> SweepRunQuerySet:
    """The tenant's sweeps inside the caller's prefixes, for a list."""
    actor = require(Action.SEE_FIGURES)
    rows: SweepRunQuerySet = SweepRun.objects.all()
    return rows.within(actor.prefixes)


def list_runs(*, limit: int) -> list[SweepRun]:
    """The newest sweeps."""
    with transaction.atomic():
        return list(find_runs().newest_first()[:limit])


def open_run(run_id: UUID) -> SweepRun:
    """One sweep. Raises Missing."""
    with transaction.atomic():
        run: SweepRun | None = find_runs().with_id(run_id).first()
    if run is None:
        raise Missing("There is no such sweep.")
    return run


def _own_scope() -> None:
    """The tenant's own scope, made when first looked for; its schedule came with the tenant."""
    if SweepScope.objects.filter(namespace_prefix="").exists():
        return
    due = Schedule.objects.filter(tenant_id=current_tenant_id(), job=JOB, scope="").first()
    minutes = settings.SWEEP_DEFAULT_MINUTES if due is None else due.interval_seconds / 60
    SweepScope.objects.bulk_create(
        [SweepScope(namespace_prefix="", interval_minutes=max(minutes, LEAST_MINUTES))],
        ignore_conflicts=True,
    )


def _find(scope_id: UUID) -> SweepScope:
    row: SweepScope | None = SweepScope.objects.select_for_update().with_id(scope_id).first()
    if row is None:
        raise Missing("There is no such sweep scope.")
    return row


def _schedule(row: SweepScope) -> None:
    seconds = row.interval_minutes * 60
    due, is_new = Schedule.objects.get_or_create(
        tenant_id=row.tenant_id, job=JOB, scope=row.namespace_prefix,
        defaults={"interval_seconds": seconds, "next_at": now()},
    )  # fmt: skip
    if not is_new:
        due.interval_seconds = seconds
        due.next_at = min(due.next_at, now() + timedelta(seconds=seconds))
        due.save(update_fields=["interval_seconds", "next_at"])


def _with_schedule(rows: list[SweepScope]) -> list[Scope]:
    prefixes = [row.namespace_prefix for row in rows]
    due = dict(
        Schedule.objects.filter(
            tenant_id=current_tenant_id(), job=JOB, scope__in=prefixes
        ).values_list("scope", "next_at")
    )
    runs: dict[str, SweepRun] = {
        run.namespace_prefix: run
        for run in SweepRun.objects.filter(namespace_prefix__in=prefixes, dry_run=False)
        .order_by("namespace_prefix", "-started_at")
        .distinct("namespace_prefix")
    }
    return [
        Scope(row, due.get(row.namespace_prefix), runs.get(row.namespace_prefix)) for row in rows
    ]


def _record(row: SweepScope, change: str) -> None:
    record(
        "sweep.scope",
        Target("namespace", str(row.id), row.namespace_prefix),
        Facts(links={
            "change": change, "interval_minutes": row.interval_minutes, "enabled": row.enabled,
        }),
    )  # fmt: skip


def _check_interval(minutes: float) -> None:
    if not LEAST_MINUTES <= minutes <= MOST_MINUTES:
        raise Invalid.at("interval_minutes", "out_of_range", "An interval is 0.1 minutes or more.")
