"""Finding rows by key or id: plain, locked for a write, and with the read recorded in one go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from uuid import UUID, uuid4

from django.db import connection

from audit.querysets import COLUMNS as EVENT_COLUMNS
from audit.recording import Draft
from memories.namespaces import prefix_bounds
from memories.rows import NAMES, TOUCHED, WIDTH, StoredMemory, columns
from memories.statements.drafts import Marks, placeholders_of, values_of
from memories.statements.slots import in_slot
from tenants.context import current_tenant_id

_MEMORY = columns("m")

_WITHOUT_VALUE = ", ".join("'null'" if name == "value" else f"m.{name}" for name in NAMES)
_LOCK_KEYS = (
    f"SELECT {_WITHOUT_VALUE} FROM unnest(%s::text[], %s::text[]) AS k (namespace, key) "
    "JOIN memories_memory m ON m.namespace = k.namespace AND m.key = k.key "
    "WHERE m.tenant_id = %s AND m.trashed_at IS NULL "
    "ORDER BY m.namespace, m.key FOR UPDATE OF m"
)


def lock_by_keys(keys: Sequence[tuple[str, str]]) -> dict[tuple[str, str], StoredMemory]:
    """The rows not in the trash under these (namespace, key) pairs, locked in one order.

    Without their values (`null`): nobody who locks needs them, and a thousand could be a gigabyte.
    """
    namespaces, names = [key[0] for key in keys], [key[1] for key in keys]
    with connection.cursor() as cursor:
        cursor.execute(in_slot(_LOCK_KEYS), [namespaces, names, current_tenant_id()])
        rows = [StoredMemory.of(row) for row in cursor.fetchall()]
    return {(row.namespace, row.key): row for row in rows}


_THERE = (
    "SELECT m.namespace, m.key FROM unnest(%s::text[], %s::text[]) AS k (namespace, key) "
    "JOIN memories_memory m ON m.namespace = k.namespace AND m.key = k.key "
    "WHERE m.tenant_id = %s AND m.trashed_at IS NULL ORDER BY m.namespace, m.key"
)


def find_keys(keys: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Those of the keys that rows not in the trash are under, waiting for nobody."""
    namespaces, names = [key[0] for key in keys], [key[1] for key in keys]
    with connection.cursor() as cursor:
        cursor.execute(_THERE, [namespaces, names, current_tenant_id()])
        return [(row[0], row[1]) for row in cursor.fetchall()]


_SIZES = (
    "SELECT m.namespace, m.key, m.id, octet_length(m.value::text) "
    "FROM unnest(%s::text[], %s::text[]) AS k (namespace, key) "
    "JOIN memories_memory m ON m.namespace = k.namespace AND m.key = k.key "
    "WHERE m.tenant_id = %s AND m.trashed_at IS NULL "
    "AND (m.visible_until IS NULL OR m.visible_until > %s)"
)


def find_visible(
    keys: Sequence[tuple[str, str]], *, at: datetime
) -> dict[tuple[str, str], tuple[UUID, int]]:
    """Id and bytes of the value of what is visible under these keys."""
    namespaces, names = [key[0] for key in keys], [key[1] for key in keys]
    with connection.cursor() as cursor:
        cursor.execute(in_slot(_SIZES), [namespaces, names, current_tenant_id(), at])
        return {(row[0], row[1]): (row[2], row[3]) for row in cursor.fetchall()}


_WRITTEN = (
    "SELECT m.namespace, m.key, m.updated_at FROM unnest(%s::text[], %s::text[]) "
    "AS k (namespace, key) "
    "JOIN memories_memory m ON m.namespace = k.namespace AND m.key = k.key "
    "WHERE m.tenant_id = %s AND m.trashed_at IS NULL "
    "AND (m.visible_until IS NULL OR m.visible_until > %s)"
)


def find_written(
    keys: Sequence[tuple[str, str]], *, at: datetime
) -> dict[tuple[str, str], datetime]:
    """When what is visible under these keys was last written."""
    namespaces, names = [key[0] for key in keys], [key[1] for key in keys]
    with connection.cursor() as cursor:
        cursor.execute(_WRITTEN, [namespaces, names, current_tenant_id(), at])
        return {(row[0], row[1]): row[2] for row in cursor.fetchall()}


_BYTES = (
    "SELECT coalesce(sum(octet_length(m.value::text)), 0) FROM memories_memory m "
    "WHERE m.tenant_id = %s AND m.id = ANY(%s)"
)


