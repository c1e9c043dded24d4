"""Short-term memory: what matters of a message, as a memory of tier `short` in its session's place.

It goes the store's own way: screened for personal data, counted against quotas, versioned, embedded
and recorded like any other; it lives from its last access on (`SHORT_TERM_MINUTES`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from django.conf import settings

from conversations.sessions import Session
from memories.embedding.gating import Patience, waiting
from memories.ops import ShortTermOp
from memories.retrying import retry_when_taken, with_newest_rules
from memories.rows import StoredMemory
from memories.writing import apply_puts, prepare_puts

T = TypeVar("T")
KIND = "intent"
WAITED_FOR = 4_800
"""Characters up to which a message waits for its vectors; longer ones get theirs a little later."""

LATER = Patience(0.15, gives_way=True)
"""A message's vector can come later, by the worker: until then it is found by its words, and in the
context by being among the last. So while the local model is pressed it is left to the questions."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What is to be kept of a message."""

    session: Session
    message_id: str
    content: str
    metadata: Mapping[str, Any]


def keep_entry(entry: Entry, along: Callable[[StoredMemory, bool], T]) -> T:
    """Write it; `along(row, is quarantined)` runs in the same transaction, and its answer is ours.

    Raises Invalid `pii_rejected`, TooMany, and what else a put raises.
    """
    return with_newest_rules(lambda: _keep(entry, along))


def _keep(entry: Entry, along: Callable[[StoredMemory, bool], T]) -> T:
    with waiting(LATER):
        prepared = prepare_puts([_op_of(entry)])

    def work() -> T:
        (written,) = apply_puts(prepared)
        return along(written.row, written.outcome == "quarantined")

    return retry_when_taken(work)


def _op_of(entry: Entry) -> ShortTermOp:
    session = entry.session
    source: dict[str, Any] = {"message_id": entry.message_id, "channel": session.channel}
    if entry.metadata:
        source["metadata"] = dict(entry.metadata)
    return ShortTermOp(
        namespace=list(session.namespace), key=entry.message_id, value={"text": entry.content},
        index=["text"], ttl=settings.SHORT_TERM_MINUTES, kind=KIND, subjects=[session.subject],
        source=source, session_id=session.id, wait=len(entry.content) <= WAITED_FOR,
    )  # fmt: skip
