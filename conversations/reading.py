"""Reading messages with an LLM, after the request that brought them.

A chunk is claimed by moving its `due_at` on, read outside any transaction, and leaves the queue in
the transaction that writes its candidates: killed anywhere, it is read again, and candidates have
keys that come from the message, so nothing is there twice. An answer that does not fit, a timeout,
an endpoint that is down: nothing is written, the messages wait longer each time, and a finding is
open until the LLM answers again. What is sent is the short-term memory's text, with personal data
masked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from conversations.candidates import Said, keep_candidates
from conversations.extracting.answering import AnswerRefused
from conversations.extracting.calling import (
    ExtractionUnavailable,
    ask_for_statements,
    extractor_name,
    is_configured,
)
from conversations.models import UnreadMessage
from conversations.reporting import EXTRACTION_FAILED, report, settle_finding
from conversations.sessions import SESSIONS
from memories.models import Memory
from memories.namespaces import decode
from tenants.context import now

CHUNK = 40
MOST_ATTEMPTS = 8
FIRST_WAIT = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class _Unread:
    id: UUID
    attempts: int
    text: str
    said: Said


def read_pending() -> int:
    """Read what is due in the acting tenant; how many candidates that made."""
    made = 0
    while is_configured():
        with transaction.atomic():
            groups = _claim()
        if groups is None:
            break
        for group in groups:
            try:
                made += _read(group)
            except ExtractionUnavailable as error:
                report(EXTRACTION_FAILED, f"the LLM does not answer: {error}"[:200])
                return made
            except AnswerRefused as error:
                report(EXTRACTION_FAILED, f"the LLM's answer was not taken: {error}"[:200])
                _give_up(group)
    return made


def wait_for(attempts: int) -> timedelta:
    """How long after this many attempts the next one comes: doubled each time."""
    doubled: timedelta = FIRST_WAIT * 2 ** min(attempts, 7)
    return doubled


def _claim() -> list[list[_Unread]] | None:
    """What is due, by session, its next attempt moved on; None when nothing is due."""
    at = now()
    rows = list(
        UnreadMessage.objects.select_for_update(skip_locked=True)
        .filter(due_at__lte=at)
        .order_by("due_at", "id")[:CHUNK]
    )
    if not rows:
        return None
    for row in rows:
        row.due_at, row.attempts = at + wait_for(row.attempts), row.attempts + 1
        row.save(update_fields=["due_at", "attempts"])
    return _with_texts(rows, at)


def _with_texts(rows: Sequence[UnreadMessage], at: datetime) -> list[list[_Unread]]:
    """By session; what has left use meanwhile leaves the queue."""
    memories = {
        row.id: row
        for row in Memory.objects.all().visible(at).filter(id__in=[row.id for row in rows])
    }
    groups: dict[str, list[_Unread]] = defaultdict(list)
    for row in rows:
        memory = memories.get(row.id)
        if memory is None or not isinstance(memory.value.get("text"), str):
            row.delete()
            continue
        labels = decode(memory.namespace)
        home = labels[:-2] if labels[-2:-1] == (SESSIONS,) else labels
        said = Said(
            home, memory.subjects[0] if memory.subjects else "", memory.session or "",
            str(memory.id), memory.id,
        )  # fmt: skip
        groups[memory.namespace].append(_Unread(row.id, row.attempts, memory.value["text"], said))
    return list(groups.values())


def _read(group: Sequence[_Unread]) -> int:
    answers = ask_for_statements([one.text for one in group])
    settle_finding(EXTRACTION_FAILED)
    made = 0
    for one, statements in zip(group, answers, strict=True):

        def leave(identifier: UUID = one.id) -> None:
            UnreadMessage.objects.filter(id=identifier).delete()

        if statements:
            made += keep_candidates(one.said, statements, extractor=extractor_name(), along=leave)
        else:
            with transaction.atomic():
                leave()
    return made


def _give_up(group: Sequence[_Unread]) -> None:
    """After the last attempt a message is read no more; the finding stays."""
    over = [one.id for one in group if one.attempts >= MOST_ATTEMPTS]
    if over:
        with transaction.atomic():
            UnreadMessage.objects.filter(id__in=over).delete()
