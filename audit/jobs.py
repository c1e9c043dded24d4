"""Jobs: work over two seconds, in steps, each one transaction that also says how far it is.

A step does a chunk of the work and moves the job's `cursor` in the same transaction, under the
job's row lock. So a worker killed anywhere loses the step it was in and nothing else, two workers
never share a job (`SKIP LOCKED`), and the next one goes on where the cursor stands. Beat finds what
was left lying by its row in `tenants_schedule`, which a live worker keeps moving forward.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import structlog
from django.db import OperationalError, transaction

from audit.events import Outcome
from audit.files import path_of
from audit.models import Job
from audit.recording import Facts, Target, record
from memoryhub.errors import Conflict, HubError, Missing
from tenants.actors import ActorKind
from tenants.authorising import require
from tenants.context import acting_as, current_actor, current_tenant_id, now
from tenants.models import Schedule
from tenants.roles import Action, allows

log = structlog.get_logger(__name__)

SCHEDULED = "job"
LEASE_SECONDS = 20.0
LONGEST_REST_SECONDS = 2.0
OVER = (Job.State.DONE, Job.State.FAILED, Job.State.CANCELLED)


@dataclass(frozen=True, slots=True)
class Step:
    """What one step did: how far the job now is, and whether that was the last.

    `cursor` is where the next step begins (JSON); `result` is the answer of a finished job, or
    what is known so far. `rests` says that others come first: between this step and the next the
    worker rests, in no transaction, for as long as the step kept the processor busy.
    """

    finished: bool
    done: int = 0
    total: int | None = None
    cursor: Mapping[str, Any] = field(default_factory=dict)
    result: Mapping[str, Any] | None = None
    rests: bool = False


Work = Callable[..., Step]
_KINDS: dict[str, Work] = {}
_PREPARE: dict[str, Callable[[Job], Any]] = {}


def job_kind(kind: str, *, prepare: Callable[[Job], Any] | None = None) -> Callable[[Work], Work]:
    """Registers the step of a kind of job; it runs inside a transaction, as the hub's own job.

    `prepare` does before each step, outside any transaction, what must not be done in one (calls to
    an embedder); the step gets what it returns as its second argument. Another worker may have
    taken a step meanwhile: the step looks whether the job still is where it was.
    """

    def register(work: Work) -> Work:
        _KINDS[kind] = work
        if prepare is not None:
            _PREPARE[kind] = prepare
        return work

    return register


def known_kinds() -> frozenset[str]:
    """The kinds of jobs that this process can run; a worker knows all."""
    return frozenset(_KINDS)


def begin_job(kind: str, *, action: Action, params: Mapping[str, Any], total: int | None) -> Job:
    """A new job in the current transaction; whoever may do `action` may see it."""
    actor = current_actor()
    job = Job.objects.create(
        kind=kind, action=action.value, params=dict(params), total=total, created_at=now(),
        created_by_kind=actor.kind.value, created_by=actor.id, created_by_name=actor.name,
    )  # fmt: skip
    Schedule.objects.create(
        tenant_id=current_tenant_id(), job=SCHEDULED, scope=str(job.id),
        interval_seconds=LEASE_SECONDS, next_at=now(),
    )  # fmt: skip
    record("job.begin", Target("job", str(job.id)), Facts(links={"kind": kind}))
    return job


def find_job(identifier: UUID) -> Job:
    """A job that the caller may see: a key its own, people what their role allows."""
    actor = current_actor()
    with transaction.atomic(savepoint=False):
        job = Job.objects.all().with_id(identifier).first()
    if job is None or not allows(actor, Action(job.action)):
        raise Missing("There is no such job.")
    is_own = (job.created_by_kind, job.created_by) == (actor.kind.value, actor.id)
    if actor.kind is ActorKind.KEY and not is_own:
        raise Missing("There is no such job.")
    found: Job = job
    return found


def list_jobs(*, kind: str | None = None, limit: int) -> list[Job]:
    """The newest jobs that the caller may see, of one kind or of all."""
    actor = current_actor()
    allowed = [action.value for action in Action if allows(actor, action)]
    rows: Any = Job.objects.filter(action__in=allowed)
    if actor.kind is ActorKind.KEY:
        rows = rows.filter(created_by_kind=actor.kind.value, created_by=actor.id)
    if kind is not None:
        rows = rows.filter(kind=kind)
    with transaction.atomic(savepoint=False):
        return list(rows.order_by("-created_at", "-id")[:limit])


def cancel_job(identifier: UUID) -> Job:
    """Ask a job to stop before its next step. Conflict `invalid_state` when it is over."""
    require(Action(find_job(identifier).action))
    with transaction.atomic():
        job: Job = Job.objects.select_for_update().get(id=identifier)
        if job.state in OVER:
            raise Conflict("The job is over.", state=job.state)
        job.cancel_asked = True
        if job.state == Job.State.QUEUED:
            _end(job, Job.State.CANCELLED)
        job.save()
        record("job.cancel", Target("job", str(job.id)), Facts(links={"kind": job.kind}))
    return job


@dataclass(frozen=True, slots=True)
class JobFile:
    """A finished job's file."""

    path: Path
    name: str
    media_type: str


