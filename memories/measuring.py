"""How much there is: rows, vectors and bytes below a prefix, by state and by kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection, transaction

from memories.namespaces import encode, narrow
from memories.statements.browse import STATE, STATES
from memories.statements.lookup import below_any
from memories.statements.slots import in_slot
from tenants.authorising import require
from tenants.context import current_tenant_id, now
from tenants.roles import Action


@dataclass(frozen=True, slots=True)
class Usage:
    """Rows in whatever state but purged; `by_state` counts tombstones as PURGED.

    `requests_24h` are the keys' requests that the log knows to be about what lies below.
    """

    rows: int
    vectors: int
    bytes: int
    by_state: dict[str, int]
    by_kind: dict[str, int]
    requests_24h: int


_BY = (
    "SELECT {state}, m.kind, count(*), "
    "sum(pg_column_size(m.*)) FROM memories_memory m WHERE m.tenant_id = %s AND {below} "
    "GROUP BY 1, 2"
)
_VECTORS = (
    "SELECT count(*), coalesce(sum(pg_column_size(v.embedding)), 0) FROM memories_memoryvector v "
    "JOIN memories_memory m ON m.tenant_id = v.tenant_id AND m.id = v.memory_id "
    "WHERE v.tenant_id = %s AND {below}"
)
_TOMBSTONES = "SELECT count(*) FROM memories_tombstone m WHERE m.tenant_id = %s AND {below}"
_REQUESTS = (
    "SELECT count(DISTINCT e.request_id) FROM audit_event e WHERE e.tenant_id = %s "
    "AND e.at > %s - interval '24 hours' AND e.actor_kind = 'key' AND {below}"
)


def measure_usage(namespace_prefix: Sequence[str]) -> Usage:
    """The figures for what the caller's prefixes cover below this one."""
    actor = require(Action.SEE_USAGE)
    prefixes = narrow(actor.prefixes, encode(namespace_prefix))
    below, params = below_any(prefixes)
    asked_below, asked = below_any(prefixes, "e.namespace")
    tenant = current_tenant_id()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            in_slot(_BY.format(state=STATE, below=below)), [now(), now(), tenant, *params]
        )
        groups = cursor.fetchall()
        cursor.execute(_VECTORS.format(below=below), [tenant, *params])
        vectors, vector_bytes = cursor.fetchone()
        cursor.execute(_TOMBSTONES.format(below=below), [tenant, *params])
        (purged,) = cursor.fetchone()
        cursor.execute(_REQUESTS.format(below=asked_below), [tenant, now(), *asked])
        (requests,) = cursor.fetchone()
    by_state = {**dict.fromkeys(STATES, 0), "PURGED": purged}
    by_kind: dict[str, int] = {}
    for state, kind, count, _ in groups:
        by_state[state] += count
        by_kind[kind] = by_kind.get(kind, 0) + count
    return Usage(
        rows=sum(group[2] for group in groups),
        vectors=vectors,
        bytes=int(sum(group[3] or 0 for group in groups) + vector_bytes),
        by_state=by_state,
        by_kind=by_kind,
        requests_24h=requests,
    )
