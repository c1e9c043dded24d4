"""Messages: into the session, and what matters of them into short-term memory.

A message is claimed in Redis under its id before anything is done, and what became of it is kept
there for a day. So it comes once, also when it is sent twice at once: the second waits for the
first and is told the same. A claim whose holder died lapses; the next try then does the work again,
which leaves one memory all the same, since its key is the message's id, and the same candidates.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import structlog
from django.db import transaction

from audit.recording import Facts, Target, record
from audit.repeating import settle
from conversations.candidates import note_candidates
from conversations.intent.filtering import filter_message
from conversations.intent.judging import Reason, Verdict
from conversations.keeping import CLAIM_SECONDS, CLAIMED, RETRY_AFTER
from conversations.recalling import QUESTION
from conversations.sessions import (
    Message,
    Role,
    Session,
    claim_message,
    load_session,
    release_message,
    touch_session,
)
from conversations.short_term import KIND, Entry, keep_entry
from memories.embedding.gating import waiting
from memories.filter_sql import to_json
from memories.namespaces import encode
from memories.occurring import ACTIVITY_EVERY, note_activity
from memories.protecting import guard_of_now
from memories.rows import StoredMemory
from memoryhub.errors import Invalid, Unavailable
from privacy.acting import check_identifiers, protect_value
from privacy.choosing import Scope
from tenants.authorising import require
from tenants.ids import uuid7
from tenants.roles import Action

log = structlog.get_logger(__name__)

CONTENT_BYTES = 65_536
METADATA_BYTES = 2_048
FIRST_PAUSE, LONGEST_PAUSE = 0.01, 0.2


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message as it was sent."""

    role: Role
    content: str = field(repr=False)
    message_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Received:
    """What became of a message. `is_new` is false for one that came before."""

    message_id: str
    window: tuple[str, ...]
    stored: bool
    memory_id: str | None
    reason: Reason | None
    classes: tuple[str, ...]
    is_new: bool = True

    def as_outcome(self) -> dict[str, Any]:
        """What is kept to answer a repetition: ids, reason and kinds, no content."""
        return {
            "stored": self.stored, "memory_id": self.memory_id, "reason": self.reason,
            "classes": list(self.classes),
        }  # fmt: skip


def receive_message(session_id: str, incoming: Incoming) -> Received:
    """Add a message to its session, once. Raises Denied, Missing, Invalid, Unavailable."""
    require(Action.USE_SESSIONS)
    _check_sizes(incoming)
    message_id = incoming.message_id or f"m_{uuid7().hex}"
    check_identifiers([("message_id", message_id)], guard_of_now(), Scope())
    session, before = _claim(session_id, message_id)
    if before is not None:
        return _received_before(message_id, before, session)
    try:
        judged = _judge(session, incoming)
        received = _keep(session, message_id, incoming, judged)
        if received.reason != "pii_rejected":
            note_candidates(session, Message(
                message_id, incoming.role, incoming.content, judged.text, received.memory_id
            ))  # fmt: skip
        window = _settle(session, received)
    except BaseException:
        _release(session_id, message_id)
        raise
    return replace(received, window=window)


def repeat_received(session_id: str, made: Mapping[str, Any]) -> Received:
    """The answer again, for a request whose Idempotency-Key came before."""
    require(Action.USE_SESSIONS)
    session = load_session(session_id)
    return _received_before(made["message_id"], json.dumps(dict(made)), session)


# --- once -----------------------------------------------------------------------------------------


def _claim(session_id: str, message_id: str) -> tuple[Session, str | None]:
    """The session, and what became of this message before; waits for one who is adding it."""
    deadline, pause = time.monotonic() + CLAIM_SECONDS + 1, FIRST_PAUSE
    while True:
        session, before = claim_message(session_id, message_id)
        if before != CLAIMED:
            return session, before
        if time.monotonic() > deadline:
            raise Unavailable("The message is still being added.", retry_after=RETRY_AFTER)
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


