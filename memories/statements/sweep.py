"""The sweep's statements: due rows locked in chunks, trashed, purged with a tombstone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from memories.rows import StoredMemory, columns
from memories.statements.lookup import below_any
from memories.statements.slots import in_slot
from memories.statements.together import Together, rows_of_values
from privacy.querysets import drop_unused, tokens_of
from tenants.context import current_tenant_id

_MEMORY = columns("m")


@dataclass(frozen=True, slots=True)
class Area:
    """Stored prefixes that a sweep covers, and deeper ones inside that others sweep (or nobody)."""

    covered: str
    excluded: tuple[str, ...] = ()


def _within(area: Area) -> tuple[str, list[Any]]:
    condition, params = below_any([area.covered])
    if area.excluded:
        inner, more = below_any(area.excluded)
        condition, params = f"{condition} AND NOT {inner}", params + more
    return condition, params


_EXPIRED = (
    f"SELECT {_MEMORY} FROM memories_memory m "
    "WHERE m.tenant_id = %s AND m.trashed_at IS NULL AND m.visible_until <= %s AND {area} "
    "ORDER BY m.visible_until LIMIT %s FOR UPDATE SKIP LOCKED"
)
_PURGEABLE = (
    f"SELECT {_MEMORY} FROM memories_memory m "
    "WHERE m.tenant_id = %s AND m.purge_at <= %s AND {area} "
    "ORDER BY m.purge_at LIMIT %s FOR UPDATE SKIP LOCKED"
)


_SUSPENDED = (
    f"SELECT {_MEMORY} FROM memories_memory m "
    "WHERE m.tenant_id = %s AND m.due_at <= %s AND {area} "
    "ORDER BY m.due_at LIMIT %s FOR UPDATE SKIP LOCKED"
)


def lock_expired(area: Area, *, at: datetime, limit: int) -> list[StoredMemory]:
    """Rows out of use that are not yet in the trash, the longest due first."""
    return _lock(_EXPIRED, area, at, limit)


def lock_purgeable(area: Area, *, at: datetime, limit: int) -> list[StoredMemory]:
    """Rows whose stored purge date has come, the longest due first."""
    return _lock(_PURGEABLE, area, at, limit)


def lock_suspended(area: Area, *, at: datetime, limit: int) -> list[StoredMemory]:
    """Rows that would be due if nothing suspended that, and were not looked at since."""
    return _lock(_SUSPENDED, area, at, limit)


def has_suspended(area: Area, *, at: datetime) -> bool:
    """Whether there is one of those."""
    condition, params = _within(area)
    sql = (
        "SELECT EXISTS (SELECT FROM memories_memory m "
        f"WHERE m.tenant_id = %s AND m.due_at <= %s AND {condition})"
    )
    with connection.cursor() as cursor:
        cursor.execute(in_slot(sql), [current_tenant_id(), at, *params])
        return bool(cursor.fetchone()[0])


def _lock(sql: str, area: Area, at: datetime, limit: int) -> list[StoredMemory]:
    condition, params = _within(area)
    with connection.cursor() as cursor:
        cursor.execute(
            in_slot(sql).format(area=condition), [current_tenant_id(), at, *params, limit]
        )
        return [StoredMemory.of(row) for row in cursor.fetchall()]


_COUNT_DUE = (
    "SELECT count(*) FILTER (WHERE m.trashed_at IS NULL AND m.visible_until <= %s), "
    "count(*) FILTER (WHERE m.purge_at <= %s), min(m.purge_at) FILTER (WHERE m.purge_at <= %s) "
    "FROM memories_memory m WHERE m.tenant_id = %s "
    "AND (m.visible_until <= %s OR m.purge_at <= %s) AND {area}"
)


def count_due(area: Area, *, at: datetime) -> tuple[int, int, datetime | None]:
    """(to hide, to purge, the longest overdue purge date) without locking anything."""
    condition, params = _within(area)
    with connection.cursor() as cursor:
        cursor.execute(
            in_slot(_COUNT_DUE).format(area=condition),
            [at, at, at, current_tenant_id(), at, at, *params],
        )
        hidden, purged, oldest = cursor.fetchone()
    return hidden, purged, oldest


_PURGE = "DELETE FROM memories_memory m WHERE m.tenant_id = %s AND m.id = ANY(%s) RETURNING 1"
_TOMBSTONES = (
    "INSERT INTO memories_tombstone (tenant_id, id, namespace, kind, classes, purged_at, rule, "
    "ruleset, reason, event_id) VALUES {rows} ON CONFLICT (tenant_id, id) DO NOTHING"
)
_TOMBSTONE = "(%s::uuid, %s::uuid, %s, %s, %s::text[], %s::timestamptz, %s::text, %s, %s, %s::uuid)"


def purge(rows: Sequence[tuple[StoredMemory, str]], *, at: datetime, event_id: UUID) -> int:
    """Destroy rows (versions, vectors, subjects, originals go with them); each leaves a tombstone.

    `rows` are (row, reason). The number destroyed.
    """
    tenant = current_tenant_id()
    tokens = tokens_of([row.id for row, _ in rows])
    together = Together()
    together.add_counted(_PURGE, [tenant, [row.id for row, _ in rows]])
    values = [
        [tenant, row.id, row.namespace, row.kind, row.classes, at, row.rule, row.ruleset, reason,
         event_id]
        for row, reason in rows
    ]  # fmt: skip
    text, params = rows_of_values(_TOMBSTONE, values)
    together.add(_TOMBSTONES.format(rows=text), params)
    destroyed = int(together.run()[0])
    drop_unused(tokens)
    return destroyed


_AFTER = f"SELECT {_MEMORY} FROM memories_memory m WHERE m.tenant_id = %s AND m.id > %s "


def list_rows_after(after: UUID | None, *, limit: int) -> list[StoredMemory]:
    """Rows in whatever state by id, from `after` on."""
    with connection.cursor() as cursor:
        cursor.execute(
            _AFTER + "ORDER BY m.id LIMIT %s", [current_tenant_id(), after or UUID(int=0), limit]
        )
        return [StoredMemory.of(row) for row in cursor.fetchall()]
