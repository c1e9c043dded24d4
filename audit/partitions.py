"""Statements about the log's partitions, one a month (ADR 7: written SQL in rooms of its own)."""

from __future__ import annotations

from datetime import datetime

from django.db import connection, connections
from psycopg import sql

from audit.models import DroppedMonth
from sealing.signing import SignatureRefused, open_note
from tenants.context import current_tenant_id

ORIGIN = "memoryhub/dropped-months"
"""First line of the note that the hub signs for a month it drops."""

_NAMES = (
    "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid "
    "WHERE i.inhparent = 'audit_event'::regclass "
    "AND c.relname ~ '^audit_event_[0-9]{4}_[0-9]{2}$' ORDER BY 1"
)
_SEALED = (
    "SELECT count(*), count(l.event_id) FROM audit_event e "
    "LEFT JOIN audit_leaf l ON l.tenant_id = e.tenant_id AND l.event_id = e.id "
    "WHERE e.tenant_id = %s AND e.at >= %s AND e.at < %s"
)
_INSERT = (
    "INSERT INTO audit_droppedmonth (begins, ends, dropped_at, note) VALUES (%s, %s, now(), %s)"
)


def partition_names() -> list[str]:
    """Those of single months, the oldest first."""
    with connection.cursor() as cursor:
        cursor.execute(_NAMES)
        return [row[0] for row in cursor.fetchall()]


def count_sealed(begins: datetime, ends: datetime) -> tuple[int, int]:
    """The acting tenant's events in a span: how many, and how many of them are sealed."""
    with connection.cursor() as cursor:
        cursor.execute(_SEALED, [current_tenant_id(), begins, ends])
        events, sealed = cursor.fetchone()
    return int(events), int(sealed)


def drop_partition(name: str, begins: datetime, ends: datetime, note: str) -> None:
    """Remove a month as the owner, in the caller's transaction of the owner."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(_INSERT, [begins, ends, note])
        cursor.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(sql.Identifier(name)))


_FORGET = (
    "WITH used AS (SELECT DISTINCT unnest(string_to_array(e.namespace, '/')) AS name "
    "FROM audit_event e WHERE e.tenant_id = %(tenant)s) "
    "DELETE FROM audit_loggedlabel l WHERE l.tenant_id = %(tenant)s "
    "AND NOT EXISTS (SELECT FROM used WHERE used.name = l.name)"
)
"""Reads the tenant's log once. A label that nobody used for as long as the log is kept, and that an
event takes up again in this very moment, is shown by its name there."""


def forget_unused_labels() -> int:
    """What names mean that stand in no event of the acting tenant any more; how many went."""
    with connection.cursor() as cursor:
        cursor.execute(_FORGET, {"tenant": current_tenant_id()})
        return int(cursor.rowcount)


def dropped_spans() -> list[tuple[datetime, datetime]]:
    """Months that the hub itself dropped: those whose note its key signed. Inside `atomic`."""
    spans = []
    for row in DroppedMonth._default_manager.all():
        try:
            origin, begins, ends = open_note(row.note).splitlines()
        except (SignatureRefused, ValueError):
            continue
        if origin == ORIGIN:
            spans.append((datetime.fromisoformat(begins), datetime.fromisoformat(ends)))
    return spans
