"""Searching: candidates by signal, fused and ranked, then one page read, counted and recorded.

The order of work. Outside any transaction the query is embedded (the slow part). Inside one
transaction the candidates are found as light rows by every signal in one statement, ranked, cut to
the page, and only the page's values are read, in the same statement that counts the access and
records the event. A search of a scope known to be small is one statement in all
(`statements.at_once`).

What can fail. The provider does not answer: the search answers by text and says `degraded`. An
index filters late and a small tenant finds little: the plan is chosen, never left to the planner
(`planning`). A page of another order than the one before it: see `ranking.DEPTHS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast
from uuid import UUID

from django.db import transaction

from audit.recording import Draft, Facts, Target, draft
from memories.bounding import Budget
from memories.embedding.calling import embed_query
from memories.embedding.profiles import Profile, profile_of
from memories.embedding.providers import EmbeddingRefused, EmbeddingUnavailable
from memories.filters import parse_filter
from memories.lexing import query_terms
from memories.namespaces import encode, narrow
from memories.ops import RecallOp, SearchOp
from memories.planning import is_known_small, keep_population, plan_for, population_of
from memories.protecting import shield_search
from memories.ranking import (
    DEPTHS,
    WEIGHING,
    Ageing,
    Ranked,
    depth_for,
    rank_by_fusion,
    rank_by_vector,
)
from memories.reading import reading_of, touched_of, with_touches
from memories.rows import TOUCHED, StoredMemory
from memories.statements.at_once import COUNT_SLOT, Asked, Scored, search_at_once
from memories.statements.candidates import (
    Plan,
    Population,
    Scope,
    TextSearch,
    VectorSearch,
    find_candidates,
    newest,
    prepare_ann,
)
from memories.statements.lookup import ID_SLOT, Reading, read_page
from memories.statements.places import look_through
from sealing.hashing import keyed_hash
from tenants.authorising import require
from tenants.context import (
    current_actor,
    current_tenant_id,
    fixed_plans,
    now,
    relaxed_commit,
)
from tenants.snapshots import tenant_settings

Degraded = Literal["embedding_unavailable", "embedding_pending", "no_profile"]
MOST_TEXT_HITS = 1_000
"""How many memories a text search looks at, rarest terms first: some 10 ms."""


@dataclass(frozen=True, slots=True)
class Question:
    """A search ready to run: what is asked, with the query's vector if there is one."""

    op: SearchOp
    profile: Profile
    vector: str | None
    degraded: Degraded | None
    is_alone: bool = False
    """Nothing but this search happens in its transaction."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One result. `ranked` says what its score is made of; None without a query."""

    row: StoredMemory
    ranked: Ranked | Scored | None


@dataclass(frozen=True, slots=True)
class Found:
    """A page of results; `search_id` is the id of the search's event."""

    hits: list[Hit]
    search_id: UUID
    degraded: Degraded | None
    plan: Plan | None
    op: SearchOp


def search_memories(op: SearchOp) -> Found:
    """Answer a search. Raises Invalid for a bad filter, Denied without the right."""
    require(op.right)
    return answer_alone(prepare_search(op))


def answer_alone(question: Question) -> Found:
    """Answer in a transaction of its own."""
    actor = require(question.op.right)
    place = _place_looked_through(question)
    with (
        relaxed_commit(when=not actor.is_person),
        fixed_plans(when=place is not None),
        transaction.atomic(),
    ):
        if place is None:
            return run_search(replace(question, is_alone=True))
        return _search_at_once(question, place)


def prepare_search(op: SearchOp) -> Question:
    """Outside the transaction: shield what is personal in the query, and embed it."""
    op = shield_search(op)
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
    scope = scope_of(op)
    if not scope.prefixes or op.limit == 0:
        return _read([], {}, question)
    if not op.query or (op.mode == "vector" and not question.profile.embeds):
        return _read(newest(scope, limit=op.limit, offset=op.offset), {}, question)
    answer = answer_question(question, scope)
    page = answer.ranked[op.offset : op.offset + op.limit]
    if answer.lacks_vectors and question.degraded is None:
        question = replace(question, degraded="embedding_pending")
    ranked = {one.candidate.id: one for one in page}
    return _read(list(ranked), ranked, question, plan=answer.plan)


def _place_looked_through(question: Question) -> str | None:
    """The stored prefix whose memories one statement may look through, or None."""
    op = question.op
    is_plain = (
        question.vector is not None and op.tier == "long"
        and not op.subjects and op.filter is None
        and op.limit > 0 and depth_for(op.offset + op.limit) == DEPTHS[0]
        and Budget().fits(op.limit)
    )  # fmt: skip
    if not is_plain:
        return None
    prefixes = narrow(current_actor().prefixes, encode(op.namespace_prefix))
    return prefixes[0] if len(prefixes) == 1 and is_known_small(prefixes) else None


def _search_at_once(question: Question, place: str) -> Found:
    """Find, rank, cut, read and record in one statement."""
    op, scope, vector = question.op, _scope_within(question.op, (place,)), question.vector
    assert vector is not None
    terms = None if op.mode == "vector" else tuple(query_terms(op.query or ""))
    event = _event_of(op, returned=COUNT_SLOT, ids=[ID_SLOT])
    reading = reading_of(op.refresh_ttl)
    asked = Asked(
        question.profile, vector, scope, _recency_of(op),
        least=op.min_score, depth=DEPTHS[0], limit=op.limit, offset=op.offset, terms=terms,
    )  # fmt: skip
    seen = search_at_once(asked, reading, event, by=WEIGHING)
    keep_population((place,), seen.population)
    hits = list(map(Hit, _redated(seen.page, reading), seen.page))
    degraded: Degraded | None = "embedding_pending" if seen.lacks_vectors else None
    return Found(hits, event.id, question.degraded or degraded, "exact", op)


