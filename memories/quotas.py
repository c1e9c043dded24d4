"""Quotas of a tenant: memories and bytes, asked inside the write that would go over them.

Counting reads every row of the tenant, so a count is good for a while: half of the room it found,
at most five seconds. Near the quota the half is small and each write counts anew. Two processes
may together go over by a part of one such half; a tenant without quotas is never counted.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from memories.statements.amounts import count_amounts
from memoryhub.errors import TooMany
from tenants.authorising import require
from tenants.roles import Action
from tenants.snapshots import TenantSettings, tenant_settings

GOOD_FOR_SECONDS = 5.0
RETRY_SECONDS = 60
ENDLESS = 1 << 62


@dataclass(slots=True)
class _Room:
    """What may still be written before the next count."""

    version: int
    until: float
    memories: int
    size: int

    def holds(self, tenant: TenantSettings, created: int, size: int) -> bool:
        is_good = self.version == tenant.version and time.monotonic() < self.until
        return is_good and created <= self.memories and size <= self.size


_rooms: dict[UUID, _Room] = {}


@dataclass(frozen=True, slots=True)
class Used:
    """What a tenant has of one thing, and how much it may have; None: as much as fits."""

    used: int
    most: int | None

    @property
    def is_near(self) -> bool:
        """Nine tenths or more are used."""
        return self.most is not None and self.used * 10 >= self.most * 9


def read_use() -> dict[str, Used]:
    """Memories and bytes against their quotas, for those who administer."""
    require(Action.ADMINISTER)
    with transaction.atomic():
        tenant = tenant_settings()
        memories, size = count_amounts()
    return {
        "memories": Used(memories, tenant.quota_memories),
        "bytes": Used(size, tenant.quota_bytes),
    }


def require_room(*, created: int, size: int) -> None:
    """Room for so many new memories and bytes. Raises TooMany `quota_exceeded`."""
    tenant = tenant_settings()
    if tenant.quota_memories is None and tenant.quota_bytes is None:
        return
    room = _rooms.get(tenant.tenant_id)
    if room is None or not room.holds(tenant, created, size):
        room = _rooms[tenant.tenant_id] = _measure(tenant, created, size)
    room.memories -= created
    room.size -= size


def _measure(tenant: TenantSettings, created: int, size: int) -> _Room:
    memories, stored = count_amounts()
    left = _left(tenant.quota_memories, memories)
    bytes_left = _left(tenant.quota_bytes, stored)
    if created > left:
        raise _exceeded("memories", tenant.quota_memories)
    if size > bytes_left:
        raise _exceeded("bytes", tenant.quota_bytes)
    until = time.monotonic() + GOOD_FOR_SECONDS
    return _Room(tenant.version, until, max(created, left // 2), max(size, bytes_left // 2))


def _left(quota: int | None, used: int) -> int:
    return ENDLESS if quota is None else quota - used


def _exceeded(name: str, quota: int | None) -> TooMany:
    detail = f"The tenant may have {quota} {name}."
    return TooMany(
        detail, code="quota_exceeded", quota=name, limit=quota, retry_after=RETRY_SECONDS
    )
