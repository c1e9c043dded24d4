"""Candidates of a search, as light rows: id, what ranking needs, and what each signal says.

A scope is one condition over `memories_memory m` that every signal shares, so that limit and offset
come after filtering: nothing is lost because an index filtered late. All signals of a search are
one statement; each row is one memory as one signal sees it.

Vectors are compared by one of two plans. `exact` computes every similarity of the scope, from an
expression that the vector index cannot serve. `ann` walks the profile's HNSW graph (partial, hence
the literal profile number) and goes on until enough of what it meets lies in the scope; what
`prepare_ann` sets must stand in the transaction before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID

from django.db import connection

from memories.embedding.profiles import Profile
from memories.filter_sql import compile_sql
from memories.filters import Node
from memories.lexing import to_tsquery_literal
from memories.namespaces import prefix_bounds
from memories.statements.lookup import below_any
from memories.statements.slots import in_slot
from tenants.context import current_tenant_id

Plan = Literal["exact", "ann"]
Signal = Literal["vector", "text", "pending"]


class About(NamedTuple):
    """Memories about a subject: those that name it, and those below its homes (stored paths)."""

    subject: str
    homes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """Which memories a search may find. `prefixes` are stored paths, already narrowed."""

    prefixes: tuple[str, ...]
    at: datetime
    tier: str = "long"
    kinds: Sequence[str] | None = None
    subjects: Sequence[str] | None = None
    tags: Sequence[str] | None = None
    filter: Node | None = None
    include_archived: bool = False
    about: About | None = None

    @property
    def is_filtered(self) -> bool:
        """Whether more is asked than a place, a tier and being in use."""
        return bool(
            self.kinds or self.subjects or self.tags or self.filter is not None or self.about
        )


class Candidate(NamedTuple):
    """One memory with what ranking needs."""

    id: UUID
    namespace: str
    key: str
    updated_at: datetime
    decay: float
    weight: float
    importance: float


class Sighting(NamedTuple):
    """A candidate as one signal sees it in one field; the higher the score the better."""

    signal: Signal
    field: str
    score: float
    candidate: Candidate


class Population(NamedTuple):
    """How many memories a scope's prefixes hold (counted up to a bound), and their mean length."""

    size: int
    average_length: float


@dataclass(frozen=True, slots=True)
class VectorSearch:
    """Nearest to `vector`, pgvector's text. `by_field`: each field apart, else the best of the
    tenant's index fields, as LangGraph scores."""

    profile: Profile
    vector: str
    plan: Plan
    by_field: bool


@dataclass(frozen=True, slots=True)
class TextSearch:
    """Any of the lexemes `terms`; at most `most` memories are looked at, rarest terms first."""

    terms: Sequence[str]
    population: Population
    most: int


def compile_scope(scope: Scope) -> tuple[str, list[Any]]:
    """The scope as SQL over the alias m, with its parameters."""
    below, params = below_any(scope.prefixes)
    parts = [
        "m.tenant_id = %s AND m.trashed_at IS NULL",
        "(m.visible_until IS NULL OR m.visible_until > %s)",
        "m.tier = %s",
        below,
    ]
    values: list[Any] = [current_tenant_id(), scope.at, scope.tier, *params]
    if not scope.include_archived:
        parts.append("(m.archived_at IS NULL OR m.archived_at > %s)")
        values.append(scope.at)
    if scope.kinds:
        parts.append("m.kind = ANY(%s)")
        values.append(list(scope.kinds))
    if scope.tags:
        parts.append("m.tags @> %s::text[]")
        values.append(list(scope.tags))
    if scope.subjects:
        parts.append(
            "m.id IN (SELECT s.memory_id FROM memories_memorysubject s "
            "WHERE s.tenant_id = %s AND s.subject = ANY(%s))"
        )
        values += [current_tenant_id(), list(scope.subjects)]
    if scope.about is not None:
        text, more = _about(scope.about)
        parts.append(text)
        values += more
    if scope.filter is not None:
        text, more = compile_sql(scope.filter, "m.value")
        parts.append(text)
        values += more
    return in_slot(" AND ".join(parts)), values


