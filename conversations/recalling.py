"""Recall within a session: what of its short-term memory fits a question, by meaning and words.

A search of the store in the session's own place and tier, so it degrades to words when nobody
computes vectors, counts the access and is an event. What is recalled lives its time anew.
"""

from __future__ import annotations

from conversations.sessions import Session, load_session
from conversations.short_term import KIND
from memories.embedding.gating import Patience, waiting
from memories.ops import RecallOp
from memories.searching import Found, search_memories
from tenants.authorising import require
from tenants.roles import Action

LIMIT = 5

QUESTION = Patience(0.1)
"""Of a turn of a conversation, which has 300 ms for all: a question in line behind more than two
others (25 ms each on an idle core) is answered by words. A search of the store waits longer: there
nobody is kept from speaking, and what only a vector finds would be missed for good."""


def recall_in_session(session_id: str, query: str, *, limit: int = LIMIT) -> Found:
    """The session's entries that fit best. Raises Denied, Missing, Invalid, Unavailable."""
    require(Action.USE_SESSIONS)
    with waiting(QUESTION):
        return search_memories(recall_op(load_session(session_id), query, limit=limit))


def recall_op(session: Session, query: str, *, limit: int) -> RecallOp:
    """The search of this session's short-term memory."""
    return RecallOp(
        namespace_prefix=list(session.namespace), query=query, limit=limit, tier="short",
        kinds=[KIND], refresh_ttl=True, recency=0.0,
    )  # fmt: skip
