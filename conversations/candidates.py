"""Candidates: what a user's message states, taken down until it proves stable.

A candidate is a memory of its own (tier `short`, kind `candidate`, below the subject's home, 30
days, not indexed), one for each time that something was said; promotion counts them. By rules it is
taken down as the message comes; an LLM reads later, from the short-term memory, because nobody
waits for it with a session open (`reading`). Its key comes from the message, so that a message
which comes twice, or is read twice by a worker that died, leaves one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from hashlib import sha256
from uuid import UUID
from zoneinfo import ZoneInfo

import structlog

from conversations.extracting.calling import is_configured
from conversations.extracting.rules import EXTRACTOR, extract_by_rules
from conversations.extracting.statements import Statement
from conversations.models import OpenCandidate, UnreadMessage
from conversations.sessions import Message, Session
from memories.deciding import Prepared
from memories.models import Memory
from memories.namespaces import Labels, decode
from memories.ops import ShortTermOp
from memories.retrying import retry_when_taken, with_newest_rules
from memories.writing import apply_puts, prepare_puts
from memoryhub.errors import HubError, Unavailable
from tenants.clock import wall_clock
from tenants.context import now
from tenants.snapshots import tenant_settings

log = structlog.get_logger(__name__)

CANDIDATES = "candidates"
KIND = "candidate"
KEPT_MINUTES = 30 * 24 * 60.0


@dataclass(frozen=True, slots=True)
class Said:
    """What was said by whom: where candidates of it lie, and what they come from."""

    home: Labels = field(repr=False)
    subject: str = field(repr=False)
    session: str
    message: str
    memory_id: UUID | None


def note_candidates(session: Session, message: Message) -> int:
    """Take down what a message states about its user; how many candidates that made.

    Called outside any transaction, once the message is in its session. Never fails for what the
    message holds: what the rules of personal data refuse is not taken down.
    """
    if message.role != "user":
        return 0
    memory_id = None if message.memory_id is None else UUID(message.memory_id)
    if is_configured():
        if memory_id is not None:
            queue_message(memory_id)
        return 0
    statements = extract_by_rules(message.text, said_on=_today())
    if not statements:
        return 0
    said = Said(decode(session.home), session.subject, session.id, message.id, memory_id)
    return keep_candidates(said, statements, extractor=EXTRACTOR)


def queue_message(memory_id: UUID) -> None:
    """Leave a message to the LLM, which reads it soon."""

    def work() -> None:
        at = now()
        UnreadMessage.objects.bulk_create(
            [UnreadMessage(id=memory_id, said_at=at, due_at=at)], ignore_conflicts=True
        )

    retry_when_taken(work)


def keep_candidates(
    said: Said, statements: Sequence[Statement], *, extractor: str,
    along: Callable[[], None] = lambda: None,
) -> int:  # fmt: skip
    """Write these candidates, all or none; `along` is done in the same transaction.

    What cannot be written (personal data that is refused, a quota) is left out, and logged without
    its words.
    """
    try:
        return with_newest_rules(lambda: _keep(said, statements, extractor, along))
    except Unavailable:
        raise
    except HubError as refused:
        log.info("candidates_refused", code=refused.code, session=said.session)
        retry_when_taken(along)
        return 0


def candidates_path(home: Labels) -> Labels:
    """Where the candidates of a subject lie."""
    return (*home, CANDIDATES)


def _keep(
    said: Said, statements: Sequence[Statement], extractor: str, along: Callable[[], None]
) -> int:
    prepared = prepare_puts([_op_of(said, one, extractor) for one in statements])

    def work() -> int:
        along()
        written = apply_puts(_with_source(prepared, said.memory_id))
        made = [one.row for one in written if one.outcome == "created"]
        OpenCandidate.objects.bulk_create(
            [OpenCandidate(id=row.id, noted_at=row.created_at) for row in made],
            ignore_conflicts=True,
        )
        return len(made)

    return retry_when_taken(work)


def _with_source(prepared: Sequence[Prepared], memory_id: UUID | None) -> list[Prepared]:
    """Derived from the message's short-term memory, if that is still in use."""
    if memory_id is None or not Memory.objects.all().with_id(memory_id).visible(now()).exists():
        return list(prepared)
    return [
        replace(put, op=put.op.model_copy(update={"derived_from": [memory_id]})) for put in prepared
    ]


def _op_of(said: Said, statement: Statement, extractor: str) -> ShortTermOp:
    value = {
        "text": statement.text, "attribute": statement.attribute, "value": statement.value,
        "kind": statement.kind, "confirmed": statement.is_confirmed,
    }  # fmt: skip
    return ShortTermOp(
        namespace=list(candidates_path(said.home)), key=_key_of(said, statement), value=value,
        index=False, ttl=KEPT_MINUTES, kind=KIND, subjects=[said.subject],
        source={"extractor": extractor}, session_id=said.session,
    )  # fmt: skip


def _key_of(said: Said, statement: Statement) -> str:
    parts = (said.session, said.message, statement.attribute, statement.value)
    return sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def _today() -> date:
    """The date where the tenant is."""
    return wall_clock().astimezone(ZoneInfo(tenant_settings().timezone)).date()