def _about(about: About) -> tuple[str, list[Any]]:
    """Both as ids, so that each is found by its own index."""
    below, params = below_any(about.homes, column="h.namespace")
    text = (
        "m.id IN (SELECT s.memory_id FROM memories_memorysubject s WHERE s.tenant_id = %s "
        "AND s.subject = %s UNION ALL SELECT h.id FROM memories_memory h WHERE h.tenant_id = %s "
        f"AND h.trashed_at IS NULL AND {below})"
    )
    return text, [current_tenant_id(), about.subject, current_tenant_id(), *params]


FIELDS = "m.id, m.namespace, m.key, m.updated_at, m.decay, m.weight, m.importance"
OPERATORS = {"cosine": "<#>", "ip": "<#>", "l2": "<->"}
NOT_ADDED = "v.field NOT LIKE '+%%'"  # none that indexing added beside the tenant's index fields
_EXACT = (
    "SELECT v.memory_id, {field} AS field, max(-({distance})) AS score "
    "FROM memories_memoryvector v "
    "JOIN memories_memory m ON m.tenant_id = v.tenant_id AND m.id = v.memory_id "
    "WHERE v.tenant_id = %s AND v.profile = {profile} AND m.weight > 0 AND {fields} AND {scope} "
    "GROUP BY 1, 2 ORDER BY 3 DESC, 1 LIMIT %s"
)
_ANN = (
    "SELECT n.memory_id, n.field, max(-n.distance) AS score FROM ("
    "SELECT v.memory_id, {field} AS field, {distance} AS distance "
    "FROM memories_memoryvector v "
    "JOIN memories_memory m ON m.tenant_id = v.tenant_id AND m.id = v.memory_id "
    "WHERE v.tenant_id = %s AND v.profile = {profile} AND m.weight > 0 AND {fields} AND {scope} "
    "ORDER BY {distance} LIMIT %s) n GROUP BY 1, 2"
)
_VECTOR = (
    "SELECT 'vector', f.field, f.score, f1.* FROM ({nearest}) f CROSS JOIN LATERAL (SELECT "
    + FIELDS
    + " FROM memories_memory m WHERE m.tenant_id = %s AND m.id = f.memory_id OFFSET 0) f1"
)
_TEXT = (
    "SELECT 'text', f.field::text, f.score::float8, " + FIELDS + " FROM hub_search_text("
    "%s::tsquery[], %s::text[], %s::text[], %s::timestamptz, %s::text, %s, "
    "%s::int, %s::real, %s::int, %s::int) f CROSS JOIN LATERAL (SELECT * FROM memories_memory m "
    "WHERE m.tenant_id = %s AND m.id = f.id AND {scope} OFFSET 0) m"
)
_PENDING = (
    "SELECT 'pending', '', 0, NULL, '', '', NULL, 0, 0, 0 WHERE EXISTS (SELECT FROM "
    "memories_memory m WHERE m.embedding = 'pending' AND {scope})"
)
_FIX_PLANS = (
    "SELECT 'plans', set_config('plan_cache_mode', 'force_generic_plan', true), "
    "0, NULL, '', '', NULL, 0, 0, 0"
)
"""For what follows in the transaction, in the same round trip. Only the candidates need a plan made
for what is asked; planning the page of ids takes twice as long as reading it."""


def find_candidates(
    scope: Scope, vector: VectorSearch | None, text: TextSearch | None, *, depth: int,
    is_last: bool = False,
) -> list[Sighting]:  # fmt: skip
    """The best `depth` of each signal, and `pending` once when part of the scope has no vectors.

    `is_last`: no other search follows in this transaction.
    """
    branches, params = [], []
    for sql, values in (
        _vector_branch(scope, vector, depth),
        _text_branch(scope, text, depth),
        _pending_branch(scope, vector),
    ):
        if sql:
            branches.append(f"({sql})")
            params += values
    if not branches:
        return []
    if is_last:
        branches.append(f"({_FIX_PLANS})")
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(branches), params)
        rows = cursor.fetchall()
    return [
        Sighting(row[0], row[1], row[2], Candidate(*row[3:])) for row in rows if row[0] != "plans"
    ]


