"""Rows that existed at an instant, and the version of each that was current then."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from memories.rows import StoredMemory, columns
from memories.statements.lookup import below_any
from memories.statements.slots import in_slot
from tenants.context import current_tenant_id

_EXISTING = (
    f"SELECT {columns('m')} FROM memories_memory m "
    "WHERE m.tenant_id = %s AND m.created_at <= %s AND m.id > %s AND {below} "
    "ORDER BY m.id LIMIT %s"
)


def list_existing(
    prefixes: Sequence[str], *, at: datetime, after: UUID, limit: int
) -> list[StoredMemory]:
    """Rows made at or before the instant, in whatever state they are now, by id."""
    below, params = below_any(prefixes)
    with connection.cursor() as cursor:
        cursor.execute(
            in_slot(_EXISTING).format(below=below),
            [current_tenant_id(), at, after, *params, limit],
        )
        return [StoredMemory.of(row) for row in cursor.fetchall()]


_VERSIONS = (
    "SELECT v.memory_id, v.version, v.written_at FROM memories_memoryversion v "
    "WHERE v.tenant_id = %s AND v.memory_id = ANY(%s) AND v.written_at <= %s AND v.replaced_at > %s"
)


def versions_at(ids: Sequence[UUID], at: datetime) -> dict[UUID, tuple[int, datetime]]:
    """(version, when it was written) of those whose value of then has been replaced since."""
    with connection.cursor() as cursor:
        cursor.execute(_VERSIONS, [current_tenant_id(), list(ids), at, at])
        return {row[0]: (row[1], row[2]) for row in cursor.fetchall()}


class Gone(NamedTuple):
    """A memory destroyed since, as its tombstone has it."""

    id: UUID
    namespace: str
    kind: str


_GONE = (
    "SELECT t.id, t.namespace, t.kind FROM memories_tombstone t WHERE t.tenant_id = %s "
    "AND t.purged_at > %s AND t.created_at <= %s "
    "AND (t.visible_until IS NULL OR t.visible_until > %s) AND t.id > %s AND {below} "
    "ORDER BY t.id LIMIT %s"
)


def list_gone(prefixes: Sequence[str], *, at: datetime, after: UUID, limit: int) -> list[Gone]:
    """What was in use at the instant and has been destroyed since."""
    below, params = below_any(prefixes, column="t.namespace")
    values: list[Any] = [current_tenant_id(), at, at, at, after, *params, limit]
    with connection.cursor() as cursor:
        cursor.execute(_GONE.format(below=below), values)
        return [Gone(*row) for row in cursor.fetchall()]
