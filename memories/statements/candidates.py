"""Candidates of a search, as light rows: id, what ranking needs, and the raw signal.

A scope is one condition over `memories_memory m` that every signal shares, so that limit and offset
come after filtering: nothing is lost because an index filtered late.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from memories.embedding.profiles import Profile
from memories.filter_sql import compile_sql
from memories.filters import Node
from memories.statements.lookup import below_any
from tenants.context import current_tenant_id


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


class Candidate(NamedTuple):
    """One memory with what ranking needs; `signal` is the raw similarity or text score."""

    id: UUID
    namespace: str
    key: str
    updated_at: datetime
    decay: float
    weight: float
    importance: float
    signal: float


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
        parts.append("m.archived_at IS NULL")
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
    if scope.filter is not None:
        text, more = compile_sql(scope.filter, "m.value")
        parts.append(text)
        values += more
    return " AND ".join(parts), values


_FIELDS = "m.id, m.namespace, m.key, m.updated_at, m.decay, m.weight, m.importance"
_SIMILARITY = {
    "cosine": "-(v.embedding::halfvec({d}) <#> %s::halfvec({d}))",
    "ip": "-(v.embedding::halfvec({d}) <#> %s::halfvec({d}))",
    "l2": "-(v.embedding::halfvec({d}) <-> %s::halfvec({d}))",
}
_EXACT = (
    "SELECT {fields}, f.signal FROM ("
    "SELECT v.memory_id, max({similarity}) AS signal FROM memories_memoryvector v "
    "JOIN memories_memory m ON m.tenant_id = v.tenant_id AND m.id = v.memory_id "
    "WHERE v.tenant_id = %s AND v.profile = %s AND {scope} GROUP BY v.memory_id"
    ") f JOIN memories_memory m ON m.tenant_id = %s AND m.id = f.memory_id "
    "ORDER BY f.signal DESC, m.id LIMIT %s"
)


def nearest_exactly(scope: Scope, profile: Profile, vector: str, *, limit: int) -> list[Candidate]:
    """The nearest memories by their best vector, computed over all of the scope."""
    condition, params = compile_scope(scope)
    similarity = _SIMILARITY[profile.distance].format(d=int(profile.dimensions))
    sql = _EXACT.format(fields=_FIELDS, similarity=similarity, scope=condition)
    tenant = current_tenant_id()
    with connection.cursor() as cursor:
        cursor.execute(sql, [vector, tenant, profile.number, *params, tenant, limit])
        return [Candidate(*row) for row in cursor.fetchall()]


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