def _vector_branch(scope: Scope, asked: VectorSearch | None, depth: int) -> tuple[str, list[Any]]:
    if asked is None:
        return "", []
    profile = asked.profile
    condition, params = compile_scope(scope)
    cast = f"halfvec({int(profile.dimensions)})"
    distance = f"v.embedding::{cast} {OPERATORS[profile.distance]} %s::{cast}"
    nearest = (_EXACT if asked.plan == "exact" else _ANN).format(
        field="v.field" if asked.by_field else "''",
        fields="true" if asked.by_field else NOT_ADDED,
        distance=distance, profile=int(profile.number), scope=condition,
    )  # fmt: skip
    again = [asked.vector] if asked.plan == "ann" else []
    tenant = current_tenant_id()
    values = [asked.vector, tenant, *params, *again, depth, tenant]
    return _VECTOR.format(nearest=nearest), values


def _text_branch(scope: Scope, asked: TextSearch | None, depth: int) -> tuple[str, list[Any]]:
    if asked is None or not asked.terms:
        return "", []
    condition, params = compile_scope(scope)
    bounds = [prefix_bounds(prefix) for prefix in scope.prefixes]
    values = [
        [to_tsquery_literal([term]) for term in asked.terms],
        [low for low, _ in bounds], [high for _, high in bounds],
        scope.at, scope.tier, scope.include_archived,
        asked.population.size, asked.population.average_length, asked.most,
        asked.most if scope.is_filtered else depth,
        current_tenant_id(), *params,
    ]  # fmt: skip
    return _TEXT.format(scope=condition), values


def _pending_branch(scope: Scope, asked: VectorSearch | None) -> tuple[str, list[Any]]:
    if asked is None:
        return "", []
    condition, params = compile_scope(scope)
    return _PENDING.format(scope=condition), params


def prepare_ann() -> None:
    """Settings of this transaction for the `ann` plan, in one round trip."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT hub_walk_graph()")


_POPULATION = (
    "SELECT count(*), coalesce(avg(few.length), 0) FROM (SELECT m.length FROM memories_memory m "
    "WHERE m.tenant_id = %s AND m.trashed_at IS NULL AND {below} LIMIT %s) few"
)


def measure_population(prefixes: Sequence[str], *, most: int) -> Population:
    """How much lies below these prefixes; the count stops at `most`."""
    below, params = below_any(prefixes)
    with connection.cursor() as cursor:
        cursor.execute(_POPULATION.format(below=below), [current_tenant_id(), *params, most])
        count, average = cursor.fetchone()
    return Population(count, float(average))


_AROUND = (
    "SELECT count(*), coalesce(avg(few.length), 0), "
    "coalesce((array_agg(DISTINCT few.namespace) FILTER (WHERE few.elsewhere))[:%s], '{{}}') "
    "FROM (SELECT m.length, m.namespace, NOT {below} AS elsewhere FROM memories_memory m "
    "WHERE m.tenant_id = %s AND m.trashed_at IS NULL AND m.tier = 'long' AND {about} LIMIT %s) few"
)


def measure_subject(about: About, *, most: int, places: int) -> tuple[Population, list[str]]:
    """How much there is about a subject (the count stops at `most`), and the namespaces outside its
    homes, up to `places`."""
    below, params = below_any(about.homes)
    condition, more = _about(about)
    values = [places, *params, current_tenant_id(), *more, most]
    with connection.cursor() as cursor:
        cursor.execute(_AROUND.format(below=below, about=condition), values)
        count, average, elsewhere = cursor.fetchone()
    return Population(count, float(average)), list(elsewhere)


_NEWEST = (
    "SELECT m.id FROM memories_memory m WHERE {scope} "
    "ORDER BY m.updated_at DESC, m.namespace, m.key LIMIT %s OFFSET %s"
)


def newest(scope: Scope, *, limit: int, offset: int) -> list[UUID]:
    """Without a query: the last updated first, ties by namespace and key."""
    condition, params = compile_scope(scope)
    with connection.cursor() as cursor:
        cursor.execute(_NEWEST.format(scope=condition), [*params, limit, offset])
        return [row[0] for row in cursor.fetchall()]
