"""How many memories in use a rule speaks about, and how many of them it would end at once.

One pass over the tenant's rows counts for all the rules of a page. The dates here are those of one
rule alone; what decides between several is the engine's: the simulation is exact, this is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection

from memories.namespaces import encode
from memories.statements.lookup import below_any
from memories.statements.slots import in_slot
from policies.facts import Duration, Rule
from tenants.context import current_tenant_id

_IN_USE = (
    "m.trashed_at IS NULL AND m.quarantined_at IS NULL "
    "AND (m.visible_until IS NULL OR m.visible_until > %s)"
)
_ANCHORS = {
    "created": "m.created_at",
    "updated": "greatest(m.updated_at, m.created_at)",
    "accessed": "greatest(coalesce(m.accessed_at, m.created_at), m.created_at)",
}
_EVENT = "greatest((m.events->>%s::text)::timestamptz, m.created_at)"
_PERIOD = (
    "(({anchor}) AT TIME ZONE %s::text + make_interval(months => %s)) AT TIME ZONE %s::text + %s"
)
_STRENGTH = "({anchor}) + interval '1 day' * (ln(%s::float8) / ln(m.decay))"


def count_reach(
    rules: Sequence[Rule], *, prefixes: Sequence[str], zone: str, at: datetime
) -> tuple[int, list[tuple[int, int]]]:
    """(all in use, [(spoken about, of those past the rule's date) for each rule])."""
    counts, values = ["count(*)"], list[Any]()
    for rule in rules:
        scope, scope_values = _scope(rule)
        date, date_values = _date(rule, zone)
        counts.append(f"count(*) FILTER (WHERE {scope})")
        counts.append(f"count(*) FILTER (WHERE {scope} AND {date} <= %s)")
        values += [*scope_values, *scope_values, *date_values, at]
    below, below_values = below_any(prefixes)
    sql = (
        f"SELECT {', '.join(counts)} FROM memories_memory m "
        f"WHERE m.tenant_id = %s AND {_IN_USE} AND {below}"
    )
    with connection.cursor() as cursor:
        cursor.execute(in_slot(sql), [*values, current_tenant_id(), at, *below_values])
        row = cursor.fetchone()
    pairs = zip(row[1::2], row[2::2], strict=True)
    return int(row[0]), [(int(covers), int(due)) for covers, due in pairs]


def _scope(rule: Rule) -> tuple[str, list[Any]]:
    parts, values = ["TRUE"], list[Any]()
    if rule.namespace:
        parts.append("starts_with(m.namespace, %s)")
        values.append(encode(rule.namespace))
    for text, value in (
        ("m.kind = %s", rule.memory_kind),
        ("%s = ANY(m.classes)", rule.data_class),
        ("m.label = %s", rule.label),
        ("m.access_count < %s", rule.unless_accessed),
    ):
        if value is not None:
            parts.append(text)
            values.append(value)
    if rule.strength_below is not None:
        parts.append("m.decay < 1")
    return " AND ".join(parts), values


def _date(rule: Rule, zone: str) -> tuple[str, list[Any]]:
    """The date of the rule; NULL while its event has not come."""
    anchor = _restored(rule, _ANCHORS.get(rule.anchor, _EVENT))
    sql, values = _end(rule.after, rule, anchor, zone)
    if rule.event is None:
        return sql, values
    fallback, fallback_values = "NULL::timestamptz", list[Any]()
    if rule.fallback is not None:
        start = _restored(rule, _ANCHORS["created"])
        fallback, fallback_values = _end(rule.fallback, rule, start, zone)
    case = f"CASE WHEN m.events ? %s::text THEN {sql} ELSE {fallback} END"
    return case, [rule.event, rule.event, *values, *fallback_values]


def _restored(rule: Rule, anchor: str) -> str:
    """Expire and archive rules count from a restore that came later."""
    is_moved = rule.kind in ("expire", "archive")
    return f"greatest({anchor}, m.restored_at)" if is_moved else anchor


def _end(period: Duration | None, rule: Rule, anchor: str, zone: str) -> tuple[str, list[Any]]:
    if period is None:
        return _STRENGTH.format(anchor=anchor), [rule.strength_below]
    if not period.months:
        return f"({anchor}) + %s", [period.exact]
    return _PERIOD.format(anchor=anchor), [zone, period.months, zone, period.exact]
