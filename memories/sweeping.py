"""Sweeping: what is out of use goes to the trash, what is due is destroyed, with evidence.

Hiding does not depend on this: every read filters `visible_until`. A sweep only makes true on disk
what reads have said already, so its lateness shows nothing that should be gone.

Each chunk is one transaction: lock (`SKIP LOCKED`, so two sweeps at once share the work), evaluate
again with the newest facts, act, record. Killed anywhere, nothing is lost and nothing done twice:
a deletion and its event commit together. A row that cannot be evaluated is a finding, is pushed an
hour forward, and the rest goes on.

The order: first what is destroyed (what is due and not hidden yet needs no hiding), then what is
hidden, then what is done besides (`memories.sweeps.acting`), then what a hold prevents is noted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction

from audit.recording import Facts, Target, record
from memories.models import SweepRun
from memories.preventing import note_suspended_chunk
from memories.statements import sweep
from memories.statements.sweep import BEGINNING
from memories.statements.tally import add_to_tally
from memories.sweeps.acting import act_chunk, rehearse_acts
from memories.sweeps.hiding import hide_chunk
from memories.sweeps.plans import Plan, plan_everything, plan_scope
from memories.sweeps.purging import Chunk, purge_chunk, rehearse_purge
from tenants.context import now

COUNTS = (
    "hidden", "purged", "archived", "anonymised", "degraded", "to_review", "held", "failed",
)  # fmt: skip
"""What a run counts. `to_review` are among `hidden`; what is purged unhidden counts as both."""
ABANDONED_AFTER = timedelta(hours=6)
"""A run still `running` after this was killed: the next one says so."""


def sweep_now(
    prefix: str = "", *, trigger: str = "manual", dry_run: bool = False, at: datetime | None = None
) -> SweepRun:
    """Sweep everything below a stored prefix, whichever scopes lie in it; paused ones stay.

    `at` is for rehearsals on another day's clock; without it the database's clock counts.
    """
    with transaction.atomic():
        plan = plan_everything(prefix, at=at)
    return _sweep(plan, trigger=trigger, dry_run=dry_run)


def sweep_scope(prefix: str, *, trigger: str = "beat") -> SweepRun | None:
    """Sweep what this scope is the deepest of. None when there is nothing due, or no such scope."""
    with transaction.atomic():
        plan = plan_scope(prefix)
        if plan is None or not _is_due(plan):
            return None
    return _sweep(plan, trigger=trigger, dry_run=False)


def _is_due(plan: Plan) -> bool:
    """Whether anything is; a row a scan is read, however many are due."""
    oldest = sweep.oldest_expired(plan.hides, at=plan.instant())
    return oldest is not None or _find_oldest(plan) is not None


def _find_oldest(plan: Plan) -> datetime | None:
    """Since when the longest overdue work waits; to be hidden is none, reads hide by themselves."""
    at = plan.instant()
    found = [
        sweep.oldest_due(date, area, at=at)
        for area in plan.acts
        for date in ("purge_at", "acts_at", "due_at")
    ]
    return min((instant for instant in found if instant is not None), default=None)


def _sweep(plan: Plan, *, trigger: str, dry_run: bool) -> SweepRun:
    run = _begin(plan, trigger=trigger, dry_run=dry_run)
    counts: Counter[str] = Counter()
    try:
        if dry_run:
            counts.update(_rehearse(plan))
        else:
            _work(plan, counts)
    except Exception:
        _end(run, counts, SweepRun.State.FAILED)
        raise
    return _end(run, counts, SweepRun.State.DONE)


def _work(plan: Plan, counts: Counter[str]) -> None:
    """All chunks of everything; `counts` grows as they commit."""
    for area in plan.acts:
        _in_chunks(partial(purge_chunk, plan, area), counts)
    _in_chunks(partial(hide_chunk, plan), counts)
    for area in plan.acts:
        _in_chunks(partial(act_chunk, plan, area), counts)
        while noted := note_suspended_chunk(area, at=plan.at):
            counts.update(noted)


def _in_chunks(take: Callable[..., Chunk | None], counts: Counter[str]) -> None:
    since = BEGINNING
    while chunk := take(since=since):
        counts.update(chunk.counts)
        since = chunk.since


def _begin(plan: Plan, *, trigger: str, dry_run: bool) -> SweepRun:
    with transaction.atomic():
        oldest = _find_oldest(plan)
        lag = 0.0 if oldest is None else (plan.instant() - oldest).total_seconds()
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
        if not run.dry_run:
            add_to_tally(run.namespace_prefix, run.counts, lag=run.lag_seconds)
        record(
            "sweep.run",
            Target("sweep", str(run.id), run.namespace_prefix),
            Facts(counts=run.counts, links={"trigger": run.trigger, "dry_run": run.dry_run}),
        )
    return run


def _rehearse(plan: Plan) -> Counter[str]:
    """The counts that a sweep now would come to; nothing is locked or written."""
    counts: Counter[str] = Counter()
    with transaction.atomic():
        hidden, to_review = sweep.count_expired(plan.hides, at=plan.instant())
    counts.update(hidden=hidden, to_review=to_review)
    for area in plan.acts:
        counts.update(rehearse_purge(plan, area))
        counts.update(rehearse_acts(plan, area))
        with transaction.atomic():
            counts["held"] += len(sweep.due_ids("due_at", area, at=plan.instant()))
    return counts
