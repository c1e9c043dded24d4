"""Small places looked through whole: each memory of one namespace as every signal sees it.

For a session's short-term memory, some tens of rows that change all the time: no index serves it
better than reading them all, and its turns are asked for what they say, not for what stands around
them. So the text signal here is plain: the share of the question's terms that a memory holds.
Also the few columns that a prompt needs of memories found, and their reads counted together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from audit.querysets import COLUMNS as EVENT_COLUMNS
from audit.recording import Draft
from memories.lexing import to_tsquery_literal
from memories.statements.candidates import (
    FIELDS,
    OPERATORS,
    Candidate,
    Scope,
    Sighting,
    VectorSearch,
)
from memories.statements.drafts import placeholders_of, values_of
from memories.statements.lookup import TOUCH, Reading, reading_params
from memories.statements.slots import in_slot
from tenants.context import current_tenant_id

MOST = 500
"""Memories of a place that are looked at, the last changed first."""

_THROUGH = (
    "SELECT {fields}, m.embedding = 'pending', {near}, "
    "(SELECT count(*) FROM unnest(%s::tsquery[]) AS t (term) WHERE m.lexemes @@ t.term) "
    "FROM memories_memory m WHERE m.tenant_id = %s AND m.namespace = %s AND m.tier = %s "
    "AND m.kind = ANY(%s) AND m.trashed_at IS NULL AND m.weight > 0 "
    "AND (m.visible_until IS NULL OR m.visible_until > %s) "
    "ORDER BY m.updated_at DESC LIMIT %s"
)
_NEAR = (
    "(SELECT max(-(v.embedding::halfvec({d}) {operator} %s::halfvec({d}))) "
    "FROM memories_memoryvector v "
    "WHERE v.tenant_id = %s AND v.memory_id = m.id AND v.profile = {profile})"
)


def look_through(scope: Scope, vector: VectorSearch | None, terms: Sequence[str]) -> list[Sighting]:
    """Every memory of the scope's one place, by each signal that sees it; `pending` as in
    `find_candidates`. Of the scope only place, tier and kinds count."""
    tenant, near = current_tenant_id(), "NULL::float8"
    values: list[Any] = []
    if vector is not None:
        profile = vector.profile
        near = _NEAR.format(
            d=int(profile.dimensions), operator=OPERATORS[profile.distance],
            profile=int(profile.number),
        )  # fmt: skip
        values = [vector.vector, tenant]
    asked = [to_tsquery_literal([term]) for term in terms]
    values += [
        asked, tenant, scope.prefixes[0], scope.tier, list(scope.kinds or ()), scope.at, MOST,
    ]  # fmt: skip
    sql = in_slot(_THROUGH.format(fields=FIELDS, near=near))
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        rows = cursor.fetchall()
    sightings = []
    for *fields, is_pending, similarity, held in rows:
        candidate = Candidate(*fields)
        if similarity is not None:
            sightings.append(Sighting("vector", "", similarity, candidate))
        if held:
            sightings.append(Sighting("text", "", held / len(asked), candidate))
        if is_pending and vector is not None:
            sightings.append(Sighting("pending", "", 0.0, candidate))
    return sightings


class Saying(NamedTuple):
    """What a prompt needs of a memory; `value` is JSON text."""

    id: UUID
    tier: str
    namespace: str
    key: str
    value: str
    derived_from: list[UUID]
    is_scanned: bool


_SAYINGS = (
    "SELECT m.id, m.tier, m.namespace, m.key, m.value::text, m.derived_from, "
    "m.scanned_at IS NOT NULL FROM memories_memory m WHERE m.tenant_id = %s AND m.id = ANY(%s)"
)


def find_sayings(ids: Sequence[UUID]) -> dict[UUID, Saying]:
    """These memories, in whatever state; nothing is counted as read."""
    with connection.cursor() as cursor:
        cursor.execute(_SAYINGS, [current_tenant_id(), list(ids)])
        return {row[0]: Saying(*row) for row in cursor.fetchall()}


_TOUCH = (
    "WITH "
    + TOUCH.format(ids="l.id = ANY(%(ids)s)")
    + f", logged AS (INSERT INTO audit_event ({', '.join(EVENT_COLUMNS)}) "
    "VALUES ({event})) "
    "SELECT m.id, touched.id IS NOT NULL AND (touched.ruled OR %(staging)s) "
    "FROM memories_memory m LEFT JOIN touched ON touched.id = m.id "
    "WHERE m.tenant_id = %(tenant)s AND m.id = ANY(%(ids)s) AND m.trashed_at IS NULL "
    "AND (m.visible_until IS NULL OR m.visible_until > %(at)s)"
)


def touch_read(ids: Sequence[UUID], reading: Reading, event: Draft) -> dict[UUID, bool]:
    """Those of these memories that are in use, with their access counted and the event recorded in
    one statement; whether the engine has to say what the read does to their dates."""
    sql = in_slot(_TOUCH).format(event=placeholders_of(event, ()))
    params: dict[str, Any] = {**reading_params(reading), "ids": list(ids)}
    with connection.cursor() as cursor:
        cursor.execute(sql, {**params, **values_of(event)})
        return dict(cursor.fetchall())
