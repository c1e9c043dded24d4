"""Browsing: rows of a list in whatever state, and how many there are, by namespace and kind."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from django.db import connection

from memories.rows import StoredMemory, columns
from memories.statements.lookup import below_any
from memories.statements.slots import in_slot
from tenants.context import current_tenant_id
from tenants.paging import Mark

Order = Literal["updated", "leaves", "destroyed", "created"]
STATES = (
    "ACTIVE", "ARCHIVED", "TRASH", "RETAINED", "RESTRICTED", "IN_REVIEW", "QUARANTINED", "HELD",
)  # fmt: skip

_MEMORY = columns("m")
STATE = (
    "CASE WHEN m.trashed_at IS NOT NULL OR m.visible_until <= %s OR m.quarantined_at IS NOT NULL "
    "THEN CASE WHEN m.hidden_as = 'HELD' THEN 'HELD' WHEN m.quarantined_at IS NOT NULL "
    "THEN 'QUARANTINED' ELSE coalesce(m.hidden_as, 'TRASH') END "
    "WHEN m.archived_at <= %s THEN 'ARCHIVED' ELSE 'ACTIVE' END"
)
"""The state at an instant (twice) by what is stored; `presenting.state_of` says the same."""
_COLUMNS: dict[Order, tuple[str, str]] = {
    "updated": ("updated_at", "DESC"),
    "created": ("created_at", "DESC"),
    "leaves": ("visible_until", "ASC"),
    "destroyed": ("purge_at", "ASC"),
}


@dataclass(frozen=True, slots=True)
class Selection:
    """Which memories a list shows. `prefixes` are stored paths, already narrowed.

    `leaves` and `destroyed` are half-open spans of time; an end that is None is open.
    """

    prefixes: tuple[str, ...]
    at: datetime
    states: tuple[str, ...] = ("ACTIVE", "ARCHIVED")
    kinds: tuple[str, ...] = ()
    subject: str = ""
    tag: str = ""
    leaves: tuple[datetime | None, datetime | None] | None = None
    destroyed: tuple[datetime | None, datetime | None] | None = None
    changed: tuple[datetime | None, datetime | None] | None = None
    flag: str = ""


FLAGS: dict[str, str] = {
    "policy_conflict": "'policy_conflict' = ANY(m.flags)",
    "uncovered": "'uncovered' = ANY(m.flags)",
    "scan_late": "(m.scanned_at IS NULL AND m.scan_due_at <= now())",
}
"""What else a list can be narrowed to, and the overview counts: by one condition for both."""


def compile_selection(wanted: Selection) -> tuple[str, list[Any]]:
    """The selection as SQL over the alias m, with its parameters."""
    below, params = below_any(wanted.prefixes)
    parts, values = ["m.tenant_id = %s", below], [current_tenant_id(), *params]
    condition, more = _in_states(frozenset(wanted.states), wanted.at)
    parts.append(condition)
    values += more
    if wanted.kinds:
        parts.append("m.kind = ANY(%s)")
        values.append(list(wanted.kinds))
    if wanted.tag:
        parts.append("m.tags @> %s::text[]")
        values.append([wanted.tag])
    if wanted.subject:
        parts.append(
            "m.id IN (SELECT s.memory_id FROM memories_memorysubject s "
            "WHERE s.tenant_id = %s AND s.subject = %s)"
        )
        values += [current_tenant_id(), wanted.subject]
    if wanted.flag:
        parts.append(FLAGS[wanted.flag])
    spans = (
        ("m.visible_until", wanted.leaves),
        ("m.purge_at", wanted.destroyed),
        ("m.updated_at", wanted.changed),
    )
    for column, span in spans:
        if span is None:
            continue
        parts.append(f"{column} IS NOT NULL")
        for operator, end in zip((">=", "<"), span, strict=True):
            if end is not None:
                parts.append(f"{column} {operator} %s")
                values.append(end)
    return " AND ".join(parts), values


def _in_states(states: frozenset[str], at: datetime) -> tuple[str, list[Any]]:
    """Being in one of these states. What is in use is said column by column: of a CASE the planner
    guesses that hardly anything matches, and sorts all of it for a page."""
    if states >= set(STATES):
        return "true", []
    if not states or not states <= {"ACTIVE", "ARCHIVED"}:
        return f"{STATE} = ANY(%s)", [at, at, list(states)]
    in_use = (
        "m.trashed_at IS NULL AND m.quarantined_at IS NULL "
        "AND (m.visible_until IS NULL OR m.visible_until > %s)"
    )
    if states == {"ARCHIVED"}:
        return f"{in_use} AND m.archived_at <= %s", [at, at]
    if states == {"ACTIVE"}:
        return f"{in_use} AND (m.archived_at IS NULL OR m.archived_at > %s)", [at, at]
    return in_use, [at]


def list_rows(
    wanted: Selection, *, order: Order, after: Mark | None, limit: int
) -> list[StoredMemory]:
    """Up to `limit` rows after the mark. By a date, only rows that have one."""
    column, direction = _COLUMNS[order]
    condition, values = compile_selection(wanted)
    if direction == "ASC":
        condition += f" AND m.{column} IS NOT NULL"
    if after is not None:
        condition += f" AND (m.{column}, m.id) {'<' if direction == 'DESC' else '>'} (%s, %s)"
        values += [after.at, after.id]
    sql = (
        f"SELECT {_MEMORY} FROM memories_memory m WHERE {condition} "
        f"ORDER BY m.{column} {direction}, m.id {direction} LIMIT %s"
    )
    with connection.cursor() as cursor:
        cursor.execute(in_slot(sql), [*values, limit])
        return [StoredMemory.of(row) for row in cursor.fetchall()]


def mark_of(row: StoredMemory, order: Order) -> Mark:
    """Where a list continues after this row."""
    at = getattr(row, _COLUMNS[order][0])
    return Mark(at, row.id)


def count_children(wanted: Selection, prefix: str) -> list[tuple[str, str, int]]:
    """(next label as stored, kind, count) of what lies below a stored prefix."""
    condition, values = compile_selection(wanted)
    sql = (
        "SELECT split_part(substr(m.namespace, %s), '/', 1), m.kind, count(*) "
        f"FROM memories_memory m WHERE {condition} GROUP BY 1, 2"
    )
    with connection.cursor() as cursor:
        cursor.execute(in_slot(sql), [len(prefix) + 1, *values])
        return [(row[0], row[1], row[2]) for row in cursor.fetchall()]


_MONTHS = (
    "SELECT to_char(date_trunc('month', m.{column} AT TIME ZONE %s), 'YYYY-MM'), "
    "coalesce(m.rule, ''), count(*) FROM memories_memory m "
    "WHERE m.tenant_id = %s AND {below} AND m.{column} >= %s AND m.{column} < %s {more} "
    "GROUP BY 1, 2"
)


def count_by_month(
    column: Literal["visible_until", "purge_at"], *, prefixes: tuple[str, ...], zone: str,
    since: datetime, until: datetime,
) -> list[tuple[str, str, int]]:  # fmt: skip
    """(month in the zone, rule or "", count) of what leaves use, or is destroyed, in that time."""
    below, params = below_any(prefixes)
    more = "AND m.trashed_at IS NULL" if column == "visible_until" else ""
    sql = _MONTHS.format(column=column, below=below, more=more)
    with connection.cursor() as cursor:
        cursor.execute(in_slot(sql), [zone, current_tenant_id(), *params, since, until])
        return [(row[0], row[1], row[2]) for row in cursor.fetchall()]


_GROWTH = (
    "SELECT to_char(date_trunc('month', m.created_at AT TIME ZONE %s), 'YYYY-MM'), "
    "split_part(m.namespace, '/', 1), m.kind, count(*) FROM memories_memory m "
    "WHERE m.tenant_id = %s AND {below} AND m.trashed_at IS NULL "
    "AND (m.visible_until IS NULL OR m.visible_until > %s) GROUP BY 1, 2, 3"
)


def count_by_creation(
    *, prefixes: tuple[str, ...], zone: str, at: datetime
) -> list[tuple[str, str, str, int]]:
    """(month of creation, root label, kind, count) of what is in use at an instant."""
    below, params = below_any(prefixes)
    with connection.cursor() as cursor:
        cursor.execute(
            in_slot(_GROWTH).format(below=below), [zone, current_tenant_id(), *params, at]
        )
        return [(row[0], row[1], row[2], row[3]) for row in cursor.fetchall()]


@dataclass(frozen=True, slots=True)
class Standing:
    """How things stand in one row of counts, for what the caller's prefixes cover."""

    active: int
    archived: int
    trash: int
    leaving: int
    going: int
    next_purge: datetime | None
    pending: int
    failed: int
    new: int
    conflicts: int
    uncovered: int
    scans_late: int
    quarantined: int
    reviews: int
    purged: int
    findings: int

    @property
    def in_use(self) -> int:
        """Active and archived."""
        return self.active + self.archived

    @property
    def uncovered_percent(self) -> float | None:
        """Of what is in use; None when nothing is."""
        return 100 * self.uncovered / self.in_use if self.in_use else None


