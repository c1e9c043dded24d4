"""How late the work on rows is: the oldest date that a sweep or a scan has not acted on."""

from __future__ import annotations

from datetime import datetime

from django.db import connection

from memories.statements.slots import in_slot
from tenants.context import current_tenant_id

_DUE = (
    "SELECT least((SELECT min(m.visible_until) FROM memories_memory m WHERE m.tenant_id = %s "
    "AND m.trashed_at IS NULL AND m.visible_until <= %s), "
    "(SELECT min(m.purge_at) FROM memories_memory m WHERE m.tenant_id = %s AND m.purge_at <= %s))"
)
_UNSCANNED = (
    "SELECT min(coalesce(m.updated_at, m.created_at)) FROM memories_memory m "
    "WHERE m.tenant_id = %s AND m.scanned_at IS NULL AND m.scan_due_at IS NOT NULL "
    "AND m.quarantined_at IS NULL"
)


def oldest_due_seconds(at: datetime, *, since: datetime | None) -> float:
    """Since when the oldest memory waits for a sweep; 0 when none does.

    `since` is the activation of the rules: what they date into the past became due only then.
    """
    tenant = current_tenant_id()
    with connection.cursor() as cursor:
        cursor.execute(in_slot(_DUE), [tenant, at, tenant, at])
        due = cursor.fetchone()[0]
    return _seconds(due if due is None or since is None else max(due, since), at)


def oldest_unscanned_seconds(at: datetime) -> float:
    """Since when the oldest memory waits for a scan for personal data; 0 when none does."""
    with connection.cursor() as cursor:
        cursor.execute(_UNSCANNED, [current_tenant_id()])
        return _seconds(cursor.fetchone()[0], at)


def _seconds(since: datetime | None, at: datetime) -> float:
    return 0.0 if since is None else max((at - since).total_seconds(), 0.0)
