"""Dropping all rows of the acting tenant, table by table."""

from __future__ import annotations

from django.apps import apps
from django.db import connection
from psycopg import sql

from tenants.context import current_tenant_id

FIRST = ("memories_memory", "privacy_piifinding", "privacy_vaultentry")
"""Before all others: what cascades to the rest, then what the vault's rows are needed by."""


def droppable_tables() -> list[str]:
    """Tenant tables that the application may delete from: all but the append-only log."""
    names = {
        model._meta.db_table
        for model in apps.get_models(include_auto_created=True)
        if getattr(model, "is_tenant_table", False)
    }
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT t FROM unnest(%s::text[]) t WHERE has_table_privilege(t, 'DELETE')",
            [sorted(names)],
        )
        allowed = {row[0] for row in cursor.fetchall()}
    return [*(name for name in FIRST if name in allowed), *sorted(allowed - set(FIRST))]


def drop_chunk(table: str, *, limit: int) -> int:
    """Delete up to `limit` of the tenant's rows; how many."""
    tenant = current_tenant_id()
    query = sql.SQL(
        "DELETE FROM {table} WHERE tenant_id = %s AND id IN "
        "(SELECT id FROM {table} WHERE tenant_id = %s LIMIT %s)"
    ).format(table=sql.Identifier(table))
    with connection.cursor() as cursor:
        cursor.execute(query.as_string(), [tenant, tenant, limit])
        return int(cursor.rowcount)
