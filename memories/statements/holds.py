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


_STATES = ("m.trashed_at IS NULL", "m.trashed_at IS NOT NULL")
"""Namespaces have an index for each."""


def _parts(covered: Covered) -> list[tuple[str, list[Any], Sequence[str]]]:
    """Conditions over the alias m, their parameters, and what to read each by apart; whatever meets
    one of them is covered."""
    scope = covered.scope
    parts: list[tuple[str, list[Any], Sequence[str]]] = []
    if scope.namespaces:
        parts.append((*below_any(scope.namespaces), _STATES))
    if scope.subjects:
        of_subjects = (
            "m.id IN (SELECT s.memory_id FROM memories_memorysubject s "
            "WHERE s.tenant_id = %s AND s.subject = ANY(%s))"
        )
        parts.append((of_subjects, [current_tenant_id(), list(scope.subjects)], ("true",)))
    if scope.ids:
        parts.append(("m.id = ANY(%s)", [list(scope.ids)], ("true",)))
    if covered.hold is not None:
        names_it = "(NOT (m.hold_ids = '{}') AND m.hold_ids @> ARRAY[%s::uuid])"
        parts.append((names_it, [covered.hold], ("true",)))
    return parts


def _rows(covered: Covered, *, tail: str = "", given: Sequence[Any] = ()) -> tuple[str, list[Any]]:
    """What is covered as a table m, with its parameters: a row comes from the first part it meets,
    so that each part is read by its own index and only once. `tail` narrows each part further."""
    below, values = below_any(covered.prefixes)
    selects, params = list[str](), list[Any]()
    before, known = "", list[Any]()
    for condition, own, apart in _parts(covered):
        for state in apart:
            selects.append(
                "(SELECT m.* FROM memories_memory m WHERE m.tenant_id = %s "
                f"AND {below} AND {condition} AND {state}{before}{tail})"
            )
            params += [current_tenant_id(), *values, *own, *known, *given]
        before, known = f"{before} AND NOT {condition}", known + own
    return f"({' UNION ALL '.join(selects)}) m", params


def count_covered(covered: Covered) -> int:
    """How many there are, in whatever state."""
    rows, params = _rows(covered)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {rows}", params)
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
    "count(*) FILTER (WHERE 'held' = ANY(m.flags)) FROM "
)


def measure_covered(covered: Covered, *, at: datetime, soon: datetime) -> Extent:
    """Counts before a hold is placed."""
    rows, params = _rows(covered)
    with connection.cursor() as cursor:
        cursor.execute(in_slot(_EXTENT) + rows, [at, soon, *params])
        return Extent(*map(int, cursor.fetchone()))


_GROUPS = "SELECT m.namespace, m.kind, count(*) FROM {rows} GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 "


def count_groups(covered: Covered, *, most: int) -> list[tuple[str, str, int]]:
    """(namespace as stored, kind, count), the most numerous first."""
    rows, params = _rows(covered)
    with connection.cursor() as cursor:
        cursor.execute(_GROUPS.format(rows=rows) + "LIMIT %s", [*params, most])
        return [(row[0], row[1], int(row[2])) for row in cursor.fetchall()]


def list_covered(
    covered: Covered, *, before: tuple[datetime, UUID] | None = None, limit: int
) -> list[StoredMemory]:
    """The newest by creation (before a point), without values."""
    older = "" if before is None else " AND (m.created_at, m.id) < (%s, %s)"
    newest = " ORDER BY m.created_at DESC, m.id DESC LIMIT %s"
    rows, params = _rows(covered, tail=older + newest, given=[*(before or ()), limit])
    sql = f"SELECT {_WITHOUT_VALUE} FROM {rows}{newest}"
    with connection.cursor() as cursor:
        cursor.execute(in_slot(sql), [*params, limit])
        return [StoredMemory.of(row) for row in cursor.fetchall()]


def covered_after(covered: Covered, after: UUID, *, limit: int) -> list[UUID]:
    """The next ids."""
    following = " ORDER BY m.id LIMIT %s"
    rows, params = _rows(covered, tail=" AND m.id > %s" + following, given=[after, limit])
    sql = f"SELECT m.id FROM {rows}{following}"
    with connection.cursor() as cursor:
        cursor.execute(sql, [*params, limit])
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
