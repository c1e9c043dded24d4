"""The overview's counts, gathered in one transaction; of large tenants kept for five minutes.

Counting reads every memory of the tenant and two weeks of events. A small tenant's figures are of
this instant; a large one's say of when they are, and are counted again when that is too long ago.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import TypeVar

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

    @property
    def size(self) -> int:
        """How many memories or events were counted, whichever is more."""
        events = 0 if self.activity is None else self.activity.total()
        return max(self.standing.in_use + self.standing.trash, events)


def read_figures(at: datetime) -> Figures:
    """The figures for whoever acts, perhaps those of some minutes ago."""
    found = keep_large("figures", lambda: _count(at), size=lambda found: found.size)
    return found if found.at == at else replace(found, is_kept=True)


def keep_large(
    name: str, count: Callable[[], Found], *, size: Callable[[Found], int], about: object = ""
) -> Found:
    """What `count` gives; when it was of many rows, what it gave up to five minutes ago.

    `about` tells apart what is counted under one name: its text goes into the key.
    """
    key = _key(name, current_actor(), about)
    kept: Found | None = cache.get(key)
    if kept is not None:
        return kept
    found = count()
    if size(found) >= LARGE:
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


def _key(name: str, actor: Actor, about: object) -> str:
    """By tenant, what the actor may see and where: nobody gets another's figures."""
    may_see_events = allows(actor, Action.READ_EVENTS)
    sees = "\0".join([repr(about), str(may_see_events), *sorted(actor.prefixes)])
    return f"hub:{name}:1:{actor.tenant_id}:{sha256(sees.encode()).hexdigest()}"
