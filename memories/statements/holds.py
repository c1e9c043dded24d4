"""What a legal hold covers, in SQL: counted, shown, locked in chunks.

A scope is a union, so it is read as one (each part by its own index), never as an OR. Memories
that keep a hold though no part of its scope fits them any more name it in `hold_ids`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from memories.rows import NAMES, StoredMemory
from memories.statements.lookup import below_any
from memories.statements.slots import in_slot
from policies.placing import HoldScope
from tenants.context import current_tenant_id

_WITHOUT_VALUE = ", ".join("'null'" if name == "value" else f"m.{name}" for name in NAMES)


@dataclass(frozen=True, slots=True)
class Covered:
    """Whom to look for: a scope, with the hold's id once it is placed, within these prefixes."""

    scope: HoldScope
    prefixes: tuple[str, ...] = ("",)
    hold: UUID | None = None


def ids_covered(covered: Covered) -> tuple[str, list[Any]]:
    """A sub-select of ids, and its parameters."""
    tenant, scope = current_tenant_id(), covered.scope
    parts, params = [], list[Any]()
    if scope.subjects:
        parts.append(
            "SELECT s.memory_id FROM memories_memorysubject s "
            "WHERE s.tenant_id = %s AND s.subject = ANY(%s)"
        )
        params += [tenant, list(scope.subjects)]
    if scope.namespaces:
        below, values = below_any(scope.namespaces, "n.namespace")
        parts.append(f"SELECT n.id FROM memories_memory n WHERE n.tenant_id = %s AND {below}")
        params += [tenant, *values]
    if scope.ids:
        parts.append("SELECT unnest(%s::uuid[])")
        params.append(list(scope.ids))
    if covered.hold is not None:
        parts.append(
            "SELECT k.id FROM memories_memory k WHERE k.tenant_id = %s "
            "AND NOT (k.hold_ids = '{}') AND k.hold_ids @> ARRAY[%s::uuid]"
        )
        params += [tenant, covered.hold]
    return " UNION ".join(parts), params


def condition_of(covered: Covered) -> tuple[str, list[Any]]:
    """As a condition over the alias m, with its parameters."""
    inner, params = ids_covered(covered)
    below, values = below_any(covered.prefixes)
    text = f"m.tenant_id = %s AND m.id IN ({inner}) AND {below}"
    return text, [current_tenant_id(), *params, *values]


def count_covered(covered: Covered) -> int:
    """How many there are, in whatever state."""
    condition, params = condition_of(covered)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM memories_memory m WHERE {condition}", params)
        return int(cursor.fetchone()[0])


@dataclass(frozen=True, slots=True)
class Extent:
    """Counts of what a scope covers. `due` would be destroyed by `soon`; `held` is already."""

    memories: int
    bytes: int
    hidden: int
    due: int
    held: int


_EXTENT = (
    "SELECT count(*), coalesce(sum(pg_column_size(m.value)), 0), "
    "count(*) FILTER (WHERE m.trashed_at IS NOT NULL OR m.visible_until <= %s), "
    "count(*) FILTER (WHERE coalesce(m.due_at, m.purge_at) <= %s), "
    "count(*) FILTER (WHERE 'held' = ANY(m.flags)) FROM memories_memory m WHERE "
)


def measure_covered(covered: Covered, *, at: datetime, soon: datetime) -> Extent:
    """Counts before a hold is placed."""
    condition, params = condition_of(covered)
    with connection.cursor() as cursor:
        cursor.execute(in_slot(_EXTENT) + condition, [at, soon, *params])
        return Extent(*map(int, cursor.fetchone()))


_GROUPS = "SELECT m.namespace, m.kind, count(*) FROM memories_memory m WHERE "


def count_groups(covered: Covered, *, most: int) -> list[tuple[str, str, int]]:
    """(namespace as stored, kind, count), the most numerous first."""
    condition, params = condition_of(covered)
    sql = f"{_GROUPS}{condition} GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT %s"
    with connection.cursor() as cursor:
        cursor.execute(sql, [*params, most])
        return [(row[0], row[1], int(row[2])) for row in cursor.fetchall()]


def list_covered(
    covered: Covered, *, before: tuple[datetime, UUID] | None = None, limit: int
) -> list[StoredMemory]:
    """The newest by creation (before a point), without values."""
    condition, params = condition_of(covered)
    if before is not None:
        condition += " AND (m.created_at, m.id) < (%s, %s)"
        params += [*before]
    sql = (
        f"SELECT {_WITHOUT_VALUE} FROM memories_memory m WHERE {condition} "
        "ORDER BY m.created_at DESC, m.id DESC LIMIT %s"
    )
    with connection.cursor() as cursor:
        cursor.execute(in_slot(sql), [*params, limit])
        return [StoredMemory.of(row) for row in cursor.fetchall()]


def covered_after(covered: Covered, after: UUID, *, limit: int) -> list[UUID]:
    """The next ids."""
    condition, params = condition_of(covered)
    sql = f"SELECT m.id FROM memories_memory m WHERE {condition} AND m.id > %s"
    with connection.cursor() as cursor:
        cursor.execute(sql + " ORDER BY m.id LIMIT %s", [*params, after, limit])
        return [row[0] for row in cursor.fetchall()]


def missing_ids(ids: Sequence[UUID], prefixes: tuple[str, ...]) -> set[UUID]:
    """Those of these that no memory below the prefixes has."""
    below, params = below_any(prefixes)
    sql = (
        f"SELECT m.id FROM memories_memory m WHERE m.tenant_id = %s AND m.id = ANY(%s) AND {below}"
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, [current_tenant_id(), list(ids), *params])
        return set(ids) - {row[0] for row in cursor.fetchall()}
