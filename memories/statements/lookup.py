"""Finding rows by key or id: plain, locked for a write, and with the read recorded in one go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import connection

from audit.querysets import COLUMNS as EVENT_COLUMNS
from audit.querysets import PLACEHOLDERS as EVENT_PLACEHOLDERS
from audit.recording import Draft
from memories.namespaces import prefix_bounds
from memories.rows import StoredMemory, columns
from tenants.context import current_tenant_id

_MEMORY = columns("m")

_LOCK_KEYS = (
    f"SELECT {_MEMORY} FROM memories_memory m "
    "WHERE m.tenant_id = %s AND m.trashed_at IS NULL AND {keys} "
    "ORDER BY m.namespace, m.key FOR UPDATE"
)


def lock_by_keys(keys: Sequence[tuple[str, str]]) -> dict[tuple[str, str], StoredMemory]:
    """The rows not in the trash under these (namespace, key) pairs, locked in one order."""
    pairs = ", ".join(["(%s, %s)"] * len(keys))
    condition = "(m.namespace, m.key) IN (" + pairs + ")"
    params: list[Any] = [current_tenant_id()]
    for namespace, key in keys:
        params += [namespace, key]
    with connection.cursor() as cursor:
        cursor.execute(_LOCK_KEYS.format(keys=condition), params)
        rows = [StoredMemory.of(row) for row in cursor.fetchall()]
    return {(row.namespace, row.key): row for row in rows}


_BY_IDS = f"SELECT {_MEMORY} FROM memories_memory m WHERE m.tenant_id = %s AND m.id = ANY(%s)"


def find_by_ids(ids: Sequence[UUID]) -> dict[UUID, StoredMemory]:
    """The rows with these ids, in whatever state."""
    with connection.cursor() as cursor:
        cursor.execute(_BY_IDS, [current_tenant_id(), list(ids)])
        rows = [StoredMemory.of(row) for row in cursor.fetchall()]
    return {row.id: row for row in rows}


def lock_by_id(identifier: UUID) -> StoredMemory | None:
    """The row with this id, locked."""
    with connection.cursor() as cursor:
        cursor.execute(_BY_IDS + " FOR UPDATE", [current_tenant_id(), [identifier]])
        row = cursor.fetchone()
    return None if row is None else StoredMemory.of(row)


TOUCH_EVERY = timedelta(seconds=1)

_SET_TOUCHED = (
    "SET accessed_at = {at}, access_count = {t}.access_count + 1, "
    "ttl_expires_at = CASE WHEN {refresh} AND {t}.ttl IS NOT NULL AND NOT {t}.ruled "
    "THEN {at} + {t}.ttl ELSE {t}.ttl_expires_at END, "
    "visible_until = CASE WHEN {refresh} AND {t}.ttl IS NOT NULL AND NOT {t}.ruled "
    "THEN {at} + {t}.ttl ELSE {t}.visible_until END, "
    "purge_at = CASE WHEN {refresh} AND {t}.ttl IS NOT NULL AND NOT {t}.ruled "
    "THEN {at} + {t}.ttl + least({trash}, {at} + {t}.ttl - {t}.created_at) "
    "ELSE {t}.purge_at END"
)
"""An agent's read: counts the access and restarts the TTL. As the engine would, for a memory that
no rule speaks about (`ruled` false): expiry plus the trash, never longer than the memory lived."""

_STILL_VISIBLE = (
    "{t}.trashed_at IS NULL AND ({t}.visible_until IS NULL OR {t}.visible_until > %(at)s)"
)
"""Asked of the row again as it is locked: a delete that committed meanwhile must not be undone in
part by a read that restarts the TTL."""

_READ_ONE = (
    f"WITH hit AS (SELECT {_MEMORY} FROM memories_memory m "
    "WHERE m.tenant_id = %(tenant)s AND m.namespace = %(namespace)s AND m.key = %(key)s "
    "AND m.trashed_at IS NULL AND (m.visible_until IS NULL OR m.visible_until > %(at)s)), "
    "touched AS (UPDATE memories_memory t "
    + _SET_TOUCHED.format(at="%(at)s", t="t", refresh="%(refresh)s", trash="%(trash)s")
    + " FROM hit WHERE %(counted)s AND t.tenant_id = %(tenant)s AND t.id = hit.id "
    "AND (hit.accessed_at IS NULL OR hit.accessed_at <= %(at)s - %(every)s) "
    "RETURNING t.accessed_at, t.access_count, t.ttl_expires_at, t.visible_until, t.purge_at), "
    f"logged AS (INSERT INTO audit_event ({', '.join(EVENT_COLUMNS)}) "
    "SELECT {event} FROM hit) "
    "SELECT hit.*, touched.* FROM hit LEFT JOIN touched ON true"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """How a read touches what it returns: whether it counts as access, and restarts TTLs."""

    at: datetime
    counted: bool
    refresh: bool
    trash: timedelta


def _reading_params(reading: Reading) -> dict[str, Any]:
    return {
        "tenant": current_tenant_id(), "at": reading.at, "refresh": reading.refresh,
        "counted": reading.counted, "trash": reading.trash, "every": TOUCH_EVERY,
    }  # fmt: skip


ID_SLOT = f"@{uuid4().hex}@"
"""Stands in a drafted event for the id that only the statement finds. Not to be guessed: a
namespace may hold any text, and must not be taken for it."""


def _event_slots(event: Draft) -> tuple[str, dict[str, Any]]:
    """Placeholders and parameters of an event; ID_SLOT in it is the id of the row `hit`."""
    slots, values = EVENT_PLACEHOLDERS, {}
    for number, value in enumerate(event.row):
        values[f"e{number}"] = value
        slot = f"%(e{number})s"
        if isinstance(value, str) and ID_SLOT in value:
            slot = f"replace({slot}, '{ID_SLOT}', hit.id::text)"
        slots = slots.replace("%s", slot, 1)
    return slots, values


def read_one(
    namespace: str, key: str, reading: Reading, event: Draft
) -> tuple[StoredMemory, tuple[Any, ...]] | None:
    """One visible memory with its access counted and its read recorded, in one statement.

    `event` is drafted with ID_SLOT where the memory's id belongs. The second part of the answer
    holds accessed_at, access_count, ttl_expires_at, visible_until and purge_at as touched, or
    Nones when it was not (a person reads, or it was touched within the last second).
    """
    slots, values = _event_slots(event)
    params = {**_reading_params(reading), "namespace": namespace, "key": key, **values}
    with connection.cursor() as cursor:
        cursor.execute(_READ_ONE.format(event=slots), params)
        row = cursor.fetchone()
    return None if row is None else (StoredMemory.of(row), row[-5:])


_LOCK_BELOW = (
    f"SELECT {_MEMORY} FROM memories_memory m "
    "WHERE m.tenant_id = %s AND m.trashed_at IS NULL "
    "AND (m.visible_until IS NULL OR m.visible_until > %s) AND {below} "
    "AND m.id > %s ORDER BY m.id LIMIT %s FOR UPDATE"
)


def lock_visible_below(
    prefixes: Sequence[str], *, at: datetime, after: UUID | None, limit: int
) -> list[StoredMemory]:
    """Visible rows below any of the prefixes, by id from `after` on, locked."""
    below, params = below_any(prefixes)
    with connection.cursor() as cursor:
        cursor.execute(
            _LOCK_BELOW.format(below=below),
            [current_tenant_id(), at, *params, after or UUID(int=0), limit],
        )
        return [StoredMemory.of(row) for row in cursor.fetchall()]


def below_any(prefixes: Sequence[str], column: str = "m.namespace") -> tuple[str, list[Any]]:
    """A condition for rows below any of the stored prefixes: ranges, which an index can serve."""
    parts, params = [], []
    for prefix in prefixes:
        low, high = prefix_bounds(prefix)
        if high is None:
            parts.append("true" if not prefix else f"{column} >= %s")
            params += [low] if prefix else []
        else:
            parts.append(f"({column} >= %s AND {column} < %s)")
            params += [low, high]
    return "(" + (" OR ".join(parts) or "false") + ")", params


_PAGE = (
    "WITH touched AS (UPDATE memories_memory t "
    + _SET_TOUCHED.format(at="%(at)s", t="t", refresh="%(refresh)s", trash="%(trash)s")
    + " WHERE %(counted)s AND t.tenant_id = %(tenant)s AND t.id = ANY(%(ids)s) "
    f"AND {_STILL_VISIBLE.format(t='t')} "
    "AND (t.accessed_at IS NULL OR t.accessed_at <= %(at)s - %(every)s) "
    "RETURNING t.id, t.accessed_at, t.access_count, t.ttl_expires_at, t.visible_until, "
    f"t.purge_at), logged AS (INSERT INTO audit_event ({', '.join(EVENT_COLUMNS)}) "
    "VALUES ({event})) "
    f"SELECT {_MEMORY}, touched.accessed_at, touched.access_count, touched.ttl_expires_at, "
    "touched.visible_until, touched.purge_at "
    "FROM memories_memory m LEFT JOIN touched ON touched.id = m.id "
    "WHERE m.tenant_id = %(tenant)s AND m.id = ANY(%(ids)s) "
    f"AND {_STILL_VISIBLE.format(t='m')}"
)


def read_page(
    ids: Sequence[UUID], reading: Reading, event: Draft
) -> dict[UUID, tuple[StoredMemory, tuple[Any, ...]]]:
    """These memories, with their access counted and the event recorded, in one statement.

    One that went out of use since it was found is left out.
    """
    params = {**_reading_params(reading), "ids": list(ids)}
    slots, values = _event_slots(event)
    with connection.cursor() as cursor:
        cursor.execute(_PAGE.format(event=slots), {**params, **values})
        rows = cursor.fetchall()
    return {row[0]: (StoredMemory.of(row), row[-5:]) for row in rows}
