"""The memories that a put may be the same as: by equal value, or near by vector."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection

from memories.embedding.profiles import Profile
from tenants.context import current_tenant_id

MOST = 5


class Near(NamedTuple):
    """A memory's key and value as text, how near it is, and whether its value is equal."""

    key: str
    value: str
    index_paths: list[str] | None
    cosine: float
    is_equal: bool


_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"


def lock_place(namespace: str, kind: str) -> None:
    """One transaction at a time looks for duplicates in a namespace and kind, then writes."""
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, [f"{current_tenant_id()}:{kind}:{namespace}"])


_SAME_PLACE = (
    "m.tenant_id = %s AND m.namespace = %s AND m.kind = %s AND m.trashed_at IS NULL "
    "AND (m.visible_until IS NULL OR m.visible_until > %s) AND m.tier = 'long'"
)
_NEAREST = (
    "(SELECT m.key, m.value::text, m.index_paths, 1::float8, true FROM memories_memory m "
    f"WHERE {_SAME_PLACE} AND m.content_hash = %s ORDER BY m.id LIMIT 1) "
    "UNION ALL (SELECT m.key, m.value::text, m.index_paths, "
    "-(v.embedding::halfvec({d}) <#> %s::halfvec({d})), false FROM memories_memory m "
    "JOIN memories_memoryvector v ON v.tenant_id = m.tenant_id AND v.memory_id = m.id "
    f"WHERE {_SAME_PLACE} AND v.tenant_id = %s AND v.profile = %s AND v.field = %s "
    "AND v.chunk = 0 ORDER BY 4 DESC, m.id LIMIT %s)"
)


def find_near(
    place: tuple[str, str], content_hash: bytes, vector: tuple[str, str] | None, *,
    profile: Profile, at: datetime,
) -> list[Near]:  # fmt: skip
    """In (namespace, kind): the equal one, then the nearest by (field, vector), best first."""
    common: list[Any] = [current_tenant_id(), *place, at]
    params = [*common, content_hash]
    sql = _NEAREST.format(d=int(profile.dimensions))
    if vector is None or profile.distance != "cosine":
        sql = sql.partition(" UNION ALL ")[0]
    else:
        field, text = vector
        params += [text, *common, current_tenant_id(), profile.number, field, MOST]
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return [Near(*row) for row in cursor.fetchall()]
