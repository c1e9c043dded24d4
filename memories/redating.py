"""Dates that follow a change of the tenant's settings: trash, notice, time zone.

Whoever makes purges earlier is told how many, and types the number. The change and the request to
compute the dates again commit together; where the purge comes earlier, notice runs from the change.
Up to `AT_ONCE` memories have their new dates before the answer; beyond that a job follows. Until a
row is reached its old purge date stands, and a purge judges again whatever is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.db import transaction

from audit.jobs import Step, begin_job, job_kind, run_job
from audit.models import Job
from memories.dating import (
    Regime,
    evaluate_row,
    is_earlier,
    regime_of,
    settings_for,
    with_dates,
)
from memories.rows import StoredMemory
from memories.statements import staging, upsert
from memories.statements.together import Together
from memoryhub.errors import Conflict
from policies.facts import Settings
from tenants.access import configuring
from tenants.access.configuring import SettingsChange
from tenants.authorising import require
from tenants.clock import instant_as_wire
from tenants.context import now
from tenants.models import Tenant
from tenants.roles import Action
from tenants.snapshots import tenant_settings

JOB = "dates.redate"
CHUNK = 500
AT_ONCE = 5000
DECIDING = ("trash_days", "notice_days", "timezone")


def change_settings(change: SettingsChange) -> Tenant:
    """Apply a change of settings; dates follow those that decide them.

    Raises Conflict `confirm_count_required` (with `count`) when purges would come earlier and the
    change does not say how many; VersionMismatch.
    """
    require(Action.ADMINISTER)
    with transaction.atomic():
        regime = regime_of(tenant_settings())
        wanted = _wanted(change, regime.settings)
        if wanted == regime.settings:
            return configuring.change_settings(change)
        count = _count_earlier(regime, wanted)
        if count and change.confirm_count != count:
            detail = f"Type the count to confirm it: {count}."
            raise Conflict(detail, code="confirm_count_required", count=count)
        tenant = configuring.change_settings(change)
        total = staging.count_memories()
        before = [regime.settings.trash_days, regime.settings.notice_days, regime.settings.timezone]
        params = {"before": before, "at": instant_as_wire(now())}
        job = begin_job(JOB, action=Action.ADMINISTER, params=params, total=total)
    if total <= AT_ONCE:
        run_job(job.id)
    return tenant


def _wanted(change: SettingsChange, current: Settings) -> Settings:
    given = {name: getattr(change, name) for name in DECIDING}
    old = (getattr(current, name) for name in DECIDING)
    trash, notice, zone = (
        before if after is None else after
        for before, after in zip(old, given.values(), strict=True)
    )
    return settings_for(trash, notice, zone)


def _count_earlier(regime: Regime, wanted: Settings) -> int:
    """How many purges come earlier under the other settings."""
    other, at, count, after = replace(regime, settings=wanted), now(), 0, UUID(int=0)
    while rows := staging.rows_after(after, limit=CHUNK):
        for row in rows:
            old, new = (evaluate_row(row, each, at).due_at for each in (regime, other))
            count += is_earlier(new, old)
        after = rows[-1].id
    return count


@job_kind(JOB)
def _redate_chunk(job: Job) -> Step:
    """One chunk of rows under the settings of now, beside those before the change."""
    trash, notice, zone = job.params["before"]
    changed_at = datetime.fromisoformat(job.params["at"])
    regime = regime_of(tenant_settings())
    before = replace(regime, settings=settings_for(trash, notice, zone))
    cursor = job.cursor or {"after": str(UUID(int=0)), "again": []}
    fresh = staging.ids_after(UUID(cursor["after"]), limit=CHUNK) if cursor["after"] else []
    again = [UUID(one) for one in cursor["again"]]
    ids = fresh or staging.still_there(again[:CHUNK])
    rows = [row for row, _ in staging.lock_free(ids)]
    redate(rows, (before, regime), at=now(), moved_at=changed_at)
    found = {row.id for row in rows}
    held = [str(one) for one in ids if one not in found]
    again_next = [*(cursor["again"] if fresh else cursor["again"][CHUNK:]), *held]
    done = job.done + len(rows)
    following = {"after": str(fresh[-1]) if fresh else "", "again": again_next}
    return Step(finished=not fresh and not again_next, done=done, cursor=following)


def redate(
    rows: Sequence[StoredMemory],
    regimes: tuple[Regime, Regime],
    *,
    at: datetime,
    moved_at: datetime,
) -> None:
    """Dates of locked rows under the second regime; notice where it moves a purge earlier."""
    regime, dated = regimes[1], []
    for row in rows:
        old, new = (evaluate_row(row, each, at).due_at for each in regimes)
        if is_earlier(new, old):
            row = replace(row, dates_moved_at=moved_at)
        dated.append(with_dates(row, regime, at))
    if dated:
        together = Together()
        upsert.update_dates(together, dated)
        together.run()
