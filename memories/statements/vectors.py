"""Vectors as a whole: a profile's index, and building one profile beside another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from django.db import connection

from tenants.context import current_tenant_id


def index_profile(number: int) -> None:
    """The vector index of a profile, made by the owner's function; there already is fine."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT hub_index_profile(%s::int)", [number])


def lock_profiles() -> None:
    """One transaction at a time numbers profiles."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('embedding-profile'))")


class Stored(NamedTuple):
    """A memory to embed anew: its version guards against a put meanwhile."""

    id: UUID
    version: int
    value: str
    index_paths: list[str] | None


_WITHOUT = (
    "SELECT m.id, m.version, m.value::text, m.index_paths FROM memories_memory m "
    "WHERE m.tenant_id = %s AND m.id > %s AND m.index_paths IS DISTINCT FROM '{}' AND NOT EXISTS ("
    "SELECT FROM memories_memoryvector v WHERE v.tenant_id = %s AND v.memory_id = m.id "
    "AND v.profile = %s) ORDER BY m.id LIMIT %s"
)


def find_without_vectors(profile: int, *, after: UUID, limit: int) -> list[Stored]:
    """Memories that have something to embed and no vector of this profile, by id."""
    tenant = current_tenant_id()
    with connection.cursor() as cursor:
        cursor.execute(_WITHOUT, [tenant, after, tenant, profile, limit])
        return [Stored(*row) for row in cursor.fetchall()]


_COUNT = (
    "SELECT count(*) FILTER (WHERE EXISTS (SELECT FROM memories_memoryvector v "
    "WHERE v.tenant_id = %s AND v.memory_id = m.id AND v.profile = %s)), count(*) "
    "FROM memories_memory m WHERE m.tenant_id = %s AND m.index_paths IS DISTINCT FROM '{}'"
)


def count_embedded(profile: int) -> tuple[int, int]:
    """How many memories have vectors of the profile, of how many that have something to embed."""
    tenant = current_tenant_id()
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [tenant, profile, tenant])
        done, total = cursor.fetchone()
    return done, total


_UNCHANGED = (
    "SELECT m.id FROM memories_memory m JOIN unnest(%s::uuid[], %s::int[]) AS d (id, version) "
    "ON m.id = d.id AND m.version = d.version WHERE m.tenant_id = %s FOR UPDATE OF m"
)


def lock_unchanged(rows: Sequence[Stored]) -> set[UUID]:
    """Those of the memories that are still of the version that was read, locked."""
    with connection.cursor() as cursor:
        cursor.execute(
            _UNCHANGED,
            [[row.id for row in rows], [row.version for row in rows], current_tenant_id()],
        )
        return {row[0] for row in cursor.fetchall()}


_SETTLE = (
    "UPDATE memories_memory m SET embedding = 'ready' WHERE m.tenant_id = %s "
    "AND m.embedding IN ('failed', 'none') AND EXISTS (SELECT FROM memories_memoryvector v "
    "WHERE v.tenant_id = %s AND v.memory_id = m.id AND v.profile = %s)"
)


def settle_embedded(profile: int) -> None:
    """What was refused or not embedded before and has vectors of the profile now is ready."""
    tenant = current_tenant_id()
    with connection.cursor() as cursor:
        cursor.execute(_SETTLE, [tenant, tenant, profile])


_SAMPLE = (
    "SELECT m.value::text FROM memories_memory m WHERE m.tenant_id = %s AND m.trashed_at IS NULL "
    "AND m.embedding = 'ready' ORDER BY md5(m.id::text) LIMIT %s"
)


def sample_values(limit: int) -> list[str]:
    """Some values, the same ones each time."""
    with connection.cursor() as cursor:
        cursor.execute(_SAMPLE, [current_tenant_id(), limit])
        return [row[0] for row in cursor.fetchall()]
