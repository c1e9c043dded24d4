"""A verification from beginning to end: as a job with progress, or in one go for a command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from audit.jobs import Step, begin_job, job_kind
from audit.models import Job
from audit.recording import Facts, Target, record
from audit.verifying.walking import Verification, advance, begin_verification
from tenants.authorising import require
from tenants.context import current_tenant_id
from tenants.roles import Action

KIND = "audit.verify"
RESULT = ("code", "events", "first_bad", "last_good", "detail")


@dataclass(frozen=True, slots=True)
class Span:
    """Events from `since` (included) to `until` (not included); None is without end."""

    since: datetime | None = None
    until: datetime | None = None

    def words(self) -> dict[str, str | None]:
        """As jobs and events keep it."""
        return {
            "from": self.since.isoformat() if self.since else None,
            "to": self.until.isoformat() if self.until else None,
        }


def ask_to_verify(span: Span) -> Job:
    """A job that verifies the acting tenant's log."""
    require(Action.EXPORT_EVENTS)
    with transaction.atomic(savepoint=False):
        return begin_job(KIND, action=Action.EXPORT_EVENTS, params=span.words(), total=None)


@job_kind(KIND)
def verify_step(job: Job) -> Step:
    """One step; the whole state is the cursor."""
    if job.cursor:
        state = Verification(**job.cursor)
    else:
        span = read_span(job.params)
        state = begin_verification(since=span.since, until=span.until)
    if not advance(state):
        return Step(finished=False, done=state.done, total=state.total, cursor=asdict(state))
    _record(state, job.params)
    return Step(finished=True, done=state.done, total=state.total, result=_answer(state))


def verify_log(
    span: Span, *, witness: str | None = None, tell: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """Verify the acting tenant's log now; the answer of `RESULT`. `tell` hears (done, total)."""
    require(Action.EXPORT_EVENTS)
    with transaction.atomic():
        state = begin_verification(since=span.since, until=span.until, witness=witness)
    finished = False
    while not finished:
        with transaction.atomic():
            finished = advance(state)
            if finished:
                _record(state, span.words())
        if tell is not None:
            tell(state.done, state.total)
    return _answer(state)


def _answer(state: Verification) -> dict[str, Any]:
    assert state.answer is not None
    return {name: state.answer[name] for name in RESULT}


def _record(state: Verification, span: dict[str, Any]) -> None:
    """That somebody verified, and what came out: an event of the log itself."""
    answer = _answer(state)
    record(
        "audit.verify",
        Target("log", str(current_tenant_id())),
        Facts(
            counts={"n": answer["events"], "code": answer["code"]},
            links={**span, "first_bad": answer["first_bad"]},
        ),
    )


def read_span(words: dict[str, Any]) -> Span:
    """A span as jobs keep it."""
    since, until = (words[name] and datetime.fromisoformat(words[name]) for name in ("from", "to"))
    return Span(since, until)
