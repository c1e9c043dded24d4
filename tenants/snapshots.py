"""A tenant's settings as an immutable snapshot, exact in every process.

`hub_act` returns the tenant's settings version at the beginning of each transaction. While it is
the version of the snapshot that this process has, no setting is read again; a change by another
process is seen by the very next transaction. Outside a transaction (before an embedding) a snapshot
is good for five seconds: a request that is refused before its transaction, for a kind that was
added meanwhile, would otherwise be refused for ever.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import structlog

from memoryhub.errors import Unauthenticated
from tenants.context import current_tenant_id, hub_connection
from tenants.models import Tenant

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class TenantSettings:
    """What writing, reading and sweeping need to know of a tenant."""

    tenant_id: UUID
    slug: str
    version: int
    timezone: str
    locale: str
    default_ttl_minutes: float | None
    refresh_on_read: bool
    trash_days: int
    notice_days: int
    default_decay: float
    recency: float
    index_fields: tuple[str, ...]
    kinds: frozenset[str]
    versions_kept: int
    embedding_profile: str
    active_ruleset: int
    quota_memories: int | None
    quota_bytes: int | None
    quota_requests_per_minute: int | None
    pii: Mapping[str, str]
    intent: Mapping[str, Any]
    staged_ruleset: int
    date_slot: int
    holds: int


KEPT_SECONDS = 5.0

_snapshots: dict[UUID, TenantSettings] = {}
_confirmed: dict[UUID, float] = {}
"""When (monotonic seconds) a snapshot was last known to be the newest."""


def tenant_settings() -> TenantSettings:
    """The acting tenant's settings. Raises Unauthenticated when the tenant is gone or closed."""
    tenant_id = current_tenant_id()
    kept = _snapshots.get(tenant_id)
    connection = hub_connection()
    if kept is not None and connection.in_atomic_block:
        if kept.version == connection.hub_settings_version:
            _confirmed[tenant_id] = time.monotonic()
            return kept
    elif kept is not None and _confirmed[tenant_id] > time.monotonic() - KEPT_SECONDS:
        return kept
    row = Tenant.objects.filter(id=tenant_id, closed_at=None).first()
    if row is None:
        raise Unauthenticated
    _snapshots[tenant_id] = snapshot = _take(row)
    _confirmed[tenant_id] = time.monotonic()
    return snapshot


def rulesets_in_use() -> dict[UUID, int]:
    """By tenant: the rule set in the settings that this process used last."""
    return {tenant: kept.active_ruleset for tenant, kept in list(_snapshots.items())}


def _known_zone(row: Tenant) -> str:
    """The tenant's zone, or UTC where this machine knows none of that name (its database of zones
    is older, or the name came by SQL): dates are then a few hours off, and sweeping goes on."""
    try:
        return ZoneInfo(row.timezone).key
    except (KeyError, ValueError, OSError):  # unknown, not a key, a folder
        log.error("unknown_timezone", tenant=row.slug, timezone=row.timezone)
        return "UTC"


def _take(row: Tenant) -> TenantSettings:
    return TenantSettings(
        tenant_id=row.id,
        slug=row.slug,
        version=row.version,
        timezone=_known_zone(row),
        locale=row.locale,
        default_ttl_minutes=row.default_ttl_minutes,
        refresh_on_read=row.refresh_on_read,
        trash_days=row.trash_days,
        notice_days=row.notice_days,
        default_decay=row.default_decay,
        recency=row.recency,
        index_fields=tuple(row.index_fields) or ("$",),
        kinds=frozenset(row.kinds),
        versions_kept=row.versions_kept,
        embedding_profile=row.embedding_profile,
        active_ruleset=row.active_ruleset,
        quota_memories=row.quota_memories,
        quota_bytes=row.quota_bytes,
        quota_requests_per_minute=row.quota_requests_per_minute,
        pii=MappingProxyType(dict(row.pii)),
        intent=MappingProxyType(dict(row.intent)),
        staged_ruleset=row.staged_ruleset,
        date_slot=row.date_slot,
        holds=row.holds,
    )
