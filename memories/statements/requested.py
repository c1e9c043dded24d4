"""The memories of a person: by the index of subjects, by provenance, by a probe of the texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection

from memories.rows import StoredMemory, columns
from memories.statements.slots import in_slot
from tenants.context import current_tenant_id

_MEMORY = columns("m")


def _ids(sql: str, params: Sequence[Any]) -> list[UUID]:
    with connection.cursor() as cursor:
        cursor.execute(sql, list(params))
        return [row[0] for row in cursor.fetchall()]


_OF_SUBJECT = (
    "SELECT s.memory_id FROM memories_memorysubject s WHERE s.tenant_id = %s AND s.subject = %s "
    "ORDER BY s.memory_id"
)


def ids_of_subject(subject: str) -> list[UUID]:
    """By the index, in whatever state they are."""
    return _ids(_OF_SUBJECT, [current_tenant_id(), subject])


_DERIVED = (
    "WITH RECURSIVE made (id) AS (SELECT m.id FROM memories_memory m "
    "WHERE m.tenant_id = %s AND m.derived_from && %s::uuid[] "
    "UNION SELECT m.id FROM made JOIN memories_memory m ON m.derived_from @> ARRAY[made.id] "
    "WHERE m.tenant_id = %s) SELECT id FROM made ORDER BY id"
)


def ids_derived_from(sources: Sequence[UUID]) -> list[UUID]:
    """What was made of these, directly or through others."""
    tenant = current_tenant_id()
    return _ids(_DERIVED, [tenant, list(sources), tenant]) if sources else []


@dataclass(frozen=True, slots=True)
class Traces:
    """What to look for: `pattern` a regular expression of Postgres over texts ("" for none),
    `exact` texts of which one is enough in a memory that names nobody else."""

    pattern: str
    exact: tuple[str, ...] = ()


_TEXT = (
    "concat_ws(E'\\n', m.namespace, m.key, m.session, m.label, array_to_string(m.subjects, E'\\n'),"
    " array_to_string(m.tags, E'\\n'), m.source::text, m.value::text)"
)
_NAMED = f"SELECT m.id FROM memories_memory m WHERE m.tenant_id = %s AND {_TEXT} ~ %s ORDER BY m.id"
_EXACT = (
    "SELECT DISTINCT m.id FROM memories_memory m JOIN unnest(%s::text[]) AS t (text) "
    f"ON position(t.text in {_TEXT}) > 0 "
    "WHERE m.tenant_id = %s AND m.subjects <@ %s::text[] ORDER BY m.id"
)
_VERSIONS = (
    "SELECT v.id, v.memory_id FROM memories_memoryversion v "
    "WHERE v.tenant_id = %s AND v.value::text ~ %s ORDER BY v.id"
)


def ids_with_traces(traces: Traces, *, subject: str) -> list[UUID]:
    """Memories whose texts name the person, or that hold an exact text and are about nobody else.

    A scan of the tenant's rows: no index knows what a text mentions.
    """
    tenant, found = current_tenant_id(), set[UUID]()
    if traces.pattern:
        found.update(_ids(_NAMED, [tenant, traces.pattern]))
    if traces.exact:
        found.update(_ids(_EXACT, [list(traces.exact), tenant, [subject]]))
    return sorted(found)


def versions_with_traces(traces: Traces) -> list[tuple[UUID, UUID]]:
    """(version's id, memory's id) of replaced values whose text names the person."""
    if not traces.pattern:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_VERSIONS, [current_tenant_id(), traces.pattern])
        return [(row[0], row[1]) for row in cursor.fetchall()]


_LOCK = (
    f"SELECT {_MEMORY} FROM memories_memory m WHERE m.tenant_id = %s AND m.id = ANY(%s) "
    "ORDER BY m.namespace, m.key, m.id FOR UPDATE"
)


def lock_requested(ids: Sequence[UUID]) -> list[StoredMemory]:
    """These rows that are still there, with their values, locked in the order of writers."""
    with connection.cursor() as cursor:
        cursor.execute(in_slot(_LOCK), [current_tenant_id(), list(ids)])
        return [StoredMemory.of(row) for row in cursor.fetchall()]


_LEFT = "SELECT m.id FROM memories_memory m WHERE m.tenant_id = %s AND m.id = ANY(%s) ORDER BY m.id"


def still_stored(ids: Sequence[UUID]) -> list[UUID]:
    """Those of these ids that have a row."""
    return _ids(_LEFT, [current_tenant_id(), list(ids)])


_SUBJECTS = (
    "SELECT DISTINCT s.subject FROM memories_memorysubject s WHERE s.tenant_id = %s "
    "AND s.subject > %s ORDER BY s.subject LIMIT %s"
)


def subjects_after(after: str, *, limit: int) -> list[str]:
    """Everybody whom memories are about, in order."""
    with connection.cursor() as cursor:
        cursor.execute(_SUBJECTS, [current_tenant_id(), after, limit])
        return [row[0] for row in cursor.fetchall()]


_BELONGINGS = {
    "versions": "SELECT count(*) FROM memories_memoryversion WHERE tenant_id = %s "
    "AND memory_id = ANY(%s)",
    "vectors": "SELECT count(*) FROM memories_memoryvector WHERE tenant_id = %s "
    "AND memory_id = ANY(%s)",
    "full_text": "SELECT count(*) FROM memories_memory WHERE tenant_id = %s "
    "AND id = ANY(%s) AND lexemes IS NOT NULL AND lexemes <> ''::tsvector",
    "subject_index": "SELECT count(*) FROM memories_memorysubject WHERE tenant_id = %s "
    "AND memory_id = ANY(%s)",
    "personal_data_findings": "SELECT count(*) FROM privacy_piifinding WHERE tenant_id = %s "
    "AND memory_id = ANY(%s)",
    "sealed_originals": "SELECT count(DISTINCT token_id) FROM privacy_piifinding "
    "WHERE tenant_id = %s AND memory_id = ANY(%s) AND token_id IS NOT NULL",
}
BELONGINGS = tuple(_BELONGINGS)


def count_belongings(ids: Sequence[UUID]) -> dict[str, int]:
    """Rows of each table that belong to these memories (`sealed_originals`: that they use)."""
    counts = {}
    with connection.cursor() as cursor:
        for name, sql in _BELONGINGS.items():
            cursor.execute(sql, [current_tenant_id(), list(ids)])
            counts[name] = int(cursor.fetchone()[0])
    return counts


_VAULT_LEFT = "SELECT token_id FROM privacy_vaultentry WHERE tenant_id = %s AND token_id = ANY(%s)"


def tokens_left(tokens: Sequence[str]) -> int:
    """How many of these originals are still kept, because somebody else's memory needs them."""
    with connection.cursor() as cursor:
        cursor.execute(_VAULT_LEFT, [current_tenant_id(), list(tokens)])
        return len(cursor.fetchall())


