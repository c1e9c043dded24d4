"""Writing rows: new memories, changed ones, their versions, vectors and subjects."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from memories.embedding.chunking import Chunk
from memories.rows import NAMES, StoredMemory
from memories.statements.together import Together, rows_of_values
from tenants.context import current_tenant_id
from tenants.ids import uuid7

_INSTANTS = (
    "created_at", "updated_at", "accessed_at", "ttl_expires_at", "visible_until", "purge_at",
    "archived_at", "trashed_at", "deleted_at", "restored_at", "dates_moved_at",
)  # fmt: skip
_CASTS = {
    "id": "uuid", "value": "jsonb", "source": "jsonb", "derived_from": "uuid[]",
    "source_caps": "timestamptz[]", "subjects": "text[]", "classes": "text[]", "tags": "text[]",
    "index_paths": "text[]", "flags": "text[]", "ttl": "interval", "content_hash": "bytea",
    "version": "int", "access_count": "int", "ruleset": "int", "ruled": "bool",
    "decay": "float8", "importance": "float8", "weight": "float8", "session": "text",
    "label": "text", "rule": "text",
    **dict.fromkeys(_INSTANTS, "timestamptz"),
}  # fmt: skip
_EXTRA = ("lexemes", "length", "embedding_due_at", "embedding_attempts")
_ALL = ("tenant_id", *NAMES, *_EXTRA)


def _slot(name: str) -> str:
    return f"%s::{_CASTS[name]}" if name in _CASTS else "%s"


_ROW = (
    "(%s::uuid, "
    + ", ".join(_slot(name) for name in NAMES)
    + ", %s::tsvector, %s, %s::timestamptz, 0)"
)
_INSERT = (
    f"INSERT INTO memories_memory ({', '.join(_ALL)}) VALUES {{rows}} "
    "ON CONFLICT (tenant_id, namespace, key) WHERE trashed_at IS NULL DO NOTHING RETURNING 1"
)
_CHANGING = tuple(name for name in NAMES if name not in ("id", "namespace", "key", "created_at"))
_UPDATE = (
    "UPDATE memories_memory m SET "
    + ", ".join(f"{name} = d.{name}" for name in (*_CHANGING, *_EXTRA))
    + f" FROM (VALUES {{rows}}) AS d ({', '.join(_ALL)}) "
    "WHERE m.tenant_id = %s AND m.tenant_id = d.tenant_id AND m.id = d.id"
)


def _values(row: StoredMemory, text: tuple[str, int]) -> list[Any]:
    due = row.updated_at if row.embedding == "pending" else None
    lexemes, length = text
    return [
        current_tenant_id(), *(getattr(row, name) for name in NAMES), lexemes, length, due,
    ]  # fmt: skip


def insert_memories(
    together: Together, rows: Sequence[tuple[StoredMemory, tuple[str, int]]]
) -> None:
    """Rows with their (lexemes, length). The count tells how many keys were still free."""
    text, params = rows_of_values(_ROW, [_values(*row) for row in rows])
    together.add_counted(_INSERT.format(rows=text), params)


def update_memories(
    together: Together, rows: Sequence[tuple[StoredMemory, tuple[str, int]]]
) -> None:
    """Rows that are locked already, with their new content and dates."""
    text, params = rows_of_values(_ROW, [_values(*row) for row in rows])
    together.add(_UPDATE.format(rows=text), [*params, current_tenant_id()])


_DATES = (
    "ttl", "ttl_expires_at", "visible_until", "purge_at", "ruled", "rule", "flags", "archived_at",
    "ruleset", "deleted_at", "trashed_at", "restored_at", "dates_moved_at",
)  # fmt: skip
_UPDATE_DATES = (
    "UPDATE memories_memory m SET "
    + ", ".join(f"{name} = d.{name}" for name in _DATES)
    + f" FROM (VALUES {{rows}}) AS d (id, {', '.join(_DATES)}) "
    "WHERE m.tenant_id = %s AND m.id = d.id"
)
_DATES_ROW = "(%s::uuid, " + ", ".join(_slot(name) for name in _DATES) + ")"


def update_dates(together: Together, rows: Sequence[StoredMemory]) -> None:
    """Only what decides use and destruction: content, version and vectors stay."""
    values = [[row.id, *(getattr(row, name) for name in _DATES)] for row in rows]
    text, params = rows_of_values(_DATES_ROW, values)
    together.add(_UPDATE_DATES.format(rows=text), [*params, current_tenant_id()])


_LABELS = "UPDATE memories_memory m SET label = %s WHERE m.tenant_id = %s AND m.id = %s"


def update_label(row: StoredMemory) -> None:
    """The label of a locked row."""
    with connection.cursor() as cursor:
        cursor.execute(_LABELS, [row.label, current_tenant_id(), row.id])


_VERSIONS = (
    "INSERT INTO memories_memoryversion (tenant_id, id, memory_id, version, value, sealed, "
    "content_hash, written_at, replaced_at, replaced_by, event_id) VALUES {rows}"
)
_VERSION_ROW = (
    "(%s::uuid, %s::uuid, %s::uuid, %s, %s::jsonb, NULL, %s::bytea, %s::timestamptz, "
    "%s::timestamptz, %s, %s::uuid)"
)


def insert_versions(
    together: Together, replaced: Sequence[tuple[StoredMemory, UUID]], *, by: str, at: datetime
) -> None:
    """The values being replaced, each with the event that replaces it."""
    values = [
        [current_tenant_id(), uuid7(), row.id, row.version, row.value, row.content_hash,
         row.updated_at, at, by, event]
        for row, event in replaced
    ]  # fmt: skip
    text, params = rows_of_values(_VERSION_ROW, values)
    together.add(_VERSIONS.format(rows=text), params)


_OLD_VERSIONS = (
    "DELETE FROM memories_memoryversion v USING (VALUES {rows}) AS d (memory_id, oldest) "
    "WHERE v.tenant_id = %s AND v.memory_id = d.memory_id AND v.version < d.oldest"
)


def delete_old_versions(together: Together, rows: Sequence[StoredMemory], *, kept: int) -> None:
    """Versions beyond the number a tenant keeps."""
    full = [[row.id, row.version - kept] for row in rows if row.version - kept > 1]
    if full:
        text, params = rows_of_values("(%s::uuid, %s)", full)
        together.add(_OLD_VERSIONS.format(rows=text), [*params, current_tenant_id()])


_DROP_VECTORS = (
    "DELETE FROM memories_memoryvector v WHERE v.tenant_id = %s AND v.memory_id = ANY(%s) "
    "AND (v.memory_id, v.profile, v.field, v.chunk) NOT IN (SELECT d.* FROM "
    "(VALUES {rows}) AS d (memory_id, profile, field, chunk))"
)
_DROP_ALL_VECTORS = (
    "DELETE FROM memories_memoryvector v WHERE v.tenant_id = %s AND v.memory_id = ANY(%s)"
)
_VECTORS = (
    "INSERT INTO memories_memoryvector (tenant_id, id, memory_id, profile, field, chunk, embedding)"
    " VALUES {rows} ON CONFLICT (tenant_id, memory_id, profile, field, chunk) "
    "DO UPDATE SET embedding = excluded.embedding"
)
_VECTOR_ROW = "(%s::uuid, %s::uuid, %s::uuid, %s, %s, %s, %s::halfvec)"

Embedded = tuple[UUID, Chunk, str]


def replace_vectors(
    together: Together, changed: Sequence[UUID], embedded: Sequence[Embedded], *, profile: int
) -> None:
    """The vectors of the changed memories become exactly these; any other goes at once.

    New memories have none to lose: name in `changed` only rows that existed before.
    """
    tenant = current_tenant_id()
    if changed:
        of_changed = set(changed)
        kept = [
            [memory, profile, chunk.field, chunk.number]
            for memory, chunk, _ in embedded
            if memory in of_changed
        ]
        if kept:
            text, params = rows_of_values("(%s::uuid, %s::smallint, %s, %s::smallint)", kept)
            together.add(_DROP_VECTORS.format(rows=text), [tenant, list(changed), *params])
        else:
            together.add(_DROP_ALL_VECTORS, [tenant, list(changed)])
    if embedded:
        values = [
            [tenant, uuid7(), memory, profile, chunk.field, chunk.number, vector]
            for memory, chunk, vector in embedded
        ]
        text, params = rows_of_values(_VECTOR_ROW, values)
        together.add(_VECTORS.format(rows=text), params)


_DROP_SUBJECTS = (
    "DELETE FROM memories_memorysubject s USING (VALUES {rows}) AS d (memory_id, kept) "
    "WHERE s.tenant_id = %s AND s.memory_id = d.memory_id AND s.subject <> ALL(d.kept)"
)
_SUBJECTS = (
    "INSERT INTO memories_memorysubject (tenant_id, id, memory_id, subject) VALUES {rows} "
    "ON CONFLICT (tenant_id, subject, memory_id) DO NOTHING"
)


def replace_subjects(
    together: Together, rows: Sequence[tuple[StoredMemory, StoredMemory | None]]
) -> None:
    """The side table of subjects, for (row, the row it replaces) whose subjects differ."""
    differing = [(row, old) for row, old in rows if row.subjects != (old.subjects if old else [])]
    changed = [[row.id, row.subjects] for row, old in differing if old is not None]
    if changed:
        text, params = rows_of_values("(%s::uuid, %s::text[])", changed)
        together.add(_DROP_SUBJECTS.format(rows=text), [*params, current_tenant_id()])
    values = [
        [current_tenant_id(), uuid7(), row.id, subject]
        for row, _ in differing
        for subject in row.subjects
    ]
    if values:
        text, params = rows_of_values("(%s::uuid, %s::uuid, %s::uuid, %s)", values)
        together.add(_SUBJECTS.format(rows=text), params)
