"""Which memories a business event comes to, and the marks that it leaves on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection

from memories.rows import NAMES, StoredMemory
from memories.statements.lookup import below_any
from memories.statements.recordsets import Raw, as_records, recordset
from memories.statements.slots import in_slot
from tenants.context import current_tenant_id
from tenants.ids import uuid7

_WITHOUT_VALUE = ", ".join("'null'" if name == "value" else f"m.{name}" for name in NAMES)


@dataclass(frozen=True, slots=True)
class Concerned:
    """Whom an event concerns: what lies below the prefixes, narrowed to a subject or to ids."""

    prefixes: tuple[str, ...]
    subject: str | None = None
    ids: tuple[UUID, ...] | None = field(default=None)


def _condition(concerned: Concerned) -> tuple[str, list[Any]]:
    below, params = below_any(concerned.prefixes)
    text, values = f"m.tenant_id = %s AND {below}", [current_tenant_id(), *params]
    if concerned.subject is not None:
        text += (
            " AND m.id IN (SELECT s.memory_id FROM memories_memorysubject s "
            "WHERE s.tenant_id = %s AND s.subject = %s)"
        )
        values += [current_tenant_id(), concerned.subject]
    if concerned.ids is not None:
        text += " AND m.id = ANY(%s)"
        values.append(list(concerned.ids))
    return text, values


def count_concerned(concerned: Concerned) -> int:
    """How many, in whatever state."""
    condition, values = _condition(concerned)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM memories_memory m WHERE " + condition, values)
        return int(cursor.fetchone()[0])


def lock_concerned(
    concerned: Concerned, *, after: tuple[str, str, UUID], limit: int
) -> list[StoredMemory]:
    """The next of them by key, as writers lock, locked and without values."""
    condition, values = _condition(concerned)
    sql = (
        f"SELECT {_WITHOUT_VALUE} FROM memories_memory m WHERE {condition} "
        "AND (m.namespace, m.key, m.id) > (%s, %s, %s) "
        "ORDER BY m.namespace, m.key, m.id LIMIT %s FOR UPDATE"
    )
    with connection.cursor() as cursor:
        cursor.execute(in_slot(sql), [*values, *after, limit])
        return [StoredMemory.of(row) for row in cursor.fetchall()]


_MARK = (
    f"UPDATE memories_memory m SET events = d.events FROM "
    f"{recordset({'id': 'uuid', 'events': 'jsonb'})} WHERE m.tenant_id = %s AND m.id = d.id"
)


def mark_events(rows: Sequence[StoredMemory]) -> None:
    """The events of locked rows."""
    records = as_records(("id", "events"), ([row.id, Raw(row.events)] for row in rows))
    with connection.cursor() as cursor:
        cursor.execute(_MARK, [records, current_tenant_id()])


_RENEW = (
    "INSERT INTO memories_businessevent AS e (tenant_id, id, external_id, type, occurred_at, "
    "received_at, scope, matched) VALUES (%s, %s, %s, %s, %s, %s, %s::jsonb, 0) "
    "ON CONFLICT (tenant_id, external_id) DO UPDATE SET occurred_at = excluded.occurred_at, "
    "applied_at = NULL WHERE e.occurred_at <= excluded.occurred_at - %s RETURNING e.id"
)


def renew_event(
    external_id: str, kind: str, scope: str, *, every: timedelta, at: datetime
) -> UUID | None:
    """One row for what happens again and again; its id when it is new, or older than `every`."""
    values: list[Any] = [
        current_tenant_id(), uuid7(), external_id, kind, at, at, scope, every,
    ]  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_RENEW, values)
        row = cursor.fetchone()
    return None if row is None else row[0]


_WAIT = (
    "INSERT INTO tenants_schedule (id, tenant_id, job, scope, interval_seconds, next_at) "
    "VALUES (%s, %s, %s, %s, 20, %s) ON CONFLICT (tenant_id, job, scope) DO NOTHING"
)


def let_wait(job: str, scope: str, *, at: datetime) -> None:
    """What beat is to find from `at` on; nothing when it is there."""
    with connection.cursor() as cursor:
        cursor.execute(_WAIT, [uuid7(), current_tenant_id(), job, scope, at])
