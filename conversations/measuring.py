"""Measuring recall: every golden question asked as agents ask, against the exact search.

A job, nightly or when somebody asks: a chunk of questions a step, embedded before the step and
outside its transaction, so that a worker killed anywhere goes on where it was. Two figures of each
question: *recall*, how much of what the exact search returns the real one returned too (falls when
an index filters late), and *found*, how many of the expected memories stand among the first ten
(falls when what is stored, or the model, no longer answers). When either falls below what the last
runs had, a finding opens; the next run that is as good again closes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Avg, Count

from audit.jobs import Step, begin_job, job_kind
from audit.models import Job
from audit.recording import Facts, Target, record
from conversations.models import GoldenQuestion, RecallResult, RecallRun
from conversations.reporting import RECALL_DROPPED, report, settle_finding
from memories.comparing import Compared, compare_with_exact
from memories.namespaces import decode
from memories.ops import SearchOp
from memories.searching import Question, prepare_search
from memoryhub.errors import Conflict
from tenants.authorising import require
from tenants.context import now
from tenants.managers import TenantQuerySet
from tenants.roles import Action

JOB = "recall"
DEPTH = 10
CHUNK = 20
BASELINE_RUNS = 7
FALL = 0.05
"""A figure that is this much below the mean of the runs before has dropped."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The means of a run; None where nothing could be measured."""

    recall: float | None
    found: float | None


@dataclass(frozen=True, slots=True)
class _Ready:
    """A chunk of questions with their vectors, and after which question it begins."""

    after: str
    asked: tuple[tuple[Any, Question], ...]
    is_last: bool


def which_dropped(history: Sequence[Figures], current: Figures) -> frozenset[str]:
    """Which figures fell below the mean of the runs before: of `recall` and `found`. Pure."""
    figures = {
        "recall": (current.recall, [one.recall for one in history]),
        "found": (current.found, [one.found for one in history]),
    }
    return frozenset(name for name, (figure, before) in figures.items() if _fell(figure, before))


def _fell(figure: float | None, before: Sequence[float | None]) -> bool:
    known = [one for one in before if one is not None]
    return figure is not None and bool(known) and figure < sum(known) / len(known) - FALL


def measure_now() -> Job:
    """Begin a run. Raises Denied; Conflict `no_questions`, `already_running`."""
    require(Action.DRAFT_RULES)
    with transaction.atomic():
        total = GoldenQuestion.objects.count()
        if not total:
            raise Conflict("There is no golden question yet.", code="no_questions")
        if _running().exists():
            raise Conflict("A run is under way.", code="already_running")
        return _begin("manual", total)


def measure_nightly() -> Job | None:
    """Begin the night's run; None without questions, or when one is under way."""
    with transaction.atomic():
        total = GoldenQuestion.objects.count()
        return None if not total or _running().exists() else _begin("nightly", total)


def _running() -> Any:
    return Job.objects.filter(kind=JOB, state__in=[Job.State.QUEUED, Job.State.RUNNING])


def _begin(trigger: str, total: int) -> Job:
    return begin_job(JOB, action=Action.SEE_USAGE, params={"trigger": trigger}, total=total)


def _prepare(job: Job) -> _Ready:
    """The next questions, embedded."""
    after = str(job.cursor.get("after", ""))
    with transaction.atomic():
        rows = GoldenQuestion.objects.all().order_by("id")
        if after:
            rows = rows.filter(id__gt=UUID(after))
        chunk = list(rows[: CHUNK + 1])
    asked = tuple(
        (
            row,
            prepare_search(
                SearchOp(
                    namespace_prefix=list(decode(row.namespace_prefix)), query=row.question,
                    limit=DEPTH, refresh_ttl=False,
                )
            ),
        )
        for row in chunk[:CHUNK]
    )  # fmt: skip
    return _Ready(after, asked, is_last=len(chunk) <= CHUNK)


@job_kind(JOB, prepare=_prepare)
def _measure_chunk(job: Job, ready: _Ready) -> Step:
    if str(job.cursor.get("after", "")) != ready.after:
        return Step(finished=False, done=job.done, cursor=job.cursor)
    run, _ = RecallRun.objects.get_or_create(
        job_id=job.id, defaults={"trigger": job.params["trigger"], "started_at": now()}
    )
    still_there = set(
        GoldenQuestion.objects.filter(id__in=[row.id for row, _ in ready.asked]).values_list(
            "id", flat=True
        )
    )
    RecallResult.objects.bulk_create(
        [
            _result(run, row, compare_with_exact(question))
            for row, question in ready.asked
            if row.id in still_there
        ],
        ignore_conflicts=True,
    )
    done = job.done + len(ready.asked)
    if not ready.is_last:
        return Step(finished=False, done=done, cursor={"after": str(ready.asked[-1][0].id)})
    return Step(finished=True, done=done, result=_finish(run))


def _result(run: RecallRun, row: GoldenQuestion, compared: Compared) -> RecallResult:
    missing = [one for one in row.expected if one not in set(compared.returned)]
    return RecallResult(
        run_id=run.id, question_id=row.id, measured_at=now(), recall=compared.recall,
        found=1 - len(missing) / len(row.expected), missing=missing,
        degraded=compared.degraded or "",
    )  # fmt: skip


def _finish(run: RecallRun) -> dict[str, Any]:
    means = RecallResult.objects.filter(run_id=run.id).aggregate(
        recall=Avg("recall"), found=Avg("found"), questions=Count("id")
    )
    before = [Figures(one.recall, one.found) for one in recent_runs(BASELINE_RUNS)]
    run.recall, run.found, run.questions = means["recall"], means["found"], means["questions"]
    run.finished_at = now()
    run.dropped = bool(which_dropped(before, Figures(run.recall, run.found)))
    run.save()
    if run.dropped:
        report(RECALL_DROPPED, f"recall {_said(run.recall)}, found {_said(run.found)}")
    else:
        settle_finding(RECALL_DROPPED)
    record(
        "recall.measure",
        Target("recall", str(run.id)),
        Facts(counts={"n": run.questions}, links={"dropped": run.dropped}),
    )
    return {
        "run_id": str(run.id), "questions": run.questions, "recall": run.recall,
        "found": run.found, "dropped": run.dropped,
    }  # fmt: skip


def _said(figure: float | None) -> str:
    return "unknown" if figure is None else f"{figure:.2f}"


def recent_runs(count: int) -> list[RecallRun]:
    """The last finished runs, newest first. In a transaction."""
    return list(RecallRun.objects.all().finished()[:count])


def list_runs() -> TenantQuerySet[Any]:
    """Finished runs, lazily. Raises Denied."""
    require(Action.SEE_USAGE)
    rows: TenantQuerySet[Any] = RecallRun.objects.all().finished()
    return rows


def last_results(questions: Sequence[UUID]) -> dict[UUID, RecallResult]:
    """The newest result of each of these questions. In a transaction."""
    rows = RecallResult.objects.filter(question_id__in=list(questions))
    newest = rows.order_by("question_id", "-measured_at", "-id").distinct("question_id")
    return {row.question_id: row for row in newest}


def running_job() -> Job | None:
    """The run that is under way, for whoever may see figures."""
    require(Action.SEE_FIGURES)
    with transaction.atomic():
        job: Job | None = _running().first()
    return job


def history(count: int) -> list[RecallRun]:
    """The last finished runs, oldest first, for whoever may see figures."""
    require(Action.SEE_FIGURES)
    with transaction.atomic():
        return list(reversed(recent_runs(count)))
