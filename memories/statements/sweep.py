"""The sweep's statements: due rows locked in chunks, trashed, purged with a tombstone.

Each scan follows a partial index on the date it looks for, the longest due first, and begins where
the last chunk ended (`since`), so that index entries of rows just dealt with are not passed again.
Rows come without what decides nothing (value and source).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import UUID

from django.db import connection

from memories.rows import NAMES, StoredMemory, columns
from memories.statements.lookup import below_any
from memories.statements.slots import in_slot
from privacy.querysets import drop_unused, tokens_of
from tenants.context import current_tenant_id

_MEMORY = columns("m")
_LEFT_OUT = {"value": "'null'", "source": "NULL"}
_DECIDING = ", ".join(_LEFT_OUT.get(name, f"m.{name}") for name in NAMES)
BEGINNING = datetime.min.replace(tzinfo=UTC)

DueBy = Literal["purge_at", "acts_at", "due_at"]
"""Purge dates; what else a sweep does; destructions that something suspends."""


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


_LOCK: dict[DueBy, str] = {
    date: (
        f"SELECT {_DECIDING} FROM memories_memory m "
        f"WHERE m.tenant_id = %s AND m.{date} >= %s AND m.{date} <= %s AND {{area}} "
        f"ORDER BY m.{date} LIMIT %s FOR UPDATE SKIP LOCKED"
    )
    for date in ("purge_at", "acts_at", "due_at")
}


def lock_due(
    date: DueBy, area: Area, *, at: datetime, limit: int, since: datetime = BEGINNING
) -> list[StoredMemory]:
    """Rows whose date has come, locked, without values; the longest due first."""
    condition, params = _within(area)
    with connection.cursor() as cursor:
        cursor.execute(
            in_slot(_LOCK[date]).format(area=condition),
            [current_tenant_id(), since, at, *params, limit],
        )
        return [StoredMemory.of(row) for row in cursor.fetchall()]


def lock_suspended(area: Area, *, at: datetime, limit: int) -> list[StoredMemory]:
    """Rows that would be due if nothing suspended that, and were not looked at since."""
    return lock_due("due_at", area, at=at, limit=limit)


_HIDE = (
    "WITH due AS MATERIALIZED (SELECT m.id, m.visible_until AS until, m.review_at AS review "
    "FROM memories_memory m WHERE m.tenant_id = %s AND m.trashed_at IS NULL "
    "AND m.visible_until >= %s AND m.visible_until <= %s AND {area} "
    "ORDER BY m.visible_until LIMIT %s FOR UPDATE SKIP LOCKED) "
    "UPDATE memories_memory t SET trashed_at = %s FROM due WHERE t.tenant_id = %s "
    "AND t.id = due.id RETURNING due.id, due.until, due.review IS NOT NULL"
)


def hide_expired(
    area: Area, *, at: datetime, limit: int, since: datetime = BEGINNING
) -> list[tuple[UUID, datetime, bool]]:
    """Put what is out of use into the trash: (id, since when it is, whether a review follows)."""
    condition, params = _within(area)
    tenant = current_tenant_id()
    with connection.cursor() as cursor:
        cursor.execute(
            in_slot(_HIDE).format(area=condition), [tenant, since, at, *params, limit, at, tenant]
        )
        return [(row[0], row[1], row[2]) for row in cursor.fetchall()]


_OLDEST = (
    "SELECT (SELECT m.visible_until FROM memories_memory m WHERE m.tenant_id = %s "
    "AND m.trashed_at IS NULL AND m.visible_until <= %s AND {hides} "
    "ORDER BY m.visible_until LIMIT 1)"
)
_OLDEST_BY = (
    "SELECT m.{date} FROM memories_memory m WHERE m.tenant_id = %s AND m.{date} <= %s AND {area} "
    "ORDER BY m.{date} LIMIT 1"
)


def oldest_expired(area: Area, *, at: datetime) -> datetime | None:
    """Since when the longest waiting row is out of use and not in the trash."""
    condition, params = _within(area)
    return _instant(_OLDEST.format(hides=condition), [current_tenant_id(), at, *params])


def oldest_due(date: DueBy, area: Area, *, at: datetime) -> datetime | None:
    """The longest overdue date of that kind; one row is read."""
    condition, params = _within(area)
    sql = _OLDEST_BY.format(date=date, area=condition)
    return _instant(sql, [current_tenant_id(), at, *params])


def _instant(sql: str, params: list[Any]) -> datetime | None:
    with connection.cursor() as cursor:
        cursor.execute(in_slot(sql), params)
        row = cursor.fetchone()
    return None if row is None else row[0]


_COUNT_EXPIRED = (
    "SELECT count(*), count(m.review_at) FROM memories_memory m WHERE m.tenant_id = %s "
    "AND m.trashed_at IS NULL AND m.visible_until <= %s AND {area}"
)


def count_expired(area: Area, *, at: datetime) -> tuple[int, int]:
    """(out of use and not in the trash, of these to be reviewed), for a rehearsal."""
    condition, params = _within(area)
    with connection.cursor() as cursor:
        cursor.execute(
            in_slot(_COUNT_EXPIRED).format(area=condition), [current_tenant_id(), at, *params]
        )
        hidden, to_review = cursor.fetchone()
    return hidden, to_review


_DUE_IDS = (
    "SELECT m.id FROM memories_memory m WHERE m.tenant_id = %s AND m.{date} <= %s AND {area} "
    "ORDER BY m.{date}"
)
_BY_IDS = f"SELECT {_DECIDING} FROM memories_memory m WHERE m.tenant_id = %s AND m.id = ANY(%s)"


def due_ids(date: DueBy, area: Area, *, at: datetime) -> list[UUID]:
    """Ids of all rows whose date has come, for a rehearsal."""
    condition, params = _within(area)
    sql = in_slot(_DUE_IDS.format(date=date, area=condition))
    with connection.cursor() as cursor:
        cursor.execute(sql, [current_tenant_id(), at, *params])
        return [row[0] for row in cursor.fetchall()]


def rows_by_ids(ids: Sequence[UUID]) -> list[StoredMemory]:
    """These rows, not locked, without values."""
    with connection.cursor() as cursor:
        cursor.execute(in_slot(_BY_IDS), [current_tenant_id(), list(ids)])
        return [StoredMemory.of(row) for row in cursor.fetchall()]


_PURGE = (
    "WITH doomed AS (SELECT * FROM unnest(%s::uuid[], %s::text[], %s::text[], %s::int[], "
    "%s::text[]) AS d (id, namespace, rule, ruleset, reason)), "
    "gone AS (DELETE FROM memories_memory m USING doomed d WHERE m.tenant_id = %s AND m.id = d.id "
    "RETURNING m.id, d.namespace, m.kind, m.classes, d.rule, d.ruleset, d.reason, m.created_at, "
    "m.visible_until AS visible_until), "
    "stones AS (INSERT INTO memories_tombstone (tenant_id, id, namespace, kind, classes, "
    "purged_at, rule, ruleset, reason, event_id, created_at, visible_until) "
    "SELECT %s, g.id, g.namespace, g.kind, g.classes, %s, g.rule, g.ruleset, g.reason, %s, "
    "g.created_at, g.visible_until FROM gone g ON CONFLICT (tenant_id, id) DO NOTHING) "
    "SELECT count(*) FROM gone"
)


def purge(rows: Sequence[tuple[StoredMemory, str]], *, at: datetime, event_id: UUID) -> int:
    """Destroy rows (versions, vectors, subjects, originals go with them); each leaves a tombstone.

    `rows` are (row, reason); the tombstone has the row's namespace, rule and rule set as given
    here. The number destroyed.
    """
    tenant = current_tenant_id()
    ids = [row.id for row, _ in rows]
    tokens = tokens_of(ids)
    values: list[Any] = [
        ids, [row.namespace for row, _ in rows], [row.rule for row, _ in rows],
        [row.ruleset for row, _ in rows], [reason for _, reason in rows],
        tenant, tenant, at, event_id,
    ]  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(in_slot(_PURGE), values)
        destroyed = int(cursor.fetchone()[0])
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
