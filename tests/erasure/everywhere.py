"""A search of the whole database: every column of every table, as text, by the tables' owner."""

from __future__ import annotations

import psycopg
from psycopg import sql

from tenants.models import Tenant
from tests.ageing import act_as_owner

_TABLES = (
    "SELECT c.oid::regclass::text FROM pg_class c WHERE c.relkind IN ('r', 'p') "
    "AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace ORDER BY 1"
)
_HOLDING = (
    "SELECT count(*) FROM {} t WHERE position(%s in t::text) > 0 OR position(%s in t::text) > 0"
)


def tables_holding(owner_url: str, tenant: Tenant, *needles: str) -> dict[str, list[str]]:
    """By table, which of these texts stand anywhere in its rows (bytes as hex and as text)."""
    found: dict[str, list[str]] = {}
    with psycopg.connect(owner_url) as connection:
        act_as_owner(connection, tenant)
        tables = [row[0] for row in connection.execute(_TABLES)]
        assert len(tables) > 30, tables
        for table in tables:
            query = sql.SQL(_HOLDING).format(sql.Identifier(table))
            for needle in needles:
                row = connection.execute(query, [needle, needle.encode().hex()]).fetchone()
                assert row is not None
                if row[0]:
                    found.setdefault(table, []).append(needle)
    return found
