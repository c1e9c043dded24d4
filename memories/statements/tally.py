"""What sweeps did in sum, by tenant and scope, for /metrics: counts alone, across tenants."""

from __future__ import annotations

from collections.abc import Mapping

import orjson
from django.db import connection

from tenants.context import current_tenant_id
from tenants.ids import uuid7

_ADD = (
    "INSERT INTO memories_sweeptally AS t (id, tenant_id, scope, done, due, lag_seconds) "
    "VALUES (%s, %s, %s, %s::jsonb, %s, %s) ON CONFLICT (tenant_id, scope) DO UPDATE SET "
    "done = (SELECT jsonb_object_agg(d.key, d.value::bigint + coalesce((t.done ->> d.key)::bigint,"
    " 0)) FROM jsonb_each_text(excluded.done) d), due = excluded.due, "
    "lag_seconds = excluded.lag_seconds"
)


def add_to_tally(scope: str, counts: Mapping[str, int], *, lag: float) -> None:
    """One run's counts by action, and how late it was, in seconds. `due`: what it found to do."""
    due = sum(counts.values())
    done = orjson.dumps(dict(counts)).decode()
    with connection.cursor() as cursor:
        cursor.execute(_ADD, [uuid7(), current_tenant_id(), scope, done, due, lag])