def require_file(identifier: UUID) -> JobFile:
    """The file of a job that is done, taken by the caller: an event. Conflict `invalid_state`
    before, Missing without one. Somebody else's file may hold more than a caller with prefixes
    sees: for them it is not there."""
    job, actor = find_job(identifier), current_actor()
    is_own = (job.created_by_kind, job.created_by) == (actor.kind.value, actor.id)
    if job.file_type and not is_own and not actor.sees_everything:
        raise Missing("There is no such file.")
    if job.state != Job.State.DONE and job.file_type:
        raise Conflict("The job is not done.", state=job.state)
    path = path_of(job.id)
    if not job.file_type or not path.exists():
        raise Missing("There is no such file.")
    with transaction.atomic(savepoint=False):
        record("job.file", Target("job", str(job.id)), Facts(links={"kind": job.kind}))
    return JobFile(path, job.file_name or str(job.id), job.file_type)


def run_job(identifier: UUID, *, most_steps: int = 1_000_000_000) -> None:
    """Run a job step by step until it is over, or somebody else runs it.

    After `most_steps` it is left to the worker that beat sends next.
    """
    with transaction.atomic():
        job: Job | None = Job.objects.all().with_id(identifier).first()
    if job is None:
        return
    with acting_as(replace(current_actor(), on_behalf_of=job.created_by_name)):
        _run_steps(identifier, most_steps)


def _run_steps(identifier: UUID, most: int) -> None:
    try:
        while (rest := _run_step(identifier, _prepare(identifier))) is not None and most > 1:
            most -= 1
            time.sleep(rest)
    except OperationalError:
        raise  # the database is away: beat asks again
    except Exception as error:
        log.exception("job_failed", job_id=str(identifier))
        _fail(identifier, error)


def _prepare(identifier: UUID) -> tuple[Any, ...]:
    """Further arguments of the next step."""
    with transaction.atomic():
        job: Job | None = Job.objects.all().with_id(identifier).first()
    if job is None or job.state in OVER or job.kind not in _PREPARE:
        return ()
    return (_PREPARE[job.kind](job),)


def _run_step(identifier: UUID, prepared: tuple[Any, ...]) -> float | None:
    """One step; the seconds to rest before the next, None when there is none."""
    began, rests = time.thread_time(), False
    with transaction.atomic():
        rows = Job.objects.select_for_update(skip_locked=True).filter(id=identifier)
        job = rows.exclude(state__in=OVER).first()
        if job is None:
            return None
        if job.cancel_asked:
            _end(job, Job.State.CANCELLED)
        else:
            rests = _take_step(job, prepared).rests
        job.save()
    if job.state != Job.State.RUNNING:
        return None
    return min(time.thread_time() - began, LONGEST_REST_SECONDS) if rests else 0.0


def _take_step(job: Job, prepared: tuple[Any, ...]) -> Step:
    if job.state == Job.State.QUEUED:
        job.state, job.started_at = Job.State.RUNNING, now()
    step = _KINDS[job.kind](job, *prepared)
    job.done, job.cursor = step.done, dict(step.cursor)
    job.total = job.total if step.total is None else step.total
    job.result = None if step.result is None else dict(step.result)
    if step.finished:
        _end(job, Job.State.DONE)
    else:
        lease = now() + timedelta(seconds=LEASE_SECONDS)
        _schedule_of(job).update(next_at=lease)
    return step


def _end(job: Job, state: Job.State) -> None:
    job.state, job.finished_at = state, now()
    _schedule_of(job).delete()
    record(
        "job.end",
        Target("job", str(job.id)),
        Facts(
            outcome=Outcome.FAILED if state is Job.State.FAILED else Outcome.SUCCESS,
            counts={"done": job.done},
            links={"kind": job.kind, "state": state.value},
        ),
    )


def _fail(identifier: UUID, error: Exception) -> None:
    """Say that it failed; of our own errors also why, of others only that."""
    known = isinstance(error, HubError)
    with transaction.atomic():
        job: Job | None = Job.objects.select_for_update().filter(id=identifier).first()
        if job is None or job.state in OVER:
            return
        job.error = {
            "code": error.code if known else "internal",  # type: ignore[attr-defined]
            "detail": error.detail if known else "Something went wrong; the log has it.",  # type: ignore[attr-defined]
        }
        _end(job, Job.State.FAILED)
        job.save()


def _schedule_of(job: Job) -> Any:
    return Schedule.objects.filter(tenant_id=current_tenant_id(), job=SCHEDULED, scope=str(job.id))


def present_job(job: Job) -> dict[str, Any]:
    """A job as callers get it."""
    return {
        "id": job.id, "kind": job.kind, "state": job.state,
        "progress": {"done": job.done, "total": job.total},
        "created_at": job.created_at, "finished_at": job.finished_at,
        "result": job.result, "error": job.error,
    }  # fmt: skip
