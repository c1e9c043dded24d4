"""Lists of events: filtered, newest first, with the counts by which people narrow them down."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import cast
from uuid import UUID

from django.db import connection, transaction

from audit.models import Event
from audit.querysets import EventFilter, EventQuerySet
from memoryhub.errors import Missing
from tenants.authorising import require
from tenants.context import current_actor
from tenants.paging import USUAL, Mark, Page, cut_page, read_cursor
from tenants.roles import Action

COUNTED = 5000
"""Facets look at this many of the newest matching events: a bound, not the whole log."""


BESIDE = timedelta(minutes=10)
"""Events of one request lie no further apart; it bounds the months that are looked at."""


@dataclass(frozen=True, slots=True)
class Facets:
    """How many of the newest matching events there are of each kind."""

    actions: Counter[str] = field(default_factory=Counter)
    actor_kinds: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    counted: int = 0

    @property
    def is_capped(self) -> bool:
        """Whether there may be more than were counted."""
        return self.counted >= COUNTED


def find_events(wanted: EventFilter) -> EventQuerySet:
    """The events that match and that the caller may see, for a list to page through."""
    require(Action.READ_EVENTS)
    return _allowed().matching(wanted).without_payload().with_seals()


def list_events(wanted: EventFilter, *, cursor: str | None, limit: int = USUAL) -> Page[Event]:
    """A page of them, newest first. Raises Invalid for a cursor that is not one."""
    after = read_cursor(cursor)
    with transaction.atomic():
        rows = find_events(wanted).newest_first()
        if after is not None:
            rows = rows.older_than(after.at, after.id)
        return cut_page(list(rows[: limit + 1]), limit=limit, mark=_mark)


def count_facets(wanted: EventFilter) -> Facets:
    """Counts over the newest matching events."""
    facets, counted = Facets(), 0
    with transaction.atomic():
        rows = find_events(wanted).newest_first().values("action", "actor_kind", "outcome")
        sql, params = rows[:COUNTED].query.sql_with_params()
        with connection.cursor() as cursor:
            cursor.execute(_FACETS.format(newest=sql), params)
            groups = cursor.fetchall()
    for action, actor_kind, outcome, count in groups:
        facets.actions[action] += count
        facets.actor_kinds[actor_kind] += count
        facets.outcomes[outcome] += count
        counted += count
    return Facets(facets.actions, facets.actor_kinds, facets.outcomes, counted)


_FACETS = "SELECT n.action, n.actor_kind, n.outcome, count(*) FROM ({newest}) AS n GROUP BY 1, 2, 3"
"""Counted where they are: five thousand rows are not carried here for it."""


def open_event(event_id: UUID) -> Event:
    """One event with its payload. Raises Missing."""
    require(Action.READ_EVENTS)
    with transaction.atomic():
        event: Event | None = _allowed().with_id(event_id).with_seals().first()
    if event is None:
        raise Missing("There is no such event.")
    return event


def list_events_about(target_id: str, *, limit: int) -> list[Event]:
    """The newest events about one thing."""
    require(Action.READ_EVENTS)
    with transaction.atomic():
        return list(_allowed().about(target_id).newest_first().without_payload()[:limit])


def list_events_beside(event: Event, *, limit: int) -> list[Event]:
    """Other events of the same request: a change of configuration and what it was made for."""
    require(Action.READ_EVENTS)
    if not event.request_id:
        return []
    with transaction.atomic():
        rows = _allowed().matching(
            EventFilter(request=event.request_id, since=event.at - BESIDE, until=event.at + BESIDE)
        )
        return [
            one for one in rows.newest_first().without_payload()[: limit + 1] if one.id != event.id
        ]


def count_by_day(*, since: datetime) -> Counter[tuple[str, str]]:
    """Events by (day in UTC, area of the action) since an instant."""
    require(Action.READ_EVENTS)
    with transaction.atomic():
        return _allowed().by_day(since)


def _allowed() -> EventQuerySet:
    """The tenant's events; for a caller with prefixes those that are about something below them."""
    rows = cast("EventQuerySet", Event.objects.all())
    return rows.within(current_actor().prefixes).with_places()


def _mark(event: Event) -> Mark:
    return Mark(event.at, event.id)
