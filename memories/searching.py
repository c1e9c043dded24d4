"""Searching: candidates by signal, fused and ranked, then one page read, counted and recorded.

The order of work. Outside any transaction the query is embedded (the slow part). Inside one
transaction the candidates are found as light rows, ranked, cut to the page, and only the page's
values are read, in the same statement that counts the access and records the event.

When the provider does not answer, the search does not fail: it answers by text and says
`degraded`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from django.db import transaction

from audit.recording import Facts, Target, draft
from memories.embedding.calling import embed_query
from memories.embedding.profiles import Profile, profile_of
from memories.embedding.providers import EmbeddingRefused, EmbeddingUnavailable
from memories.filters import parse_filter
from memories.namespaces import encode, narrow
from memories.ops import SearchOp
from memories.ranking import Ranked, rank_by_vector
from memories.reading import reading_of, with_touches
from memories.rows import StoredMemory
from memories.statements.candidates import Scope, nearest_exactly, newest
from memories.statements.lookup import read_page
from sealing.hashing import keyed_hash
from tenants.authorising import require
from tenants.context import current_tenant_id, now, relaxed_commit
from tenants.roles import Action
from tenants.snapshots import tenant_settings

Degraded = Literal["embedding_unavailable", "embedding_pending", "no_profile"]
OVERFETCH = 3
LEAST_FETCHED = 50


@dataclass(frozen=True, slots=True)
class Question:
    """A search ready to run: what is asked, with the query's vector if there is one."""

    op: SearchOp
    profile: Profile
    vector: str | None
    degraded: Degraded | None


@dataclass(frozen=True, slots=True)
class Hit:
    """One result. `ranked` is None without a query."""

    row: StoredMemory
    ranked: Ranked | None


@dataclass(frozen=True, slots=True)
class Found:
    """A page of results; `search_id` is the id of the search's event."""

    hits: list[Hit]
    search_id: UUID
    degraded: Degraded | None
    plan: Literal["exact", "ann"] | None


def search_memories(op: SearchOp) -> Found:
    """Answer a search. Raises Invalid for a bad filter, Denied without the right."""
    actor = require(Action.READ_VALUES)
    question = prepare_search(op)
    with relaxed_commit(when=not actor.is_person), transaction.atomic():
        return run_search(question)


def prepare_search(op: SearchOp) -> Question:
    """Outside the transaction: embed the query."""
    profile = profile_of(tenant_settings())
    if not op.query or op.mode == "text":
        return Question(op, profile, None, None)
    if not profile.embeds:
        return Question(op, profile, None, "no_profile")
    try:
        return Question(op, profile, embed_query(profile, op.query), None)
    except (EmbeddingUnavailable, EmbeddingRefused):
        return Question(op, profile, None, "embedding_unavailable")


def run_search(question: Question) -> Found:
    """Inside the caller's transaction: find, rank, cut, read, record."""
    op = question.op
    actor = require(Action.READ_VALUES)
    prefixes = narrow(actor.prefixes, encode(op.namespace_prefix))
    scope = Scope(
        prefixes=prefixes,
        at=now(),
        tier=op.tier,
        kinds=op.kinds,
        subjects=op.subjects,
        tags=op.tags,
        filter=None if op.filter is None else parse_filter(op.filter),
        include_archived=op.include_archived,
    )
    if not prefixes or op.limit == 0:
        return _read([], question, {})
    if question.vector is None:
        ids = newest(scope, limit=op.limit, offset=op.offset)
        return _read(ids, question, {})
    recency = tenant_settings().recency if op.recency is None else op.recency
    fetched = max(LEAST_FETCHED, OVERFETCH * (op.offset + op.limit))
    ranked = rank_by_vector(
        nearest_exactly(scope, question.profile, question.vector, limit=fetched),
        distance=question.profile.distance,
        recency=recency,
        now=scope.at,
    )
    if op.min_score is not None:
        ranked = [one for one in ranked if one.score >= op.min_score]
    page = ranked[op.offset : op.offset + op.limit]
    return _read(
        [one.candidate.id for one in page], question, {one.candidate.id: one for one in page}
    )


def _read(ids: list[UUID], question: Question, ranked: dict[UUID, Ranked]) -> Found:
    op = question.op
    event = draft(
        "memory.search",
        Target("search", namespace=encode(op.namespace_prefix)),
        Facts(
            counts={"returned": len(ids)},
            links={"ids": [str(identifier) for identifier in ids], "query": _hashed(op.query)},
        ),
    )
    reading = reading_of(op.refresh_ttl)
    found = read_page(ids, reading, event)
    ordered = [found[identifier] for identifier in ids if identifier in found]
    rows = with_touches(ordered, reading)
    hits = [Hit(row, ranked.get(row.id)) for row in rows]
    plan: Literal["exact", "ann"] | None = "exact" if question.vector else None
    return Found(hits, event.id, question.degraded, plan)


def _hashed(query: str | None) -> str | None:
    """A keyed hash: the same question is recognised, and the log holds no search text."""
    if not query:
        return None
    return keyed_hash(query, purpose="search-query", tenant_id=current_tenant_id())
