"""Scans for personal data: what waits, what other detectors looked at, and how soon it was done."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection

from memories.rows import StoredMemory, columns
from memories.statements.lookup import below_any
from memories.statements.slots import in_slot
from tenants.context import current_tenant_id

_MEMORY = columns("m")

_MARK = (
    "UPDATE memories_memory m SET scanned_at = NULL, scan_due_at = %s FROM ("
    "SELECT c.id FROM memories_memory c WHERE c.tenant_id = %s AND c.detector <> %s "
    "AND c.quarantined_at IS NULL "
    "AND (c.scanned_at IS NOT NULL OR c.scan_due_at IS NULL) "
    "LIMIT %s FOR UPDATE SKIP LOCKED) d WHERE m.tenant_id = %s AND m.id = d.id"
)


def mark_outdated(detector: str, *, due: datetime, limit: int) -> int:
    """Queue what other detectors or rules looked at; reads mask it from now on. How many."""
    tenant = current_tenant_id()
    with connection.cursor() as cursor:
        cursor.execute(_MARK, [due, tenant, detector, limit, tenant])
        return int(cursor.rowcount)


_WAITING = (
    f"SELECT {_MEMORY} FROM memories_memory m WHERE m.tenant_id = %s AND m.scanned_at IS NULL "
    "AND m.scan_due_at IS NOT NULL AND m.quarantined_at IS NULL "
    "ORDER BY m.scan_due_at, m.id LIMIT %s FOR UPDATE SKIP LOCKED"
)


def lock_waiting(*, limit: int) -> list[StoredMemory]:
    """What waits for its scan, the most urgent first, locked; what others hold is left out."""
    with connection.cursor() as cursor:
        cursor.execute(in_slot(_WAITING), [current_tenant_id(), limit])
        return [StoredMemory.of(row) for row in cursor.fetchall()]


_VERSIONS = (
    "SELECT v.id, v.memory_id, v.version, v.value::text FROM memories_memoryversion v "
    "WHERE v.tenant_id = %s AND v.memory_id = ANY(%s) ORDER BY v.memory_id, v.version FOR UPDATE"
)


def versions_of(memories: Sequence[UUID]) -> list[tuple[UUID, UUID, int, str]]:
    """(id, memory, version, value as JSON text) of all kept versions of these memories."""
    with connection.cursor() as cursor:
        cursor.execute(_VERSIONS, [current_tenant_id(), list(memories)])
        return [(row[0], row[1], row[2], row[3]) for row in cursor.fetchall()]


_REWRITE_VERSION = (
    "UPDATE memories_memoryversion v SET value = %s::jsonb, content_hash = %s "
    "WHERE v.tenant_id = %s AND v.id = %s"
)


def rewrite_version(identifier: UUID, text: str, content_hash: bytes) -> None:
    """Another value for a kept version."""
    with connection.cursor() as cursor:
        cursor.execute(_REWRITE_VERSION, [text, content_hash, current_tenant_id(), identifier])


_DONE = (
    "UPDATE memories_memory m SET scanned_at = %s, detector = %s "
    "WHERE m.tenant_id = %s AND m.id = ANY(%s)"
)


def mark_scanned(memories: Sequence[UUID], detector: str, *, at: datetime) -> None:
    """These were looked at; their due date stays, so that the time taken can be told."""
    with connection.cursor() as cursor:
        cursor.execute(_DONE, [at, detector, current_tenant_id(), list(memories)])


_KEPT = (
    "UPDATE memories_memory m SET original_kept_at = %s, acts_at = %s, acts_at_b = %s "
    "WHERE m.tenant_id = %s AND m.id = ANY(%s)"
)


def mark_kept(memories: Sequence[UUID], *, at: datetime) -> None:
    """Originals of these stay sealed; the next sweep looks when they may go."""
    if memories:
        with connection.cursor() as cursor:
            cursor.execute(_KEPT, [at, at, at, current_tenant_id(), list(memories)])


_OVERDUE = (
    "UPDATE memories_memory m SET quarantined_at = %s, trashed_at = coalesce(m.trashed_at, %s) "
    "FROM (SELECT c.id FROM memories_memory c WHERE c.tenant_id = %s AND c.scanned_at IS NULL "
    "AND c.scan_due_at <= %s AND c.quarantined_at IS NULL LIMIT %s FOR UPDATE SKIP LOCKED) d "
    "WHERE m.tenant_id = %s AND m.id = d.id RETURNING m.id"
)


def quarantine_overdue(*, at: datetime, limit: int) -> list[UUID]:
    """Take out of use what was not looked at in time; the ids."""
    tenant = current_tenant_id()
    with connection.cursor() as cursor:
        cursor.execute(_OVERDUE, [at, at, tenant, at, limit, tenant])
        return [row[0] for row in cursor.fetchall()]


_SEALED = "SELECT m.sealed FROM memories_memory m WHERE m.tenant_id = %s AND m.id = %s"


def sealed_of(identifier: UUID) -> bytes | None:
    """The sealed original of a quarantined memory."""
    with connection.cursor() as cursor:
        cursor.execute(_SEALED, [current_tenant_id(), identifier])
        row = cursor.fetchone()
    return None if row is None or row[0] is None else bytes(row[0])


_CLOCK = (
    "SELECT count(*) FILTER (WHERE t.late <= %(within)s), count(*), "
    "coalesce(percentile_cont(0.95) WITHIN GROUP (ORDER BY extract(epoch FROM t.late)), 0), "
    "coalesce(max(extract(epoch FROM t.late)), 0), "
    "count(*) FILTER (WHERE NOT t.done AND t.late > %(within)s) FROM ("
    "SELECT m.scanned_at IS NOT NULL AS done, "
    "coalesce(m.scanned_at, %(at)s) - m.scan_due_at + %(within)s AS late "
    "FROM memories_memory m WHERE m.tenant_id = %(tenant)s AND m.scan_due_at IS NOT NULL "
    "AND (m.scanned_at IS NOT NULL OR m.scan_due_at <= %(at)s)) t"
)


def clock(*, at: datetime, within: timedelta) -> tuple[int, int, float, float, int]:
    """(in time, all that are done or overdue, p95 and worst in seconds, overdue)."""
    with connection.cursor() as cursor:
        values: dict[str, Any] = {"tenant": current_tenant_id(), "at": at, "within": within}
        cursor.execute(_CLOCK, values)
        row = cursor.fetchone()
    return row[0], row[1], float(row[2]), float(row[3]), row[4]


_FOUND = (
    "SELECT f.entity, f.action, count(DISTINCT f.memory_id), sum(f.count) "
    "FROM privacy_piifinding f JOIN memories_memory m "
    "ON m.tenant_id = f.tenant_id AND m.id = f.memory_id AND m.version = f.version "
    "WHERE f.tenant_id = %s AND {below} GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2"
)


def count_found(prefixes: Sequence[str]) -> list[tuple[str, str, int, int]]:
    """(entity, action, memories, places) of what current values hold below these prefixes."""
    below, params = below_any(prefixes)
    with connection.cursor() as cursor:
        cursor.execute(_FOUND.format(below=below), [current_tenant_id(), *params])
        return [(row[0], row[1], row[2], int(row[3])) for row in cursor.fetchall()]
