"""The vault and the findings in SQL: written with a memory, looked up, sealed again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Self
from uuid import UUID

import orjson
from django.db import IntegrityError, connection, transaction

from tenants.context import current_tenant_id
from tenants.managers import TenantQuerySet

Statement = tuple[str, list[Any]]

KEEP_ORIGINALS = (
    "INSERT INTO privacy_vaultentry "
    "(tenant_id, id, token_id, entity, equality_hash, sealed, key_version, first_seen) "
    "SELECT %s, d.id, d.token_id, d.entity, d.equality_hash, d.sealed, d.key_version, %s "
    "FROM json_to_recordset(%s::json) AS d (id uuid, token_id text, entity text, "
    "equality_hash text, sealed bytea, key_version int) "
    "ON CONFLICT (tenant_id, equality_hash) DO NOTHING"
)
"""In the order of the rows, which the caller sorts, so that two writers never wait in a circle."""

KEEP_FINDINGS = (
    "INSERT INTO privacy_piifinding "
    "(tenant_id, id, memory_id, version, entity, path, action, count, token_id, released, "
    "found_at) "
    "SELECT %s, d.id, d.memory_id, d.version, d.entity, d.path, d.action, d.count, d.token_id, "
    "d.released, %s "
    "FROM json_to_recordset(%s::json) AS d (id uuid, memory_id uuid, version int, entity text, "
    "path text, action text, count int, token_id text, released bool, copied bool) "
    "WHERE NOT d.copied OR EXISTS (SELECT FROM privacy_vaultentry v "
    "WHERE v.tenant_id = %s AND v.token_id = d.token_id)"
)
"""`copied`: a token that a caller wrote; it counts as a use if it is one of the vault's."""

_DROP_FINDINGS = (
    "DELETE FROM privacy_piifinding f "
    "USING json_to_recordset(%s::json) AS d (memory_id uuid, version int) "
    "WHERE f.tenant_id = %s AND f.memory_id = d.memory_id AND f.version {compare} d.version"
)


def drop_findings_before(versions: Iterable[tuple[UUID, int]]) -> Statement:
    """Findings of versions that are not kept any more: of (memory, oldest version kept)."""
    return _DROP_FINDINGS.format(compare="<"), [_records(versions), current_tenant_id()]


def drop_findings_of(versions: Iterable[tuple[UUID, int]]) -> Statement:
    """Findings of these versions, to be replaced."""
    return _DROP_FINDINGS.format(compare="="), [_records(versions), current_tenant_id()]


def drop_shown_findings_of(versions: Iterable[tuple[UUID, int]]) -> Statement:
    """The same, to be found again in the text as it is now: what stands behind a mask is not, so
    findings that keep its original stay."""
    sql, params = drop_findings_of(versions)
    return sql + " AND (f.token_id IS NULL OR f.action = 'tokenise')", params


def _records(versions: Iterable[tuple[UUID, int]]) -> str:
    rows = [{"memory_id": memory, "version": version} for memory, version in versions]
    return orjson.dumps(rows).decode()


_TOKENS_OF = (
    "SELECT DISTINCT f.token_id FROM privacy_piifinding f "
    "WHERE f.tenant_id = %s AND f.memory_id = ANY(%s) AND f.token_id IS NOT NULL"
)
_DROP_UNUSED = (
    "DELETE FROM privacy_vaultentry v WHERE v.tenant_id = %s AND v.token_id = ANY(%s) "
    "AND NOT EXISTS (SELECT FROM privacy_piifinding f "
    "WHERE f.tenant_id = %s AND f.token_id = v.token_id)"
)


def tokens_of(memories: Sequence[UUID]) -> list[str]:
    """The vault entries that these memories use."""
    with connection.cursor() as cursor:
        cursor.execute(_TOKENS_OF, [current_tenant_id(), list(memories)])
        return [row[0] for row in cursor.fetchall()]


def drop_unused(tokens: Sequence[str]) -> int:
    """Destroy those of these originals that no finding needs; their number.

    A writer may begin to use one at this very moment: its key refuses ours (RESTRICT), and then
    they are taken one by one, leaving those in use.
    """
    if not tokens:
        return 0
    try:
        with transaction.atomic():
            return _drop_unused(tokens)
    except IntegrityError:
        return sum(map(_drop_unless_used, tokens))


def _drop_unless_used(token_id: str) -> int:
    try:
        with transaction.atomic():
            return _drop_unused([token_id])
    except IntegrityError:
        return 0


def _drop_unused(tokens: Sequence[str]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_DROP_UNUSED, [current_tenant_id(), list(tokens), current_tenant_id()])
        return int(cursor.rowcount)


_ORPHANS = (
    "SELECT v.token_id FROM privacy_vaultentry v WHERE v.tenant_id = %s AND v.first_seen < %s "
    "AND NOT EXISTS (SELECT FROM privacy_piifinding f "
    "WHERE f.tenant_id = %s AND f.token_id = v.token_id) LIMIT %s"
)


def orphans(*, before: datetime, limit: int) -> list[str]:
    """Originals that nothing needs any more: the versions that held them are not kept."""
    tenant = current_tenant_id()
    with connection.cursor() as cursor:
        cursor.execute(_ORPHANS, [tenant, before, tenant, limit])
        return [row[0] for row in cursor.fetchall()]


class VaultQuerySet(TenantQuerySet[Any]):
    """Sealed originals."""

    def with_tokens(self, tokens: Iterable[str]) -> Self:
        """The entries behind these token ids."""
        return self.filter(token_id__in=list(tokens))

    def sealed_before(self, version: int) -> Self:
        """Sealed with an older key."""
        return self.filter(key_version__lt=version).order_by("key_version", "id")


class FindingQuerySet(TenantQuerySet[Any]):
    """What was found."""

    def of_memory(self, memory_id: UUID, version: int) -> Self:
        """In one version of a memory, by place."""
        return self.filter(memory_id=memory_id, version=version).order_by("path", "entity", "id")

    def released_in(self, memories: Iterable[UUID]) -> Self:
        """What officers released in these memories."""
        return self.filter(memory_id__in=list(memories), released=True)

    def of_token(self, token_id: str) -> Self:
        """Where an original is used."""
        return self.filter(token_id=token_id)
