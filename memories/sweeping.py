"""Sweeping: what is out of use goes to the trash, what is due is destroyed, with evidence.

Hiding does not depend on this: every read filters `visible_until`. A sweep only makes true on disk
what reads have said already, so its lateness shows nothing that should be gone.

Each chunk is one transaction: lock (`SKIP LOCKED`, so two sweeps at once share the work), evaluate
again with the newest facts, act, record. Killed anywhere, nothing is lost and nothing done twice:
a deletion and its event commit together. A row that cannot be evaluated is a finding, is pushed an
hour forward, and the rest goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256

import structlog
from django.conf import settings
from django.db import transaction

from audit.recording import Facts, Target, append, draft, record
from memories.dating import Regime, evaluate_row, regime_to_destroy_by, with_dates
from memories.models import Finding, SweepRun, SweepScope
from memories.preventing import note_suspended_chunk
from memories.rows import StoredMemory
from memories.statements import sweep, upsert
from memories.statements.sweep import Area
from memories.statements.together import Together
from tenants.context import now
from tenants.snapshots import tenant_settings

log = structlog.get_logger(__name__)

COUNTS = (
    "hidden", "purged", "archived", "anonymised", "degraded", "to_review", "held", "failed",
)  # fmt: skip
PUSH_FORWARD = timedelta(hours=1)
ABANDONED_AFTER = timedelta(hours=6)
"""A run still `running` after this was killed: the next one says so."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What one sweep covers: where it hides, and where it may destroy (pauses left out)."""

    prefix: str
    hides: Area
    purges: list[Area]
    at: datetime | None = None

    def instant(self) -> datetime:
        """The instant it is judged by: the transaction's, unless a forecast names another."""
        return self.at or now()


def sweep_now(
    prefix: str = "", *, trigger: str = "manual", dry_run: bool = False, at: datetime | None = None
) -> SweepRun:
    """Sweep everything below a stored prefix, whichever scopes lie in it; paused ones stay.

    `at` is for rehearsals on another day's clock; without it the database's clock counts.
    """
    with transaction.atomic():
        plan = replace(_plan_everything(prefix), at=at)
    return _sweep(plan, trigger=trigger, dry_run=dry_run)


def sweep_scope(prefix: str, *, trigger: str = "beat") -> SweepRun | None:
    """Sweep what this scope is the deepest of. None when there is nothing due, or no such scope."""
    with transaction.atomic():
        plan = _plan_scope(prefix)
        if plan is None or not _is_due(plan):
            return None
    return _sweep(plan, trigger=trigger, dry_run=False)


def _plan_scope(prefix: str) -> Plan | None:
    scopes = {scope.namespace_prefix: scope.enabled for scope in SweepScope.objects.all()}
    if prefix and prefix not in scopes:
        return None
    deeper = tuple(other for other in scopes if other != prefix and other.startswith(prefix))
    area = Area(prefix, deeper)
    return Plan(prefix, area, [area] if scopes.get(prefix, True) else [])


def _plan_everything(prefix: str) -> Plan:
    """Hides everywhere below; destroys where the deepest scope is not paused."""
    scopes = {scope.namespace_prefix: scope.enabled for scope in SweepScope.objects.all()}
    outer = max((one for one in scopes if prefix.startswith(one)), key=len, default="")
    inner = [one for one in scopes if one.startswith(prefix) and one != prefix]
    areas = [Area(prefix, tuple(inner))] if scopes.get(outer, True) else []
    for one in inner:
        if scopes[one]:
            deeper = tuple(other for other in inner if other != one and other.startswith(one))
            areas.append(Area(one, deeper))
    return Plan(prefix, Area(prefix), areas)


def _is_due(plan: Plan) -> bool:
    hidden, _, _ = sweep.count_due(plan.hides, at=plan.instant())
    at = plan.instant()
    return hidden > 0 or any(
        sweep.count_due(area, at=at)[1] or sweep.has_suspended(area, at=at) for area in plan.purges
    )


def _sweep(plan: Plan, *, trigger: str, dry_run: bool) -> SweepRun:
    run = _begin(plan, trigger=trigger, dry_run=dry_run)
    counts = Counter(dict.fromkeys(COUNTS, 0)) + Counter()
    try:
        if dry_run:
            counts.update(_rehearse(plan))
        else:
            while chunk := _hide_chunk(plan):
                counts.update(chunk)
            for area in plan.purges:
                while chunk := _purge_chunk(plan, area):
                    counts.update(chunk)
                while chunk := note_suspended_chunk(area, at=plan.at):
                    counts.update(chunk)
    except Exception:
        _end(run, counts, SweepRun.State.FAILED)
        raise
    return _end(run, counts, SweepRun.State.DONE)


