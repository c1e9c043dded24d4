"""Rows that changed without an event: one look at each change of a span."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from tenants.context import current_tenant_id

# A change and its event are of one transaction and so of one instant. What was taken in with its
# own dates (memory.import) is younger than its last change, and has its event at the import.
_CHANGES = (
    "SELECT 'memory' AS what, m.id AS memory, m.updated_at AS at, NULL::uuid AS event "
    "FROM memories_memory m WHERE m.tenant_id = %(tenant)s "
    "AND m.updated_at >= %(since)s AND m.updated_at < %(until)s "
    "AND m.updated_at >= uuid_extract_timestamp(m.id) - interval '1 second' "
    "UNION ALL SELECT 'version', v.memory_id, v.replaced_at, v.event_id "
    "FROM memories_memoryversion v WHERE v.tenant_id = %(tenant)s "
    "AND v.replaced_at >= %(since)s AND v.replaced_at < %(until)s "
    "UNION ALL SELECT 'tombstone', t.id, t.purged_at, t.event_id "
    "FROM memories_tombstone t WHERE t.tenant_id = %(tenant)s "
    "AND t.purged_at >= %(since)s AND t.purged_at < %(until)s"
)
_COUNT = f"SELECT count(*) FROM ({_CHANGES}) AS c"
_ORPHANS = (
    f"SELECT c.what, c.memory, c.at FROM ({_CHANGES}) AS c WHERE NOT EXISTS ("
    "SELECT FROM audit_event e WHERE e.tenant_id = %(tenant)s AND e.at = c.at "
    "AND (c.event IS NULL OR e.id = c.event)) ORDER BY c.at LIMIT %(most)s"
)


class Orphan(NamedTuple):
    """A changed row: `memory`, `version` or `tombstone`, of which memory, and when."""

    what: str
    memory_id: UUID
    at: datetime


def count_changes(since: datetime, until: datetime) -> int:
    """How many rows of the acting tenant changed in the span."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, {"tenant": current_tenant_id(), "since": since, "until": until})
        row: tuple[int] = cursor.fetchone()
    return row[0]


def find_orphans(since: datetime, until: datetime, *, most: int) -> list[Orphan]:
    """Those of them without their event, `most` at the most."""
    values: dict[str, Any] = {
        "tenant": current_tenant_id(), "since": since, "until": until, "most": most,
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_ORPHANS, values)
        return [Orphan(*row) for row in cursor.fetchall()]
