"""How much a tenant has: counted for its quotas."""

from __future__ import annotations

from django.db import connection

from tenants.context import current_tenant_id

_AMOUNTS = (
    "SELECT count(*) FILTER (WHERE m.trashed_at IS NULL), "
    "coalesce(sum(pg_column_size(m.value)), 0) FROM memories_memory m WHERE m.tenant_id = %s"
)


def count_amounts() -> tuple[int, int]:
    """(memories not in the trash, bytes of all values as stored)."""
    with connection.cursor() as cursor:
        cursor.execute(_AMOUNTS, [current_tenant_id()])
        memories, size = cursor.fetchone()
    return int(memories), int(size)