def _begin(plan: Plan, *, trigger: str, dry_run: bool) -> SweepRun:
    with transaction.atomic():
        oldest = [sweep.count_due(area, at=plan.instant())[2] for area in plan.purges]
        due = [instant for instant in oldest if instant is not None]
        lag = (plan.instant() - min(due)).total_seconds() if due else 0.0
        SweepRun.objects.all().abandoned(now() - ABANDONED_AFTER).update(
            state=SweepRun.State.FAILED, finished_at=now()
        )
        return SweepRun.objects.create(
            namespace_prefix=plan.prefix,
            trigger=trigger,
            dry_run=dry_run,
            started_at=now(),
            lag_seconds=lag,
        )


def _end(run: SweepRun, counts: Counter[str], state: SweepRun.State) -> SweepRun:
    with transaction.atomic():
        run.state, run.finished_at = state, now()
        run.counts = {name: counts[name] for name in COUNTS}
        run.save(update_fields=["state", "finished_at", "counts"])
        record(
            "sweep.run",
            Target("sweep", str(run.id), run.namespace_prefix),
            Facts(counts=run.counts, links={"trigger": run.trigger, "dry_run": run.dry_run}),
        )
    return run


def _rehearse(plan: Plan) -> Counter[str]:
    with transaction.atomic():
        hidden, _, _ = sweep.count_due(plan.hides, at=plan.instant())
        purged = sum(sweep.count_due(area, at=plan.instant())[1] for area in plan.purges)
    return Counter(hidden=hidden, purged=purged)


def _hide_chunk(plan: Plan) -> Counter[str] | None:
    """One chunk of expired rows into the trash; None when nothing is left."""
    with transaction.atomic():
        at = plan.instant()
        rows = sweep.lock_expired(plan.hides, at=at, limit=settings.SWEEP_CHUNK)
        if not rows:
            return None
        together = Together()
        upsert.update_dates(together, [replace(row, trashed_at=at) for row in rows])
        together.run()
        record(
            "sweep.hide",
            Target("namespace", plan.hides.covered, plan.hides.covered),
            Facts(counts={"n": len(rows)}, links={"digest": digest_of(rows)}),
        )
    return Counter(hidden=len(rows))


def _purge_chunk(plan: Plan, area: Area) -> Counter[str] | None:
    """One chunk of due rows, judged again under their locks; None when nothing is left."""
    with transaction.atomic():
        at = plan.instant()
        rows = sweep.lock_purgeable(area, at=at, limit=settings.SWEEP_CHUNK)
        if not rows:
            return None
        regime = regime_to_destroy_by(tenant_settings(), at)
        judged = [_judge(row, regime, at) for row in rows]
        counts = Counter(verdict.outcome for verdict in judged)
        doomed = [(one.row, one.reason) for one in judged if one.outcome == "purged"]
        kept = [one.row for one in judged if one.outcome != "purged"]
        if kept:
            together = Together()
            upsert.update_dates(together, kept)
            together.run()
        if doomed:
            event = draft(
                "sweep.purge",
                Target("namespace", area.covered, area.covered),
                Facts(
                    ruleset=regime.ruleset,
                    counts={"n": len(doomed)},
                    links={"digest": digest_of([row for row, _ in doomed])},
                ),
            )
            sweep.purge(doomed, at=at, event_id=event.id)
            append([event])
    return counts


@dataclass(frozen=True, slots=True)
class _Verdict:
    row: StoredMemory
    outcome: str
    reason: str = ""


def _judge(row: StoredMemory, regime: Regime, at: datetime) -> _Verdict:
    """Purge it, or keep it with its dates set right. Called under the row's lock."""
    try:
        found = evaluate_row(row, regime, at)
    except Exception as error:  # a poisoned row must not stop the others
        log.exception("sweep_evaluation_failed", memory_id=str(row.id))
        Finding.objects.get_or_create(
            kind="sweep_failed",
            memory_id=row.id,
            closed_at=None,
            defaults={"detail": type(error).__name__, "found_at": at},
        )
        return _Verdict(replace(row, purge_at=at + PUSH_FORWARD), "failed")
    if found.state == "PURGED":
        return _Verdict(row, "purged", found.cause or "expired")
    return _Verdict(with_dates(row, regime, at), "moved")


def digest_of(rows: Sequence[StoredMemory]) -> str:
    """SHA-256 over the sorted ids: says which rows, in one line of evidence."""
    return sha256("".join(sorted(str(row.id) for row in rows)).encode()).hexdigest()
