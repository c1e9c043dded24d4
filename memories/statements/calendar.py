"""Counting the calendar of forgetting: chunks of rows by id, added up by day and rule."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection

from memories.statements.slots import in_slot
from tenants.context import current_tenant_id

_LAST = (
    "SELECT m.id FROM memories_memory m WHERE m.tenant_id = %s AND m.id > %s "
    "ORDER BY m.id OFFSET %s LIMIT 1"
)
_ADD = (
    "INSERT INTO memories_calendarday AS c (tenant_id, id, job_id, day, rule, leaves, destroyed) "
    "SELECT %s, uuidv7(), %s, s.day, s.rule, s.leaves, s.destroyed FROM ("
    "SELECT (x.at AT TIME ZONE %s)::date AS day, coalesce(m.rule, '') AS rule, "
    "sum(x.leaves) AS leaves, sum(x.destroyed) AS destroyed FROM memories_memory m "
    "CROSS JOIN LATERAL (VALUES (CASE WHEN m.trashed_at IS NULL THEN m.visible_until END, 1, 0), "
    "(m.purge_at, 0, 1)) AS x (at, leaves, destroyed) "
    "WHERE m.tenant_id = %s AND m.id > %s AND (%s::uuid IS NULL OR m.id <= %s) "
    "AND x.at >= %s AND x.at < %s GROUP BY 1, 2) AS s "
    "ON CONFLICT (tenant_id, job_id, day, rule) DO UPDATE SET "
    "leaves = c.leaves + excluded.leaves, destroyed = c.destroyed + excluded.destroyed"
)
_DROP = "DELETE FROM memories_calendarday c WHERE c.tenant_id = %s AND c.job_id <> %s"
_MONTHS = (
    "SELECT to_char(c.day, 'YYYY-MM'), c.rule, sum(c.leaves), sum(c.destroyed) "
    "FROM memories_calendarday c WHERE c.tenant_id = %s AND c.job_id = %s GROUP BY 1, 2"
)


@dataclass(frozen=True, slots=True)
class Span:
    """What is counted: instants from `since` to `until` (not included), by days of a zone."""

    since: datetime
    until: datetime
    zone: str


def add_chunk(job: UUID, after: UUID, span: Span, *, limit: int) -> UUID | None:
    """Count the next rows; the id of the last of them, None when there are no more behind."""
    tenant = current_tenant_id()
    with connection.cursor() as cursor:
        cursor.execute(_LAST, [tenant, after, limit - 1])
        row = cursor.fetchone()
        last: UUID | None = None if row is None else row[0]
        cursor.execute(
            in_slot(_ADD),
            [tenant, job, span.zone, tenant, after, last, last, span.since, span.until],
        )
    return last


def drop_other_counts(job: UUID) -> None:
    """The counts of other jobs."""
    with connection.cursor() as cursor:
        cursor.execute(_DROP, [current_tenant_id(), job])


def months_of(job: UUID) -> list[tuple[str, str, int, int]]:
    """(month, rule or "", leave use, are destroyed)."""
    with connection.cursor() as cursor:
        cursor.execute(_MONTHS, [current_tenant_id(), job])
        return [(row[0], row[1], int(row[2]), int(row[3])) for row in cursor.fetchall()]
