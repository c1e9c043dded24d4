"""Feedback: which of a search's memories were of use, as the caller says afterwards.

A search is known by its event for a day. Whose search it was may speak about it, and any key that
may see where it searched; everybody else is told that there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Q

from audit.models import Event
from audit.presenting import place_of
from audit.recording import Facts, Target, record
from conversations.models import SearchFeedback
from memories.namespaces import covers
from memoryhub.errors import FieldError, Invalid, Missing
from tenants.actors import Actor
from tenants.authorising import require
from tenants.context import now
from tenants.roles import Action

KNOWN_FOR = timedelta(hours=24)
COUNTED = timedelta(days=30)
MOST_USED = 1_000


@dataclass(frozen=True, slots=True)
class FeedbackFigures:
    """The last 30 days: searches spoken about, and how many of them were of use.

    `used` counts searches of which a memory was used; of `judged` ones it was said whether they
    helped.
    """

    given: int
    used: int
    judged: int
    helpful: int


def give_feedback(search_id: UUID, used: Sequence[UUID], *, helpful: bool | None = None) -> None:
    """Keep what was said; said again it replaces. Raises Denied, Missing, Invalid `not_shown`."""
    actor = require(Action.READ_VALUES)
    with transaction.atomic():
        shown = _shown(search_id, actor)
        faults = [
            FieldError(f"used[{number}]", "not_shown", "The search did not return it.")
            for number, one in enumerate(used)
            if str(one) not in shown
        ]
        if faults:
            raise Invalid(faults)
        distinct = list(dict.fromkeys(used))
        SearchFeedback.objects.update_or_create(
            id=search_id,
            defaults={
                "given_at": now(), "given_by": actor.id, "shown": len(shown),
                "used": distinct, "helpful": helpful,
            },
        )  # fmt: skip
        record(
            "search.feedback",
            Target("search", str(search_id)),
            Facts(counts={"n": len(distinct)}, links={"helpful": helpful}),
        )


def count_feedback() -> FeedbackFigures:
    """The figures. Whoever may see figures."""
    require(Action.SEE_FIGURES)
    with transaction.atomic():
        found = (
            SearchFeedback.objects.all()
            .since(now() - COUNTED)
            .aggregate(
                given=Count("id"),
                used=Count("id", filter=~Q(used=[])),
                judged=Count("id", filter=Q(helpful__isnull=False)),
                helpful=Count("id", filter=Q(helpful=True)),
            )
        )
    return FeedbackFigures(**found)


def _shown(search_id: UUID, actor: Actor) -> frozenset[str]:
    """The ids that the search returned. Raises Missing."""
    events: Any = Event.objects.all()
    asked = events.filter(id=search_id, action="memory.search", at__gt=now() - KNOWN_FOR)
    event: Event | None = asked.with_places().first()
    if event is None or not _may_speak(event, actor):
        raise Missing("There is no such search.")
    return frozenset(event.links.get("ids", ()))


def _may_speak(event: Event, actor: Actor) -> bool:
    if (event.actor_kind, event.actor_id) == (actor.kind.value, actor.id):
        return True
    return covers(actor.prefixes, place_of(event) or "")
