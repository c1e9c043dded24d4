"""Resealing under a newer key: rows whose seal names an older one, and their number."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import connection

from tenants.context import current_tenant_id

_VAULT = (
    "SELECT v.id, v.token_id, v.sealed FROM privacy_vaultentry v "
    "WHERE v.tenant_id = %s AND v.key_version < %s ORDER BY v.key_version, v.id "
    "LIMIT %s FOR UPDATE SKIP LOCKED"
)
_OWN = (
    "SELECT m.id, m.id::text, m.sealed FROM memories_memory m "
    "WHERE m.tenant_id = %s AND m.sealed IS NOT NULL "
    "AND substring(m.sealed FROM 3 FOR 4) < %s::bytea ORDER BY m.id LIMIT %s FOR UPDATE SKIP LOCKED"
)
_STORE_VAULT = (
    "UPDATE privacy_vaultentry v SET sealed = %s, key_version = %s WHERE v.tenant_id = %s "
    "AND v.id = %s"
)
_STORE_OWN = "UPDATE memories_memory m SET sealed = %s WHERE m.tenant_id = %s AND m.id = %s"
_COUNT = (
    "SELECT (SELECT count(*) FROM privacy_vaultentry v WHERE v.tenant_id = %s "
    "AND v.key_version < %s), (SELECT count(*) FROM memories_memory m WHERE m.tenant_id = %s "
    "AND m.sealed IS NOT NULL AND substring(m.sealed FROM 3 FOR 4) < %s::bytea)"
)

Sealed = tuple[UUID, str, bytes]


def _as_bytes(version: int) -> bytes:
    return version.to_bytes(4, "big")


def lock_vault_entries(version: int, *, limit: int) -> list[Sealed]:
    """(id, token id, sealed) of vault entries under an older key than `version`, locked."""
    return _rows(_VAULT, [current_tenant_id(), version, limit])


def lock_quarantined(version: int, *, limit: int) -> list[Sealed]:
    """(id, id as text, sealed) of memories whose own original is under an older key, locked."""
    return _rows(_OWN, [current_tenant_id(), _as_bytes(version), limit])


def _rows(sql: str, params: list[Any]) -> list[Sealed]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return [(row[0], row[1], bytes(row[2])) for row in cursor.fetchall()]


def store_vault_entry(identifier: UUID, sealed: bytes, version: int) -> None:
    """The new seal of a locked vault entry."""
    with connection.cursor() as cursor:
        cursor.execute(_STORE_VAULT, [sealed, version, current_tenant_id(), identifier])


def store_quarantined(identifier: UUID, sealed: bytes) -> None:
    """The new seal of a locked memory's own original."""
    with connection.cursor() as cursor:
        cursor.execute(_STORE_OWN, [sealed, current_tenant_id(), identifier])


def count_older(version: int) -> int:
    """How many seals name an older key than `version`."""
    tenant = current_tenant_id()
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [tenant, version, tenant, _as_bytes(version)])
        row = cursor.fetchone()
    return int(row[0]) + int(row[1])