def count_bytes(ids: Sequence[UUID]) -> int:
    """Bytes of the values of these memories, as JSON text."""
    with connection.cursor() as cursor:
        cursor.execute(_BYTES, [current_tenant_id(), list(ids)])
        return int(cursor.fetchone()[0])


_BY_IDS = f"SELECT {_MEMORY} FROM memories_memory m WHERE m.tenant_id = %s AND m.id = ANY(%s)"


def find_by_ids(ids: Sequence[UUID]) -> dict[UUID, StoredMemory]:
    """The rows with these ids, in whatever state."""
    with connection.cursor() as cursor:
        cursor.execute(in_slot(_BY_IDS), [current_tenant_id(), list(ids)])
        rows = [StoredMemory.of(row) for row in cursor.fetchall()]
    return {row.id: row for row in rows}


def lock_by_id(identifier: UUID) -> StoredMemory | None:
    """The row with this id, locked."""
    with connection.cursor() as cursor:
        cursor.execute(in_slot(_BY_IDS) + " FOR UPDATE", [current_tenant_id(), [identifier]])
        row = cursor.fetchone()
    return None if row is None else StoredMemory.of(row)


TOUCH_EVERY = timedelta(seconds=1)

_SETTOUCHED = (
    "SET accessed_at = {at}, access_count = {t}.access_count + 1, "
    "ttl_expires_at = CASE WHEN {refresh} AND {t}.ttl IS NOT NULL "
    "AND NOT {t}.ruled AND NOT %(staging)s "
    "THEN {at} + {t}.ttl ELSE {t}.ttl_expires_at END, "
    "visible_until = CASE WHEN {refresh} AND {t}.ttl IS NOT NULL "
    "AND NOT {t}.ruled AND NOT %(staging)s "
    "THEN {at} + {t}.ttl ELSE {t}.visible_until END, "
    "purge_at = CASE WHEN {refresh} AND {t}.ttl IS NOT NULL "
    "AND NOT {t}.ruled AND NOT %(staging)s "
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

TOUCH = (
    "locked AS (SELECT l.id FROM memories_memory l WHERE %(counted)s "
    "AND l.tenant_id = %(tenant)s AND {ids} AND "
    + _STILL_VISIBLE.format(t="l")
    + " AND (l.accessed_at IS NULL OR l.accessed_at <= %(at)s - %(every)s) "
    "FOR UPDATE SKIP LOCKED), touched AS (UPDATE memories_memory t "
    + _SETTOUCHED.format(at="%(at)s", t="t", refresh="%(refresh)s", trash="%(trash)s")
    + " FROM locked WHERE t.tenant_id = %(tenant)s AND t.id = locked.id "
    "RETURNING t.id, " + ", ".join(f"t.{name} AS {name}" for name in TOUCHED) + ")"
)
"""A row that somebody holds is not waited for: a read never stands behind a long batch, and never
in a circle with it. Who holds it writes it, or touches it in this very second."""

_AS_TOUCHED = ", ".join(f"touched.{name}" for name in TOUCHED)
_READ_ONE = (
    f"WITH hit AS (SELECT {_MEMORY} FROM memories_memory m "
    "WHERE m.tenant_id = %(tenant)s AND m.namespace = %(namespace)s AND m.key = %(key)s "
    "AND m.trashed_at IS NULL AND (m.visible_until IS NULL OR m.visible_until > %(at)s)), "
    + TOUCH.format(ids="l.id = (SELECT hit.id FROM hit)")
    + f", logged AS (INSERT INTO audit_event ({', '.join(EVENT_COLUMNS)}) "
    "SELECT {event} FROM hit) "
    f"SELECT hit.*, {_AS_TOUCHED} FROM hit LEFT JOIN touched ON true"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """How a read touches what it returns: whether it counts as access, and restarts TTLs.

    While rules are `staging` the engine moves every date, for the dates to come move with it.
    """

    at: datetime
    counted: bool
    refresh: bool
    trash: timedelta
    staging: bool = False


def reading_params(reading: Reading) -> dict[str, Any]:
    return {
        "tenant": current_tenant_id(), "at": reading.at, "refresh": reading.refresh,
        "counted": reading.counted, "trash": reading.trash, "every": TOUCH_EVERY,
        "staging": reading.staging,
    }  # fmt: skip


ID_SLOT = f"@{uuid4().hex}@"
"""Stands in a drafted event for the id that only the statement finds. Not to be guessed: a
namespace may hold any text, and must not be taken for it."""


_MARKS: Marks = ((ID_SLOT, "hit.id::text"),)


def _with_event(sql: str, event: Draft, *, nobody: str = "") -> tuple[str, dict[str, Any]]:
    """The statement with an event's placeholders at `{event}`, and the event's parameters; ID_SLOT
    in one of them is the id of the row `hit`."""
    return _fill_in(in_slot(sql), placeholders_of(event, _MARKS, nobody=nobody)), values_of(event)


@lru_cache(maxsize=64)
def _fill_in(sql: str, event: str) -> str:
    return sql.format(event=event)


def read_one(
    namespace: str, key: str, reading: Reading, event: Draft
) -> tuple[StoredMemory, tuple[Any, ...]] | None:
    """One visible memory with its access counted and its read recorded, in one statement.

    `event` is drafted with ID_SLOT where the memory's id belongs. The second part of the answer
    holds what `TOUCHED` names, as touched, or Nones when it was not (a person reads, or it was
    touched within the last second).
    """
    sql, values = _with_event(_READ_ONE, event, nobody="hit.subjects = '{}'")
    with connection.cursor() as cursor:
        cursor.execute(
            sql, {**reading_params(reading), "namespace": namespace, "key": key, **values}
        )
        row = cursor.fetchone()
    return None if row is None else (StoredMemory.of(row), row[WIDTH:])


_LOCK_BELOW = (
    f"SELECT {_WITHOUT_VALUE} FROM memories_memory m "
    "WHERE m.tenant_id = %s AND m.trashed_at IS NULL "
    "AND (m.visible_until IS NULL OR m.visible_until > %s) AND {below} "
    "AND (m.namespace, m.key) > (%s, %s) ORDER BY m.namespace, m.key LIMIT %s FOR UPDATE"
)


def lock_visible_below(
    prefixes: Sequence[str], *, at: datetime, after: tuple[str, str] | None, limit: int
) -> list[StoredMemory]:
    """Visible rows below any of the prefixes, by key from `after` on, locked, without values."""
    below, params = below_any(prefixes)
    with connection.cursor() as cursor:
        cursor.execute(
            in_slot(_LOCK_BELOW).format(below=below),
            [current_tenant_id(), at, *params, *(after or ("", "")), limit],
        )
        return [StoredMemory.of(row) for row in cursor.fetchall()]


_LIST_BELOW = (
    f"SELECT {_MEMORY} FROM memories_memory m "
    "WHERE m.tenant_id = %s AND m.trashed_at IS NULL "
    "AND (m.visible_until IS NULL OR m.visible_until > %s) AND {below} "
    "AND (m.namespace, m.key) > (%s, %s) ORDER BY m.namespace, m.key LIMIT %s"
)


def list_visible_below(
    prefixes: Sequence[str], *, at: datetime, after: tuple[str, str] | None, limit: int
) -> list[StoredMemory]:
    """As `lock_visible_below`, with values and without locks."""
    below, params = below_any(prefixes)
    with connection.cursor() as cursor:
        cursor.execute(
            _LIST_BELOW.format(below=below),
            [current_tenant_id(), at, *params, *(after or ("", "")), limit],
        )
        return [StoredMemory.of(row) for row in cursor.fetchall()]


_COUNT_BELOW = (
    "SELECT count(*) FROM (SELECT 1 FROM memories_memory m "
    "WHERE m.tenant_id = %s AND m.trashed_at IS NULL "
    "AND (m.visible_until IS NULL OR m.visible_until > %s) AND {below} LIMIT %s) AS found"
)


def count_visible_below(prefixes: Sequence[str], *, at: datetime, most: int | None) -> int:
    """How many visible rows there are below any of the prefixes; counting stops at `most`."""
    below, params = below_any(prefixes)
    with connection.cursor() as cursor:
        sql = in_slot(_COUNT_BELOW).format(below=below)
        cursor.execute(sql, [current_tenant_id(), at, *params, most])
        return int(cursor.fetchone()[0])


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
    "WITH "
    + TOUCH.format(ids="l.id = ANY(%(ids)s)")
    + f", logged AS (INSERT INTO audit_event ({', '.join(EVENT_COLUMNS)}) "
    "VALUES ({event})) "
    f"SELECT {_MEMORY}, {_AS_TOUCHED} "
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
    params = {**reading_params(reading), "ids": list(ids)}
    sql, values = _with_event(_PAGE, event)
    with connection.cursor() as cursor:
        cursor.execute(sql, {**params, **values})
        rows = cursor.fetchall()
    return {row[0]: (StoredMemory.of(row), row[WIDTH:]) for row in rows}
