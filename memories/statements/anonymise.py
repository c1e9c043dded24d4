"""Findings whose originals an anonymised memory kept: read, and let go of."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import connection

from memories.rows import StoredMemory
from memories.statements.recordsets import as_records, recordset
from tenants.context import current_tenant_id

_KEPT = (
    "SELECT f.memory_id, f.version, f.entity, f.path, f.action, f.token_id, f.count "
    "FROM privacy_piifinding f WHERE f.tenant_id = %s AND f.memory_id = ANY(%s) "
    "AND f.token_id IS NOT NULL"
)

Kept = tuple[UUID, int, str, str, str, str, int]


def kept_findings(memories: Sequence[UUID]) -> list[Kept]:
    """(memory, version, entity, path, action, token, count) of what an original is kept of."""
    with connection.cursor() as cursor:
        cursor.execute(_KEPT, [current_tenant_id(), list(memories)])
        return list(cursor.fetchall())


_OF_MEMORY = {"id": "uuid", "kept_at": "timestamptz", "every": "bool"}
_UNSEAL = (
    "WITH gone AS (SELECT f.id, f.token_id FROM privacy_piifinding f "
    f"JOIN {recordset(_OF_MEMORY)} ON d.id = f.memory_id "
    "WHERE f.tenant_id = %s AND f.token_id IS NOT NULL AND f.found_at <= d.kept_at "
    "AND (d.every OR f.action IN ('mask', 'redact', 'quarantine'))), "
    "freed AS (UPDATE privacy_piifinding f SET token_id = NULL FROM gone "
    "WHERE f.tenant_id = %s AND f.id = gone.id) SELECT DISTINCT token_id FROM gone"
)


def free_originals(rows: Sequence[StoredMemory]) -> list[str]:
    """The findings of what was anonymised name no original any more; the tokens they named.

    Of what was only masked as it was written, the masked alone: tokens stay in use.
    """
    records = as_records(
        tuple(_OF_MEMORY),
        ((row.id, row.original_kept_at, row.anonymised_at is not None) for row in rows),
    )
    tenant = current_tenant_id()
    with connection.cursor() as cursor:
        cursor.execute(_UNSEAL, [records, tenant, tenant])
        return [row[0] for row in cursor.fetchall()]
