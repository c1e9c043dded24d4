"""Counts for the overview and other pages; of large tenants counted by a job.

Counting reads every memory of the tenant and two weeks of events. A small tenant's figures are of
this instant. A large one is never counted inside a request: beat's job counts it every five minutes
for everybody who sees something else of it, and the page says of when its figures are. Whether a
tenant is large is asked of at most `LARGE` rows. The counts lie in the cache: without it, a page of
a large tenant says that it is being counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from django.core.cache import cache
from django.db import transaction

from audit.listing import count_by_day
from audit.models import Event
from memories.browsing import count_by_creation, count_standing
from memories.clocking import count_waits
from memories.models import Memory
from memories.scanning import count_found, read_clock
from memories.statements.browse import Standing
from tenants.actors import EVERYTHING, Actor, ActorKind
from tenants.clock import wall_clock
from tenants.context import acting_as, current_actor, current_tenant_id
from tenants.models import Membership
from tenants.roles import Action, Role, allows
from tenants.snapshots import tenant_settings

SOON_DAYS = 7
LATELY = timedelta(days=30)
ACTIVITY_DAYS = 14
LARGE = 20_000
"""From so many memories or events on, a tenant is large."""
KEPT_SECONDS = 300
SCHEDULED = "figures"
LASTING = timedelta(days=1)
"""A worker that stands still for longer leaves pages without figures, not with wrong ones."""
ASKED_SECONDS = 60

BESIDE: dict[str, Callable[[], Any]] = {
    "scan-clock": read_clock, "waits": count_waits, "found": count_found,
}  # fmt: skip
"""What else the job counts of a large tenant, by the names that pages keep it under."""

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts as of `at`. `growth` as `count_by_creation`; `activity` by (day, area), or None for
    who may see no events; `is_kept` when they are of before."""

    at: datetime
    standing: Standing
    growth: list[tuple[str, str, str, int]]
    activity: Counter[tuple[str, str]] | None
    is_kept: bool = False


def read_figures(at: datetime) -> Figures | None:
    """The figures for whoever acts, of a large tenant as the job counted them last.

    None while a large tenant waits for its first count.
    """
    kept: Figures | None = cache.get(_key(SCHEDULED, current_actor(), ""))
    if kept is not None:
        return replace(kept, is_kept=True)
    return None if is_large(at) else _count(at)


def is_large(at: datetime) -> bool:
    """Whether counting is too much for a page. Asks of `LARGE` rows at most.

    Inside a transaction.
    """
    if Memory.objects.values("id")[:LARGE].count() >= LARGE:
        return True
    recent = Event.objects.filter(at__gte=_first_day(at)).values("id")[:LARGE]
    return recent.count() >= LARGE


def _is_large_now() -> bool:
    with transaction.atomic():
        return is_large(wall_clock())


def should_ask() -> bool:
    """True once a minute: the first page that finds no figures asks for them, beside beat."""
    return cache.add(f"hub:{SCHEDULED}:asked:{current_tenant_id()}", True, ASKED_SECONDS)


def count_tenant() -> int:
    """Count a large tenant for everybody who may look at it; how many counts that took.

    A tenant that is small (again) is counted by its pages.
    """
    at = wall_clock().astimezone(ZoneInfo(tenant_settings().timezone))
    viewers = _viewers()
    with transaction.atomic():
        should_count = is_large(at)
    if not should_count:
        names = (SCHEDULED, *BESIDE)
        cache.delete_many([_key(name, viewer, "") for viewer in viewers for name in names])
        return 0
    for viewer in viewers:
        with acting_as(viewer), transaction.atomic():
            found = _count(at)
            beside = {name: count() for name, count in BESIDE.items()}
        cache.set(_key(SCHEDULED, viewer, ""), found, LASTING.total_seconds())
        cache.set_many(
            {_key(name, viewer, ""): one for name, one in beside.items()}, 2 * KEPT_SECONDS
        )
    return len(viewers)


def _viewers() -> list[Actor]:
    """One actor for each thing that people see of the tenant: prefixes, and events or none."""
    members = Membership.objects.filter(tenant_id=current_tenant_id()).values_list("prefixes")
    seen = {tuple(sorted(prefixes)) or EVERYTHING for (prefixes,) in members} | {EVERYTHING}
    roles = (Role.OFFICER, Role.VIEWER)
    return [
        Actor(
            kind=ActorKind.PERSON, id=SCHEDULED, name=SCHEDULED, tenant_id=current_tenant_id(),
            roles=frozenset({role}), prefixes=prefixes,
        )
        for prefixes in sorted(seen) for role in roles
    ]  # fmt: skip


def keep_large(
    name: str,
    count: Callable[[], Found],
    *,
    size: Callable[[Found], int] | None = None,
    about: object = "",
) -> Found:
    """What `count` gives; when it was of many rows, what it gave up to five minutes ago.

    `size` tells of how many; without it, all of the tenant's are read. `about` tells apart what is
    counted under one name: its text goes into the key.
    """
    key = _key(name, current_actor(), about)
    kept: Found | None = cache.get(key)
    if kept is not None:
        return kept
    found = count()
    if size(found) >= LARGE if size is not None else _is_large_now():
        cache.set(key, found, KEPT_SECONDS)
    return found


def _count(at: datetime) -> Figures:
    may_see_events = allows(current_actor(), Action.READ_EVENTS)
    return Figures(
        at=at,
        standing=count_standing(days=SOON_DAYS, lately=LATELY),
        growth=count_by_creation(),
        activity=count_by_day(since=_first_day(at)) if may_see_events else None,
    )


def _first_day(at: datetime) -> datetime:
    """The start of the days whose events are counted."""
    return (at - timedelta(days=ACTIVITY_DAYS - 1)).replace(hour=0, minute=0, second=0)


def _key(name: str, actor: Actor, about: object) -> str:
    """By tenant, what the actor may see and where: nobody gets another's figures."""
    may_see_events = allows(actor, Action.READ_EVENTS)
    sees = "\0".join([repr(about), str(may_see_events), *sorted(actor.prefixes)])
    return f"hub:{name}:1:{actor.tenant_id}:{sha256(sees.encode()).hexdigest()}"
