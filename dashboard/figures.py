"""The overview's counts, gathered in one transaction; of large tenants kept for five minutes.

Counting reads every memory of the tenant and two weeks of events. A small tenant's figures are of
this instant; a large one's say of when they are, and are counted again when that is too long ago.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from django.core.cache import cache

from audit.listing import count_by_day
from memories.browsing import count_by_creation, count_standing
from memories.statements.browse import Standing
from tenants.actors import Actor
from tenants.context import current_actor
from tenants.roles import Action, allows

SOON_DAYS = 7
LATELY = timedelta(days=30)
ACTIVITY_DAYS = 14
LARGE = 20_000
"""From so many memories or events on, figures are kept."""
KEPT_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts as of `at`. `growth` as `count_by_creation`; `activity` by (day, area), or None for
    who may see no events; `is_kept` when they are of before."""

    at: datetime
    standing: Standing
    growth: list[tuple[str, str, str, int]]
    activity: Counter[tuple[str, str]] | None
    is_kept: bool = False

    @property
    def is_large(self) -> bool:
        """Whether counting it takes long enough to be worth keeping."""
        events = 0 if self.activity is None else self.activity.total()
        standing = self.standing
        return max(standing.in_use + standing.trash, events) >= LARGE


def read_figures(at: datetime) -> Figures:
    """The figures for whoever acts, perhaps those of some minutes ago."""
    key = _key(current_actor())
    kept: Figures | None = cache.get(key)
    if kept is not None:
        return Figures(kept.at, kept.standing, kept.growth, kept.activity, is_kept=True)
    found = _count(at)
    if found.is_large:
        cache.set(key, found, KEPT_SECONDS)
    return found


def _count(at: datetime) -> Figures:
    may_see_events = allows(current_actor(), Action.READ_EVENTS)
    since = (at - timedelta(days=ACTIVITY_DAYS - 1)).replace(hour=0, minute=0, second=0)
    return Figures(
        at=at,
        standing=count_standing(days=SOON_DAYS, lately=LATELY),
        growth=count_by_creation(),
        activity=count_by_day(since=since) if may_see_events else None,
    )


def _key(actor: Actor) -> str:
    """By tenant, what the actor may see and where: nobody gets another's figures."""
    sees = "\0".join([str(allows(actor, Action.READ_EVENTS)), *sorted(actor.prefixes)])
    return f"hub:figures:1:{actor.tenant_id}:{sha256(sees.encode()).hexdigest()}"
