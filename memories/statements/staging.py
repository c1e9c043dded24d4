"""Staging: rows in the order of their ids, locked without waiting; their coming dates; counts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from memories.rows import NAMES, Dates, StoredMemory
from memories.statements.recordsets import as_records, recordset
from memories.statements.slots import DATED, OTHER, in_slot
from memories.statements.upsert import COMING_TYPES
from tenants.context import current_tenant_id
from tenants.snapshots import tenant_settings

_WITHOUT_VALUE = ", ".join("'null'" if name == "value" else f"m.{name}" for name in NAMES)

_BARRIER = "SELECT clock_timestamp()"
_OLDER = (
    "SELECT count(*) FROM pg_stat_activity a WHERE a.datname = current_database() "
    "AND a.usename = current_user AND a.pid <> pg_backend_pid() AND a.xact_start <= %s"
)


def read_clock() -> datetime:
    """The database's clock at this very moment, not the transaction's instant."""
    with connection.cursor() as cursor:
        cursor.execute(_BARRIER)
        return cursor.fetchone()[0]


def count_older(barrier: datetime) -> int:
    """Transactions of the application that began before: they may not know what is staged."""
    with connection.cursor() as cursor:
        cursor.execute(_OLDER, [barrier])
        return int(cursor.fetchone()[0])


_COUNT = "SELECT count(*) FROM memories_memory m WHERE m.tenant_id = %s"


def count_memories() -> int:
    """All that are not purged."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [current_tenant_id()])
        return int(cursor.fetchone()[0])


_IDS = (
    "SELECT m.id FROM memories_memory m WHERE m.tenant_id = %s AND m.id > %s ORDER BY m.id LIMIT %s"
)
_LOCK = (
    f"SELECT {_WITHOUT_VALUE}, pg_column_size(m.*) FROM memories_memory m "
    "WHERE m.tenant_id = %s AND m.id = ANY(%s) FOR UPDATE SKIP LOCKED"
)
_THERE = "SELECT m.id FROM memories_memory m WHERE m.tenant_id = %s AND m.id = ANY(%s)"


def ids_after(after: UUID, *, limit: int) -> list[UUID]:
    """The next ids."""
    with connection.cursor() as cursor:
        cursor.execute(_IDS, [current_tenant_id(), after, limit])
        return [row[0] for row in cursor.fetchall()]


_AFTER = (
    f"SELECT {_WITHOUT_VALUE} FROM memories_memory m WHERE m.tenant_id = %s AND m.id > %s "
    "ORDER BY m.id LIMIT %s"
)


def rows_after(after: UUID, *, limit: int) -> list[StoredMemory]:
    """The next rows, not locked, without values."""
    with connection.cursor() as cursor:
        cursor.execute(in_slot(_AFTER), [current_tenant_id(), after, limit])
        return [StoredMemory.of(row) for row in cursor.fetchall()]


_OF = f"SELECT {_WITHOUT_VALUE} FROM memories_memory m WHERE m.tenant_id = %s AND m.id = ANY(%s)"


def rows_of(ids: Sequence[UUID]) -> list[StoredMemory]:
    """These rows, not locked, without values."""
    with connection.cursor() as cursor:
        cursor.execute(in_slot(_OF), [current_tenant_id(), list(ids)])
        return [StoredMemory.of(row) for row in cursor.fetchall()]


def lock_free(ids: Sequence[UUID]) -> list[tuple[StoredMemory, int]]:
    """Those of these rows that nobody holds, locked, without values; and the bytes of each."""
    with connection.cursor() as cursor:
        cursor.execute(in_slot(_LOCK), [current_tenant_id(), list(ids)])
        return [(StoredMemory.of(row), row[-1]) for row in cursor.fetchall()]


def still_there(ids: Sequence[UUID]) -> list[UUID]:
    """Those of these that are not purged."""
    with connection.cursor() as cursor:
        cursor.execute(_THERE, [current_tenant_id(), list(ids)])
        return [row[0] for row in cursor.fetchall()]


_COMING = {"id": "uuid"} | {name: kind for name, kind in COMING_TYPES.items() if name != "coming"}
_SET_COMING = tuple(
    "UPDATE memories_memory m SET "
    + ", ".join(f"{name}{ending} = d.next_{name}" for name in DATED)
    + f" FROM {recordset(_COMING)} WHERE m.tenant_id = %s AND m.id = d.id"
    for ending in (OTHER, "")
)


def set_coming(dated: Sequence[tuple[UUID, Dates]]) -> None:
    """The coming dates of locked rows into the slot that does not count yet."""
    names = ("id", *(f"next_{name}" for name in DATED))
    cells = ([identifier, *(getattr(dates, n) for n in DATED)] for identifier, dates in dated)
    records = as_records(names, cells)
    with connection.cursor() as cursor:
        cursor.execute(_SET_COMING[tenant_settings().date_slot], [records, current_tenant_id()])


_CHANGED = (
    "SELECT (SELECT count(*) FROM memories_memory m WHERE m.tenant_id = %s "
    "AND (m.updated_at > %s OR m.deleted_at > %s)) + (SELECT count(*) FROM memories_tombstone t "
    "WHERE t.tenant_id = %s AND t.purged_at > %s)"
)


def count_changed(since: datetime) -> int:
    """Memories written, deleted or purged since."""
    tenant = current_tenant_id()
    with connection.cursor() as cursor:
        cursor.execute(_CHANGED, [tenant, since, since, tenant, since])
        return int(cursor.fetchone()[0])


_UNSETTLED = (
    f"SELECT {_WITHOUT_VALUE} FROM memories_memory m WHERE m.tenant_id = %s AND m.ruleset = %s "
    "AND ('notice' = ANY(m.flags) OR m.dates_moved_at = %s OR (m.trashed_at IS NOT NULL "
    "AND m.deleted_at IS NULL AND m.quarantined_at IS NULL "
    "AND (m.visible_until IS NULL OR m.visible_until > %s))) "
    "AND m.id > %s ORDER BY m.id LIMIT %s FOR UPDATE OF m SKIP LOCKED"
)


def lock_unsettled(
    ruleset: int, *, staged_at: datetime, at: datetime, after: UUID, limit: int
) -> list[StoredMemory]:
    """Rows whose staged dates depend on the very instant of the activation, or that it brings
    back out of the trash."""
    values: list[Any] = [current_tenant_id(), ruleset, staged_at, at, after, limit]
    with connection.cursor() as cursor:
        cursor.execute(in_slot(_UNSETTLED), values)
        return [StoredMemory.of(row) for row in cursor.fetchall()]


_TAKEN = (
    "SELECT m.namespace, m.key FROM unnest(%s::text[], %s::text[]) AS k (namespace, key) "
    "JOIN memories_memory m ON m.namespace = k.namespace AND m.key = k.key "
    "WHERE m.tenant_id = %s AND m.trashed_at IS NULL"
)


def taken_keys(rows: Sequence[StoredMemory]) -> set[tuple[str, str]]:
    """Keys of these rows that a row outside the trash has."""
    namespaces, keys = [row.namespace for row in rows], [row.key for row in rows]
    with connection.cursor() as cursor:
        cursor.execute(_TAKEN, [namespaces, keys, current_tenant_id()])
        return {(row[0], row[1]) for row in cursor.fetchall()}


PAUSE_SECONDS = 0.02


def pause() -> None:
    """A moment in the database, when all that is left to do is locked by others."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(%s)", [PAUSE_SECONDS])
