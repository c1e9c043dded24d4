"""Memories whose dates a staged version moves: both slots of the same row, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from django.db import connection

from memories.statements.lookup import below_any
from memories.statements.slots import OTHER
from tenants.context import current_tenant_id
from tenants.snapshots import tenant_settings

Effect = Literal["hidden", "destroyed", "longer"]
SOON = timedelta(days=30)

_EFFECTS: dict[Effect, str] = {
    "hidden": (
        "m.trashed_at IS NULL AND m.quarantined_at IS NULL "
        "AND (m.visible_until{now} IS NULL OR m.visible_until{now} > %(at)s) "
        "AND m.visible_until{next} <= %(at)s"
    ),
    "destroyed": (
        "m.purge_at{next} < %(soon)s AND (m.purge_at{now} IS NULL OR m.purge_at{now} >= %(soon)s)"
    ),
    "longer": (
        "m.purge_at{now} IS NOT NULL "
        "AND (m.purge_at{next} IS NULL OR m.purge_at{next} > m.purge_at{now})"
    ),
}
_MOVED = (
    "SELECT m.id, m.namespace, m.key, m.kind, m.visible_until{now}, m.visible_until{next}, "
    "m.purge_at{now}, m.purge_at{next}, m.rule{next} FROM memories_memory m "
    "WHERE m.tenant_id = %(tenant)s AND m.ruleset{next} = %(ruleset)s AND {effect} AND {kind} "
    "AND m.id > %(after)s AND {below} ORDER BY m.id LIMIT %(limit)s"
)


@dataclass(frozen=True, slots=True)
class Moved:
    """A memory with its two dates now and as they would be, and the rule that would decide."""

    id: UUID
    namespace: str
    key: str
    kind: str
    visible_until: datetime | None
    next_visible_until: datetime | None
    purge_at: datetime | None
    next_purge_at: datetime | None
    rule: str | None


def list_moved(
    effect: Effect, *, ruleset: int, prefixes: Sequence[str], kind: str, at: datetime,
    after: UUID, limit: int,
) -> list[Moved]:  # fmt: skip
    """Those below any of the prefixes (and of the kind, if one is given), by id."""
    endings = (OTHER, "") if tenant_settings().date_slot else ("", OTHER)
    slots = dict(zip(("now", "next"), endings, strict=True))
    below, params = below_any(prefixes)
    named = {f"p{place}": value for place, value in enumerate(params)}
    for name in named:
        below = below.replace("%s", f"%({name})s", 1)
    sql = _MOVED.format(
        **slots, effect=_EFFECTS[effect].format(**slots), below=below,
        kind="m.kind = %(kind)s" if kind else "TRUE",
    )  # fmt: skip
    values: dict[str, Any] = {
        "tenant": current_tenant_id(), "ruleset": ruleset, "at": at, "soon": at + SOON,
        "kind": kind, "after": after, "limit": limit, **named,
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return [Moved(*row) for row in cursor.fetchall()]