_NEAREST = (
    "SELECT m.id, m.subjects, m.value::text, 1 - (v.embedding::halfvec({d}) <=> %s::halfvec({d})) "
    "FROM memories_memoryvector v JOIN memories_memory m ON m.tenant_id = v.tenant_id "
    "AND m.id = v.memory_id WHERE v.tenant_id = %s AND v.profile = %s "
    "ORDER BY v.embedding::halfvec({d}) <=> %s::halfvec({d}) LIMIT %s"
)
_VECTORS = (
    "SELECT v.profile, v.embedding::text, p.dimensions FROM memories_memoryvector v "
    "JOIN memories_embeddingprofile p ON p.number = v.profile "
    "WHERE v.tenant_id = %s AND v.memory_id = ANY(%s) AND v.chunk = 0 "
    "ORDER BY v.memory_id, v.field LIMIT %s"
)


@dataclass(frozen=True, slots=True)
class FormerVector:
    """A vector that is about to go, to look for its neighbours afterwards."""

    profile: int
    text: str
    dimensions: int


def vectors_of(ids: Sequence[UUID], *, limit: int) -> list[FormerVector]:
    """Vectors of these memories, one a field."""
    with connection.cursor() as cursor:
        cursor.execute(_VECTORS, [current_tenant_id(), list(ids), limit])
        return [FormerVector(*row) for row in cursor.fetchall()]


def neighbours_of(vector: FormerVector, *, limit: int) -> list[tuple[UUID, list[str], str, float]]:
    """(id, subjects, value as text, cosine) of what lies nearest, whatever its state."""
    sql = _NEAREST.format(d=int(vector.dimensions))
    tenant = current_tenant_id()
    with connection.cursor() as cursor:
        cursor.execute(sql, [vector.text, tenant, vector.profile, vector.text, limit])
        return cursor.fetchall()


_WORDS = (
    "SELECT m.id, m.subjects, m.value::text FROM memories_memory m WHERE m.tenant_id = %s "
    "AND m.lexemes @@ %s::tsquery ORDER BY m.id LIMIT %s"
)


def found_by_words(words: Sequence[str], *, limit: int) -> list[tuple[UUID, list[str], str]]:
    """(id, subjects, value as text) of what the full-text index finds for all of these lexemes."""
    query = " & ".join("'" + word.replace("\\", "\\\\").replace("'", "''") + "'" for word in words)
    with connection.cursor() as cursor:
        cursor.execute(_WORDS, [current_tenant_id(), query, limit])
        return cursor.fetchall()


_DROP_VERSIONS = "DELETE FROM memories_memoryversion v WHERE v.tenant_id = %s AND v.id = ANY(%s)"


def drop_versions(ids: Sequence[UUID]) -> int:
    """Destroy these replaced values; how many."""
    with connection.cursor() as cursor:
        cursor.execute(_DROP_VERSIONS, [current_tenant_id(), list(ids)])
        return int(cursor.rowcount)
