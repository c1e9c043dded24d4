"""Writing rows: new memories, changed ones, their versions, vectors and subjects.

All rows of a statement are one parameter (`recordsets`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from memories.embedding.chunking import Chunk
from memories.rows import NAMES, StoredMemory, values_of
from memories.statements.recordsets import Raw, as_records, recordset
from memories.statements.slots import DATED, OTHER
from memories.statements.together import Together
from tenants.context import current_tenant_id
from tenants.ids import uuid7
from tenants.snapshots import tenant_settings

_REQUESTED = (
    "erasure_verified_at", "erasure_approved_at", "restricted_at", "source_erased_at",
)  # fmt: skip
"""What subject requests did to a memory."""
_SWEPT = (
    "acts_at", "review_at", "reviewed_at", "archive_noted_at", "anonymised_at", "original_kept_at",
)  # fmt: skip
"""What a sweep or a reviewer does beside hiding and destroying, and what it did."""
_TYPES = {
    "id": "uuid", "namespace": "text", "key": "text", "value": "jsonb", "source": "jsonb",
    "events": "jsonb",
    "kind": "text", "tier": "text", "session": "text", "label": "text", "rule": "text",
    "embedding": "text", "detector": "text", "hidden_as": "text", "derived_from": "uuid[]",
    "hold_ids": "uuid[]", "source_caps": "timestamptz[]", "content_hash": "bytea",
    "ttl": "interval", "ruled": "bool",
    **dict.fromkeys(("subjects", "classes", "tags", "index_paths", "flags"), "text[]"),
    **dict.fromkeys(("version", "access_count", "ruleset"), "int"),
    **dict.fromkeys(("decay", "importance", "weight"), "float8"),
    **dict.fromkeys(
        ("created_at", "updated_at", "accessed_at", "ttl_expires_at", "visible_until", "purge_at",
         "archived_at", "trashed_at", "deleted_at", "restored_at", "dates_moved_at",
         "quarantined_at", "scan_due_at", "scanned_at", "due_at", *_REQUESTED, *_SWEPT),
        "timestamptz",
    ),
}  # fmt: skip
_JSON = [place for place, name in enumerate(NAMES) if _TYPES[name] == "jsonb"]
_EXTRA = {
    "lexemes": "tsvector", "length": "int", "embedding_due_at": "timestamptz",
    "embedding_attempts": "int",
}  # fmt: skip
COMING_TYPES = {f"next_{name}": _TYPES[name] for name in DATED} | {"coming": "bool"}
_ALL = {name: _TYPES[name] for name in NAMES} | _EXTRA | COMING_TYPES


def _sources(names: Sequence[str], slot: int, *, of_new: bool) -> dict[str, str]:
    """Columns and what they are set to. The dates that count go into the slot, those to come into
    the other; where none were computed the other keeps its own, or a new row has the same twice."""
    endings = ("", OTHER) if slot == 0 else (OTHER, "")
    sources = {}
    for name in names:
        if name in DATED:
            kept = f"d.{name}" if of_new else f"m.{name}{endings[1]}"
            sources[name + endings[0]] = f"d.{name}"
            sources[name + endings[1]] = f"CASE WHEN d.coming THEN d.next_{name} ELSE {kept} END"
        else:
            sources[name] = f"d.{name}"
    return sources


def _insert(slot: int) -> str:
    sources = _sources([*NAMES, *_EXTRA], slot, of_new=True)
    return (
        f"INSERT INTO memories_memory (tenant_id, {', '.join(sources)}) "
        f"SELECT %s, {', '.join(sources.values())} FROM {recordset(_ALL)} "
        "ON CONFLICT (tenant_id, namespace, key) WHERE trashed_at IS NULL DO NOTHING RETURNING 1"
    )


def _update(names: Sequence[str], types: Mapping[str, str], slot: int) -> str:
    sources = _sources(names, slot, of_new=False)
    return (
        "UPDATE memories_memory m SET "
        + ", ".join(f"{name} = {source}" for name, source in sources.items())
        + f" FROM {recordset(types)} WHERE m.tenant_id = %s AND m.id = d.id"
    )


_UNCHANGING = ("id", "namespace", "key", "created_at")
_CHANGING = tuple(name for name in (*NAMES, *_EXTRA) if name not in _UNCHANGING)
_INSERT = tuple(_insert(slot) for slot in (0, 1))
_UPDATE = tuple(_update(_CHANGING, _ALL, slot) for slot in (0, 1))


def _cells(row: StoredMemory) -> list[Any]:
    cells = list(values_of(row))
    for place in _JSON:
        if cells[place] is not None:
            cells[place] = Raw(cells[place])
    return cells


def coming_cells(row: StoredMemory) -> list[Any]:
    coming = row.coming
    if coming is None:
        return [None] * len(DATED) + [False]
    return [*(getattr(coming, name) for name in DATED), True]


def _records(rows: Sequence[tuple[StoredMemory, tuple[str, int]]]) -> str:
    return as_records(
        tuple(_ALL),
        (
            [
                *_cells(row), *text,
                row.updated_at if row.embedding == "pending" else None, 0, *coming_cells(row),
            ]
            for row, text in rows
        ),
    )  # fmt: skip


def insert_memories(
    together: Together, rows: Sequence[tuple[StoredMemory, tuple[str, int]]]
) -> None:
    """Rows with their (lexemes, length). The count tells how many keys were still free."""
    together.add_counted(
        _INSERT[tenant_settings().date_slot], [current_tenant_id(), _records(rows)]
    )


def update_memories(
    together: Together, rows: Sequence[tuple[StoredMemory, tuple[str, int]]]
) -> None:
    """Rows that are locked already, with their new content and dates."""
    together.add(_UPDATE[tenant_settings().date_slot], [_records(rows), current_tenant_id()])


_DATES = (
    "ttl", "ttl_expires_at", "visible_until", "purge_at", "ruled", "rule", "flags", "archived_at",
    "ruleset", "deleted_at", "trashed_at", "restored_at", "dates_moved_at", "quarantined_at",
    "due_at", "hidden_as", "weight", *_REQUESTED, *_SWEPT,
)  # fmt: skip
_DATE_TYPES = {name: _TYPES[name] for name in ("id", *_DATES)} | COMING_TYPES
_UPDATE_DATES = tuple(_update(_DATES, _DATE_TYPES, slot) for slot in (0, 1))


def update_dates(together: Together, rows: Sequence[StoredMemory]) -> None:
    """Only what decides use and destruction: content, version and vectors stay."""
    values = (
        [row.id, *(getattr(row, name) for name in _DATES), *coming_cells(row)] for row in rows
    )
    records = as_records(tuple(_DATE_TYPES), values)
    together.add(_UPDATE_DATES[tenant_settings().date_slot], [records, current_tenant_id()])


_SEALED = (
    "UPDATE memories_memory m SET sealed = d.sealed "
    f"FROM {recordset({'id': 'uuid', 'sealed': 'bytea'})} WHERE m.tenant_id = %s AND m.id = d.id"
)


def seal_originals(rows: Sequence[tuple[UUID, bytes | None]]) -> None:
    """The sealed originals of rows that are there, None to take one away; nothing for none."""
    if rows:
        with connection.cursor() as cursor:
            cursor.execute(_SEALED, [as_records(("id", "sealed"), rows), current_tenant_id()])


_CREATED = {"id": "uuid", "created_at": "timestamptz"}
_UPDATE_CREATED = (
    f"UPDATE memories_memory m SET created_at = d.created_at FROM {recordset(_CREATED)} "
    "WHERE m.tenant_id = %s AND m.id = d.id"
)


def update_imported(rows: Sequence[StoredMemory]) -> None:
    """The dates of rows just written, and when they were created elsewhere."""
    together = Together()
    update_dates(together, rows)
    together.run()
    records = as_records(tuple(_CREATED), ((row.id, row.created_at) for row in rows))
    with connection.cursor() as cursor:
        cursor.execute(_UPDATE_CREATED, [records, current_tenant_id()])


_LABELS = "UPDATE memories_memory m SET label = %s WHERE m.tenant_id = %s AND m.id = %s"


def update_label(row: StoredMemory) -> None:
    """The label of a locked row."""
    with connection.cursor() as cursor:
        cursor.execute(_LABELS, [row.label, current_tenant_id(), row.id])


_REPLACED = {"id": "uuid", "memory_id": "uuid", "event_id": "uuid"}
_VERSIONS = (
    "INSERT INTO memories_memoryversion (tenant_id, id, memory_id, version, value, sealed, "
    "content_hash, written_at, replaced_at, replaced_by, event_id) "
    "SELECT m.tenant_id, d.id, m.id, m.version, m.value, NULL, m.content_hash, m.updated_at, "
    f"%s, %s, d.event_id FROM {recordset(_REPLACED)} "
    "JOIN memories_memory m ON m.tenant_id = %s AND m.id = d.memory_id"
)


def insert_versions(
    together: Together, replaced: Sequence[tuple[StoredMemory, UUID]], *, by: str, at: datetime
) -> None:
    """The values being replaced, each with the event that replaces it.

    Copied by Postgres from the row as the statement finds it, which is before the update that
    stands beside it.
    """
    records = as_records(tuple(_REPLACED), ((uuid7(), row.id, event) for row, event in replaced))
    together.add(_VERSIONS, [at, by, records, current_tenant_id()])


_OLDEST = {"memory_id": "uuid", "oldest": "int"}
_OLD_VERSIONS = (
    f"DELETE FROM memories_memoryversion v USING {recordset(_OLDEST)} "
    "WHERE v.tenant_id = %s AND v.memory_id = d.memory_id AND v.version < d.oldest"
)


def delete_old_versions(together: Together, rows: Sequence[StoredMemory], *, kept: int) -> None:
    """Versions beyond the number a tenant keeps."""
    full = [(row.id, row.version - kept) for row in rows if row.version - kept > 1]
    if full:
        records = as_records(tuple(_OLDEST), full)
        together.add(_OLD_VERSIONS, [records, current_tenant_id()])


_KEPT = {"memory_id": "uuid", "profile": "smallint", "field": "text", "chunk": "smallint"}
_DROP_VECTORS = (
    "DELETE FROM memories_memoryvector v WHERE v.tenant_id = %s AND v.memory_id = ANY(%s) "
    "AND (v.memory_id, v.profile, v.field, v.chunk) NOT IN "
    f"(SELECT d.memory_id, d.profile, d.field, d.chunk FROM {recordset(_KEPT)})"
)
_DROP_ALL_VECTORS = (
    "DELETE FROM memories_memoryvector v WHERE v.tenant_id = %s AND v.memory_id = ANY(%s)"
)
_VECTOR = {"id": "uuid", **_KEPT, "embedding": "halfvec"}
_VECTORS = (
    "INSERT INTO memories_memoryvector (tenant_id, id, memory_id, profile, field, chunk, embedding)"
    " SELECT %s, d.id, d.memory_id, d.profile, d.field, d.chunk, d.embedding "
    f"FROM {recordset(_VECTOR)} ON CONFLICT (tenant_id, memory_id, profile, field, chunk) "
    "DO UPDATE SET embedding = excluded.embedding"
)

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
            together.add(_DROP_VECTORS, [tenant, list(changed), as_records(tuple(_KEPT), kept)])
        else:
            together.add(_DROP_ALL_VECTORS, [tenant, list(changed)])
    if embedded:
        values = (
            [uuid7(), memory, profile, chunk.field, chunk.number, vector]
            for memory, chunk, vector in embedded
        )
        together.add(_VECTORS, [tenant, as_records(tuple(_VECTOR), values)])


_OF_MEMORY = {"memory_id": "uuid", "kept": "text[]"}
_DROP_SUBJECTS = (
    f"DELETE FROM memories_memorysubject s USING {recordset(_OF_MEMORY)} "
    "WHERE s.tenant_id = %s AND s.memory_id = d.memory_id AND s.subject <> ALL(d.kept)"
)
_SUBJECT = {"id": "uuid", "memory_id": "uuid", "subject": "text", "pseudonym": "text"}
_SUBJECTS = (
    "INSERT INTO memories_memorysubject (tenant_id, id, memory_id, subject, pseudonym) "
    f"SELECT %s, d.id, d.memory_id, d.subject, d.pseudonym FROM {recordset(_SUBJECT)} "
    "ON CONFLICT (tenant_id, subject, memory_id) DO NOTHING"
)


def replace_subjects(
    together: Together,
    rows: Sequence[tuple[StoredMemory, StoredMemory | None]],
    names: Mapping[str, str],
) -> None:
    """The side table of subjects, with their pseudonyms (`names`), for (row, the row it replaces)
    whose subjects differ."""
    differing = [(row, old) for row, old in rows if row.subjects != (old.subjects if old else [])]
    changed = [[row.id, row.subjects] for row, old in differing if old is not None]
    if changed:
        records = as_records(tuple(_OF_MEMORY), changed)
        together.add(_DROP_SUBJECTS, [records, current_tenant_id()])
    values = [
        [uuid7(), row.id, subject, names[subject]]
        for row, _ in differing
        for subject in row.subjects
    ]
    if values:
        together.add(_SUBJECTS, [current_tenant_id(), as_records(tuple(_SUBJECT), values)])