def _redated(page: Sequence[Scored], reading: Reading) -> list[StoredMemory]:
    """The rows of a page; the engine says what a touch did to the dates that rules decide."""
    if not any(one.is_touched and (reading.staging or one.row.ruled) for one in page):
        return [one.row for one in page]
    none = (None,) * len(TOUCHED)
    return with_touches(
        [(one.row, touched_of(one.row) if one.is_touched else none) for one in page], reading
    )


def _recency_of(op: SearchOp) -> float:
    return tenant_settings().recency if op.recency is None else op.recency


def scope_of(op: SearchOp) -> Scope:
    """Which memories this caller's search may find. Raises Denied, Invalid."""
    actor = require(op.right)
    return _scope_within(op, narrow(actor.prefixes, encode(op.namespace_prefix)))


def _scope_within(op: SearchOp, prefixes: tuple[str, ...]) -> Scope:
    return Scope(
        prefixes=prefixes,
        at=now(),
        tier=op.tier,
        kinds=op.kinds,
        subjects=op.subjects,
        tags=op.tags,
        filter=None if op.filter is None else parse_filter(op.filter),
        include_archived=op.include_archived,
    )


@dataclass(frozen=True, slots=True)
class Answer:
    """All that was found, in order; whether part of the scope still waits for its vectors."""

    ranked: list[Ranked]
    plan: Plan | None
    lacks_vectors: bool


def answer_question(
    question: Question, scope: Scope, *, by: Plan | None = None, within: Population | None = None
) -> Answer:
    """Find candidates by every signal that the mode asks for, and rank them.

    `by` is the plan of the vectors where it is not to be chosen (to measure one by the other);
    `within` how much the scope holds, where the caller knows it better than by its prefixes.
    """
    if isinstance(question.op, RecallOp) and scope.tier == "short":
        return _answer_in_place(question, scope)
    op, profile = question.op, question.profile
    population = within or population_of(scope.prefixes)
    by_vector_only = op.mode == "vector" and question.vector is not None
    vector = text = plan = None
    if question.vector is not None:
        plan = by or plan_for(population)
        if plan == "ann":
            prepare_ann()
        vector = VectorSearch(profile, question.vector, plan, by_field=not by_vector_only)
    if not by_vector_only:
        text = TextSearch(query_terms(op.query or ""), population, MOST_TEXT_HITS)
    sightings = find_candidates(
        scope, vector, text, depth=depth_for(op.offset + op.limit), is_last=question.is_alone
    )
    found = [one for one in sightings if one.signal != "pending"]
    ageing = Ageing(_recency_of(op), scope.at)
    if by_vector_only:
        ranked = rank_by_vector(found, distance=profile.distance, ageing=ageing)
    else:
        ranked = rank_by_fusion(found, ageing=ageing)
    if op.min_score is not None:
        ranked = [one for one in ranked if one.score >= op.min_score]
    return Answer(ranked, plan, lacks_vectors=len(found) < len(sightings))


def _answer_in_place(question: Question, scope: Scope) -> Answer:
    """All of one small place, ranked."""
    op, vector = question.op, None
    if question.vector is not None:
        vector = VectorSearch(question.profile, question.vector, "exact", by_field=False)
    sightings = look_through(scope, vector, query_terms(op.query or ""))
    found = [one for one in sightings if one.signal != "pending"]
    ranked = rank_by_fusion(found, ageing=Ageing(_recency_of(op), scope.at))
    plan: Plan | None = None if vector is None else "exact"
    return Answer(ranked, plan, lacks_vectors=len(found) < len(sightings))


def _read(
    ids: list[UUID], ranked: dict[UUID, Ranked], question: Question, *, plan: Plan | None = None
) -> Found:
    """The page's values, with their access counted and the search recorded."""
    op = question.op
    event = _event_of(op, returned=len(ids), ids=[str(identifier) for identifier in ids])
    reading = reading_of(op.refresh_ttl)
    Budget().spend_page(ids)
    found = read_page(ids, reading, event)
    ordered = [found[identifier] for identifier in ids if identifier in found]
    rows = with_touches(ordered, reading)
    hits = [Hit(row, ranked.get(row.id)) for row in rows]
    return Found(hits, event.id, question.degraded, plan, op)


def _event_of(op: SearchOp, *, returned: int | str, ids: list[str]) -> Draft:
    """What was returned is named by the caller, or by slots that the statement fills."""
    return draft(
        "memory.search",
        Target("search", namespace=encode(op.namespace_prefix)),
        Facts(
            subjects=None,
            counts={"returned": cast(int, returned)},
            links={"ids": ids, "query": _hashed(op.query)},
        ),
    )


def _hashed(query: str | None) -> str | None:
    """A keyed hash: the same question is recognised, and the log holds no search text."""
    if not query:
        return None
    return keyed_hash(query, purpose="search-query", tenant_id=current_tenant_id())