_STANDING = (
    "SELECT "
    "count(*) FILTER (WHERE {visible} AND NOT {archived}), "
    "count(*) FILTER (WHERE {visible} AND {archived}), "
    "count(*) FILTER (WHERE NOT {visible} AND m.quarantined_at IS NULL "
    "AND coalesce(m.hidden_as, 'TRASH') = 'TRASH'), "
    "count(*) FILTER (WHERE {visible} AND m.visible_until < %(soon)s), "
    "count(*) FILTER (WHERE m.purge_at < %(soon)s), "
    "min(m.purge_at), "
    "count(*) FILTER (WHERE {visible} AND m.embedding = 'pending'), "
    "count(*) FILTER (WHERE {visible} AND m.embedding = 'failed'), "
    "count(*) FILTER (WHERE {visible} AND m.created_at > %(lately)s), "
    "count(*) FILTER (WHERE {conflict}), "
    "count(*) FILTER (WHERE {visible} AND {uncovered}), "
    "count(*) FILTER (WHERE {late}), "
    "count(*) FILTER (WHERE m.quarantined_at IS NOT NULL), "
    "count(*) FILTER (WHERE m.review_at <= %(at)s AND m.quarantined_at IS NULL), "
    "(SELECT count(*) FROM memories_tombstone t WHERE t.tenant_id = %(tenant)s AND {below_t}), "
    "(SELECT count(*) FROM memories_finding f WHERE f.tenant_id = %(tenant)s "
    "AND f.closed_at IS NULL) "
    "FROM memories_memory m WHERE m.tenant_id = %(tenant)s AND {below_m}"
)
_ARCHIVED = "coalesce(m.archived_at <= %(at)s, false)"
_VISIBLE = "(m.trashed_at IS NULL AND (m.visible_until IS NULL OR m.visible_until > %(at)s))"


def count_standing(
    prefixes: tuple[str, ...], *, at: datetime, soon: datetime, lately: datetime
) -> Standing:
    """Counts of now, of what happens until `soon`, and of what came since `lately`."""
    below_m, named = _below_named(prefixes, "m.namespace")
    below_t, _ = _below_named(prefixes, "t.namespace")
    sql = _STANDING.format(
        visible=_VISIBLE, archived=_ARCHIVED, below_m=below_m, below_t=below_t,
        conflict=FLAGS["policy_conflict"], uncovered=FLAGS["uncovered"], late=FLAGS["scan_late"],
    )  # fmt: skip
    values = {
        "tenant": current_tenant_id(), "at": at, "soon": soon, "lately": lately, **named,
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(in_slot(sql), values)
        return Standing(*cursor.fetchone())


def _below_named(prefixes: tuple[str, ...], column: str) -> tuple[str, dict[str, Any]]:
    """As `below_any`, with parameters by name."""
    text, params = below_any(prefixes, column)
    named = {f"below{number}": value for number, value in enumerate(params)}
    for name in named:
        text = text.replace("%s", f"%({name})s", 1)
    return text, named