def _settle(session: Session, received: Received) -> tuple[str, ...]:
    skipped = [] if received.stored else [f"skipped:{received.reason}"]
    counters = ["messages", *(skipped or ["stored"])]
    outcome = json.dumps(received.as_outcome())
    return touch_session(session, received.message_id, outcome=outcome, counters=counters).window


def _release(session_id: str, message_id: str) -> None:
    try:
        release_message(session_id, message_id)
    except Unavailable:
        log.warning("message_not_released")  # its claim lapses


def _received_before(message_id: str, outcome: str, session: Session) -> Received:
    known = json.loads(outcome)
    return Received(
        message_id, session.window, known["stored"], known["memory_id"], known["reason"],
        tuple(known["classes"]), is_new=False,
    )  # fmt: skip


# --- judged and kept ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Judged:
    """The verdict, the text with what is personal protected, and which kinds of that there are."""

    verdict: Verdict
    text: str = field(repr=False)
    classes: tuple[str, ...]


def _judge(session: Session, incoming: Incoming) -> _Judged:
    """Outside any transaction: screened first, so that nothing clear is embedded."""
    guard, value = guard_of_now(), {"text": incoming.content}
    try:
        protected = protect_value(value, guard, Scope(encode(session.namespace), KIND))
    except Invalid:
        found = {span.entity for one in guard.find(value) for span in one.spans}
        return _Judged(_REJECTED, "", tuple(sorted(found)))
    text = protected.value["text"]
    classes = tuple(sorted({one.entity for one in protected.found}))
    if incoming.role != "user":
        return _Judged(Verdict(False, "not_user", "role"), text, classes)
    with waiting(QUESTION):  # a verdict is not revised later, so its vector gives way to nobody
        verdict = filter_message(text, session.state)
    return _Judged(verdict, text, classes)


_REJECTED = Verdict(False, "pii_rejected", "personal data")


def _keep(session: Session, message_id: str, incoming: Incoming, judged: _Judged) -> Received:
    """Stored as short-term memory, or noted as skipped; the event in the same transaction."""
    received = Received(message_id, (), False, None, judged.verdict.reason, judged.classes)
    if judged.verdict.kept:
        entry = Entry(session, message_id, incoming.content, incoming.metadata)
        try:
            return keep_entry(entry, lambda row, refused: _note(
                session, incoming.role, _as_kept(received, row, refused)
            ))  # fmt: skip
        except Invalid as fault:
            if fault.code != "pii_rejected":
                raise
            received = replace(received, reason="pii_rejected")
    with transaction.atomic():
        return _note(session, incoming.role, received)


def _as_kept(received: Received, row: StoredMemory, is_quarantined: bool) -> Received:
    """What is quarantined waits for an officer: nobody may use it, and so it is not stored yet."""
    if is_quarantined:
        return replace(received, reason="pii_rejected")
    return replace(received, stored=True, memory_id=str(row.id))


def _note(session: Session, role: Role, received: Received) -> Received:
    """In the current transaction: the event, the subject's activity, and what a repeated request
    is told."""
    if session.last_active_at - session.created_at > ACTIVITY_EVERY:  # noted as it was opened
        note_activity(session.subject)
    links: dict[str, Any] = {"role": role, "stored": received.stored, "reason": received.reason}
    if received.memory_id is not None:
        links["memory"] = received.memory_id
    record(
        "session.message",
        Target("session", session.id),
        Facts(subjects=(session.pseudonym,), links=links),
    )
    settle({"message_id": received.message_id, **received.as_outcome()}, status=201)
    return received


def _check_sizes(incoming: Incoming) -> None:
    if len(incoming.content.encode("utf-8", "surrogatepass")) > CONTENT_BYTES:
        detail = f"A message has at most {CONTENT_BYTES} bytes."
        raise Invalid.at("content", "too_long", detail)
    if len(to_json(incoming.metadata).encode("utf-8", "surrogatepass")) > METADATA_BYTES:
        detail = f"Metadata has at most {METADATA_BYTES} bytes."
        raise Invalid.at("metadata", "too_long", detail)
