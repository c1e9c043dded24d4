"""Subject requests as pages show them: a board by step, days left, the way of one request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from audit.jobs import OVER
from audit.models import Job
from erasure.finding import excluded_from, facts_of
from erasure.models import SubjectRequest
from erasure.presenting import list_requests
from policies.requests.deadlines import days_left
from policies.requests.steps import RequestKind, RequestState, Step, possible_steps

KIND_NAMES: dict[str, str | Promise] = {
    "access": pgettext_lazy("subject request", "Access"),
    "erasure": pgettext_lazy("subject request", "Erasure"),
    "restriction": pgettext_lazy("subject request", "Restriction"),
}  # fmt: skip
STATE_NAMES: dict[str, str | Promise] = {
    "new": _("New"), "identity": _("Identity verified"), "scope": _("Scope known"),
    "decision": _("Decided"), "running": _("Being carried out"), "verify": _("Being checked"),
    "closed": _("Closed"),
}  # fmt: skip
OUTCOME_NAMES: dict[str, str | Promise] = {
    "erased": _("erased"), "erased_in_part": _("erased in part"), "deferred": _("waits for a hold"),
    "provided": _("provided"), "restricted": _("restricted"), "refused": _("refused"),
    "withdrawn": _("withdrawn"), "lifted": _("lifted"),
    "erased_after_restore": _("erased again after a restore"),
}  # fmt: skip
GROUND_NAMES: dict[str, str | Promise] = {
    "held": _("a legal hold"), "legal_hold": _("a legal hold"),
    "statutory_floor": _("a statutory period"), "floor": _("a retention rule"),
    "request_open": _("another request"), "restriction": _("a restriction"),
    "needed_by_other_memories": _("other people’s memories need it"),
    "rights_of_others": _("rights of other people"), "legal_claims": _("legal claims"),
    "legal_obligation": _("a legal obligation"), "public_interest": _("public interest"),
    "another_person": _("it is about somebody else"),
}  # fmt: skip
COLUMNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("new", ("new",)),
    ("identity", ("identity",)),
    ("scope", ("scope",)),
    ("decision", ("decision",)),
    ("running", ("running", "verify")),
)
SOON_DAYS = 7
CLOSED_SHOWN = 30


@dataclass(frozen=True, slots=True)
class Card:
    """One open request on the board."""

    row: SubjectRequest
    kind: str | Promise
    days: int
    tone: str
    outcome: str | Promise


def card_of(row: SubjectRequest, at: datetime) -> Card:
    """A request with the days it has left, and how urgent that is."""
    days = days_left(row.due_at, at)
    tone = "bad" if row.due_at <= at else "heed" if days <= SOON_DAYS else ""
    outcome = OUTCOME_NAMES.get(row.outcome or "", "")
    return Card(row, KIND_NAMES[row.kind], days, tone, outcome)


def read_board(at: datetime) -> dict[str, Any]:
    """The open ones by step, and the last closed ones."""
    rows = list_requests()
    with transaction.atomic():
        cards = [card_of(row, at) for row in rows.open()]
        closed = list(rows.in_states("closed").order_by("-closed_at", "-id")[:CLOSED_SHOWN])
    columns = [
        (STATE_NAMES[name], [card for card in cards if card.row.state in states])
        for name, states in COLUMNS
    ]
    return {
        "columns": columns, "open": len(cards), "late": sum(card.tone == "bad" for card in cards),
        "closed": [card_of(row, at) for row in closed],
    }  # fmt: skip


def count_requests(at: datetime) -> dict[str, int]:
    """For the overview: open ones, those past due, and those with seven days or less."""
    with transaction.atomic():
        dates = list(list_requests().open().values_list("due_at", flat=True))
    late = sum(due <= at for due in dates)
    pressing = sum(days_left(due, at) <= SOON_DAYS for due in dates) - late
    return {"open": len(dates), "late": late, "pressing": pressing}


def describe(row: SubjectRequest, shown: dict[str, Any], at: datetime) -> dict[str, Any]:
    """What the page of a request needs beside the request itself."""
    facts = facts_of(row)
    steps = possible_steps(facts)
    job = _job_of(row)
    is_busy = job is not None and job.state not in OVER
    return {
        "card": card_of(row, at), "row": row, "shown": shown, "way": way_of(row),
        "state_name": STATE_NAMES[row.state], "job": job, "is_busy": is_busy,
        "next": None if is_busy else _next_step(row, steps),
        "may_extend": Step.EXTEND in steps, "may_withdraw": Step.WITHDRAW in steps,
        "may_exclude": Step.EXCLUDE in steps, "excluded": set(excluded_from(row)),
        "hands": hands_of(row), "may_rescope": row.state == RequestState.SCOPE and not is_busy,
    }  # fmt: skip


def _job_of(row: SubjectRequest) -> Job | None:
    with transaction.atomic():
        found: Job | None = Job.objects.filter(id=row.job).first() if row.job else None
    return found


def _next_step(row: SubjectRequest, steps: Sequence[Step]) -> str | None:
    order = {"new": Step.IDENTITY, "identity": Step.SCOPE, "scope": Step.DECIDE,
             "decision": Step.APPROVE}  # fmt: skip
    step = order.get(row.state)
    return step.value if step is not None and step in steps else None


def way_of(row: SubjectRequest) -> list[dict[str, Any]]:
    """The steps of a request: done, current, waiting; who did each and when."""
    order = [RequestState.NEW, RequestState.IDENTITY, RequestState.SCOPE, RequestState.DECISION,
             RequestState.RUNNING, RequestState.CLOSED]  # fmt: skip
    reached = RequestState.RUNNING if row.state == RequestState.VERIFY else RequestState(row.state)
    place = order.index(reached)
    told: list[tuple[str | Promise, Any]] = [
        (_("Opened"), {"by": row.created_by_name, "at": row.created_at}),
        (_("Identity"), row.identity),
        (_("Scope"), {"at": row.scope["computed_at"]} if row.scope else None),
        (_("Decision"), row.decision),
        (_("Approval by another person"), row.approval),
        (_("Closed"), {"at": row.closed_at} if row.closed_at else None),
    ]
    steps = []
    for number, (name, fact) in enumerate(told):
        done = fact is not None
        is_next = not done and number == place + 1 and row.closed_at is None
        steps.append({
            "name": name, "by": (fact or {}).get("by"), "at": _instant((fact or {}).get("at")),
            "step": "done" if done else "current" if is_next else "waiting",
        })  # fmt: skip
    return steps


def _instant(given: Any) -> datetime | None:
    return datetime.fromisoformat(given) if isinstance(given, str) else given


def hands_of(row: SubjectRequest) -> list[str]:
    """Names of those who may not approve it."""
    names = [row.created_by_name, (row.decision or {}).get("by")]
    names += [one["by"] for one in row.exclusions]
    return list(dict.fromkeys(name for name in names if name))


def name_grounds(text: str | None) -> str:
    """`legal_hold, excluded: legal_claims` in the person's language."""
    parts = [part.removeprefix("excluded: ") for part in (text or "").split(", ") if part]
    return ", ".join(str(GROUND_NAMES.get(part, part)) for part in parts)


def is_erasure(row: SubjectRequest) -> bool:
    """Whether bytes would go."""
    return row.kind == RequestKind.ERASURE


def ids_in(values: Sequence[str]) -> list[UUID]:
    """The ids among these texts."""
    found = []
    for text in values:
        try:
            found.append(UUID(text))
        except ValueError:
            continue
    return found
