"""The engine room: which processes act by which rules, what waits, how late the work is."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

import redis
import structlog
from django.conf import settings
from django.db import transaction

from audit.models import Job
from memories.statements import overseeing
from policies.models import RuleSet
from policies.versions import find_active
from tenants.authorising import require
from tenants.context import now
from tenants.processes import Process, count_waiting, list_processes
from tenants.roles import Action
from tenants.snapshots import tenant_settings

log = structlog.get_logger(__name__)

UNDER_WAY = (Job.State.QUEUED, Job.State.RUNNING)


@dataclass(frozen=True, slots=True)
class Staging:
    """How far the pass over all memories is, for the version that is staged."""

    ruleset: int
    job_id: UUID
    done: int
    total: int | None


@dataclass(frozen=True, slots=True)
class Engine:
    """`ruleset` is the version in force, 0: none. `queues`: messages waiting by queue, None for
    one that does not answer. Seconds: age of the oldest work that is due and not done."""

    ruleset: int
    processes: list[Process]
    queues: dict[str, int | None]
    sweep_lag_seconds: float
    scan_oldest_seconds: float
    staging: Staging | None


def oversee_engine() -> Engine:
    """How the hub's machinery stands for the acting tenant."""
    require(Action.SEE_USAGE)
    with transaction.atomic():
        ruleset = tenant_settings().active_ruleset
        active = find_active()
        since = None if active is None else active.activated_at
        sweep_lag = overseeing.oldest_due_seconds(now(), since=since)
        scan_oldest = overseeing.oldest_unscanned_seconds(now())
        staging = find_staging()
    processes, waiting = _ask_redis(settings.CELERY_TASK_DEFAULT_QUEUE)
    queues = {settings.CELERY_TASK_DEFAULT_QUEUE: waiting}
    return Engine(ruleset, processes, queues, sweep_lag, scan_oldest, staging)


def find_staging() -> Staging | None:
    """The pass that is under way. Inside a transaction."""
    number = tenant_settings().staged_ruleset
    version: RuleSet | None = RuleSet.objects.all().numbered(number).first() if number else None
    if version is None or not version.staged:
        return None
    job = Job.objects.filter(id=UUID(version.staged["job"]), state__in=UNDER_WAY).first()
    return None if job is None else Staging(number, job.id, job.done, job.total)


def _ask_redis(queue: str) -> tuple[list[Process], int | None]:
    try:
        return list_processes(), count_waiting(queue)
    except redis.RedisError:
        log.warning("engine_without_redis")
        return [], None


def find_rehearsal(version: RuleSet) -> Job | None:
    """The job that simulates this version, or did last: counts only. Inside a transaction."""
    require(Action.SEE_FIGURES)
    if not version.staged:
        return None
    job: Job | None = Job.objects.filter(id=UUID(version.staged["job"])).first()
    return job
