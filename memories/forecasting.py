"""The calendar of forgetting: what leaves use and what is destroyed in the coming twelve months.

A job counts it each night, in bounded chunks, into a table by day and rule; whoever looks reads
that table and is told of when it is. It can be counted again when somebody asks. Somebody who is
limited to prefixes, and a tenant whose first night has not come, get it counted as they look.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from audit.jobs import Step, begin_job, job_kind
from audit.models import Job
from memories.browsing import Forecast, forecast
from memories.statements import calendar
from memories.statements.calendar import Span
from tenants.authorising import require
from tenants.context import now
from tenants.roles import Action
from tenants.snapshots import tenant_settings

JOB = "calendar.build"
SCHEDULED = "calendar"
CHUNK = 20_000
AHEAD = timedelta(days=372)
"""Twelve months and what is left of the current one."""
UNDER_WAY = (Job.State.QUEUED, Job.State.RUNNING)


@dataclass(frozen=True, slots=True)
class Calendar:
    """The counts, of when they are, and the job that counts anew, if one does."""

    forecast: Forecast
    as_of: datetime
    job_id: UUID | None = None


def read_calendar(*, since: datetime, until: datetime) -> Calendar:
    """The calendar as it was counted last; without that, or for prefixes, as it is now."""
    actor = require(Action.SEE_FIGURES)
    with transaction.atomic():
        under_way = _find_job(*UNDER_WAY)
        done = _find_job(Job.State.DONE) if "" in actor.prefixes else None
        counted = None if done is None else calendar.months_of(done.id)
        at = now()
    job_id = None if under_way is None else under_way.id
    if done is None or counted is None:
        return Calendar(forecast(since=since, until=until), at, job_id)
    leaves = {(month, rule): count for month, rule, count, _ in counted if count}
    destroyed = {(month, rule): count for month, rule, _, count in counted if count}
    return Calendar(Forecast(leaves, destroyed), done.created_at, job_id)


def count_calendar_anew() -> Job:
    """Begin to count it again; the job that does so already, if one does."""
    require(Action.SEE_USAGE)
    return build_calendar()


def build_calendar() -> Job:
    """The job that counts it, as beat asks for each night."""
    with transaction.atomic():
        under_way = _find_job(*UNDER_WAY)
        if under_way is not None:
            return under_way
        params = {"since": now().isoformat()}
        return begin_job(JOB, action=Action.SEE_USAGE, params=params, total=None)


def _find_job(*states: str) -> Job | None:
    rows = Job.objects.filter(kind=JOB, state__in=states)
    found: Job | None = rows.order_by("-created_at", "-id").first()
    return found


@job_kind(JOB)
def _count_chunk(job: Job) -> Step:
    """One chunk of rows by id; the last one lets the new counts stand for the old."""
    since = datetime.fromisoformat(job.params["since"])
    span = Span(since, since + AHEAD, tenant_settings().timezone)
    after = UUID(job.cursor["after"]) if job.cursor else UUID(int=0)
    last = calendar.add_chunk(job.id, after, span, limit=CHUNK)
    if last is None:
        calendar.drop_other_counts(job.id)
        return Step(finished=True, done=job.done)
    return Step(finished=False, done=job.done + CHUNK, cursor={"after": str(last)}, rests=True)
