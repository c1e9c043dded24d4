"""Letting time pass: all instants of a tenant's memories move back, as the tables' owner.

Nothing waits and no clock is replaced: the database's `now` stays the truth, and rows become as
old as a test wants them.
"""

from __future__ import annotations

from datetime import timedelta

import psycopg
from psycopg import sql

from tenants.models import Tenant

INSTANTS = (
    "created_at", "updated_at", "accessed_at", "ttl_expires_at", "visible_until", "purge_at",
    "archived_at", "trashed_at", "deleted_at", "restored_at", "dates_moved_at", "embedding_due_at",
    "reviewed_at", "archive_noted_at", "anonymised_at", "original_kept_at", "acts_at", "review_at",
    "acts_at_b", "review_at_b", "visible_until_b", "purge_at_b", "archived_at_b",
    "dates_moved_at_b", "due_at", "due_at_b", "erasure_verified_at", "erasure_approved_at",
    "restricted_at", "source_erased_at",
)  # fmt: skip


_EVENTS = sql.SQL(
    "events = (SELECT coalesce(jsonb_object_agg(e.key, to_jsonb((e.value)::timestamptz - %(span)s))"
    ", '{}') FROM jsonb_each_text(events) AS e)"
)
"""Business events: type → when it occurred."""


def let_pass(owner_url: str, tenant: Tenant, **span: float) -> None:
    """Let `span` (keywords of timedelta) go by for everything the tenant has stored."""
    moved = sql.SQL(", ").join(
        sql.SQL("{0} = {0} - %(span)s").format(sql.Identifier(name)) for name in INSTANTS
    )
    with psycopg.connect(owner_url) as connection:
        act_as_owner(connection, tenant)
        connection.execute(
            sql.SQL("UPDATE memories_memory SET {}, {} WHERE tenant_id = %(tenant)s").format(
                moved, _EVENTS
            ),
            {"span": timedelta(**span), "tenant": tenant.id},
        )


def act_as_owner(connection: psycopg.Connection, tenant: Tenant) -> None:
    """Policies bind the owner too (FORCE): name the tenant for this transaction."""
    connection.execute(sql.SQL("SET LOCAL hub.tenant = {}").format(sql.Literal(str(tenant.id))))


def count_rows(owner_url: str, tenant: Tenant, table: str) -> int:
    """How many rows of a table the tenant has, as the owner sees them."""
    with psycopg.connect(owner_url) as connection:
        act_as_owner(connection, tenant)
        found = connection.execute(
            sql.SQL("SELECT count(*) FROM {} WHERE tenant_id = %s").format(sql.Identifier(table)),
            [tenant.id],
        ).fetchone()
    assert found is not None
    return int(found[0])
