"""What happened: the list of events with facets, and one event in full."""

from __future__ import annotations

from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from audit.events import EVENTS, Outcome
from audit.listing import (
    Facets,
    count_facets,
    list_events,
    list_events_beside,
    open_event,
)
from audit.models import Event
from audit.presenting import say
from audit.querysets import EventFilter
from audit.verifying.standing import check_event
from dashboard import addresses
from dashboard.pages import page
from dashboard.shell import language_of
from dashboard.wording import ACTOR_NAMES, AREA_NAMES, OUTCOME_NAMES
from tenants.clock import wall_clock
from tenants.roles import Action
from tenants.snapshots import tenant_settings

PAGE = 30
BESIDE = 8
FACETS = ("area", "actor", "outcome", "target", "ns", "day", "request", "code")


@page(Action.READ_EVENTS)
def audit(request: HttpRequest) -> HttpResponse:
    """Events, newest first; everything is in the address."""
    wanted = read_filter(request)
    found = list_events(wanted, cursor=request.GET.get("cursor"), limit=PAGE)
    facets = count_facets(wanted)
    language = language_of(request)
    context: dict[str, Any] = {
        "events": [(event, say(event, lang=language)) for event in found.items],
        "next": found.next,
        "facets": facets,
        "chosen": [(name, request.GET[name]) for name in FACETS if request.GET.get(name)],
        **_choices(facets),
    }
    return render(request, "hub/audit.html", context)


def read_filter(request: HttpRequest) -> EventFilter:
    """The filters of the address; what is not understood does not narrow."""
    query = request.GET
    zone = ZoneInfo(tenant_settings().timezone)
    span = addresses.read_span(query.get("day", ""), zone=zone, now=wall_clock())
    areas = {action.partition(".")[0] for action in EVENTS}
    actions = tuple(one for one in query.getlist("area") if one in areas or one in EVENTS)
    outcomes = tuple(one for one in query.getlist("outcome") if one in set(Outcome))
    namespace = query.get("ns", "").strip("/")
    return EventFilter(
        actor=query.get("actor", "").strip()[:254],
        actions=actions,
        outcomes=outcomes,
        target=query.get("target", "").strip()[:254],
        namespace=f"{namespace}/" if namespace else None,
        since=None if span is None else span[0],
        until=None if span is None else span[1],
        request=query.get("request", "").strip()[:128],
    )


def _choices(facets: Facets) -> dict[str, Any]:
    """What can be narrowed to, with counts."""
    areas: dict[str, int] = {}
    for action, count in facets.actions.items():
        area = action.partition(".")[0]
        areas[area] = areas.get(area, 0) + count
    return {
        "areas": [
            (area, AREA_NAMES.get(area, area), count)
            for area, count in sorted(areas.items(), key=lambda item: -item[1])
        ],
        "actors": [
            (kind, ACTOR_NAMES.get(kind, kind), count)
            for kind, count in facets.actor_kinds.most_common()
        ],
        "outcomes": [
            (outcome, OUTCOME_NAMES.get(outcome, outcome), count)
            for outcome, count in facets.outcomes.most_common()
        ],
    }


@page(Action.READ_EVENTS)
def event(request: HttpRequest, event_id: UUID) -> HttpResponse:
    """One event: who, what, when, from where, and the canonical text of it."""
    found: Event = open_event(event_id)
    context = {
        "event": found,
        "sentence": say(found, lang=language_of(request)),
        "actor_kind": ACTOR_NAMES.get(found.actor_kind, found.actor_kind),
        "links": [
            (name, value)
            for name, value in found.links.items()
            if name != "ids" and value is not None
        ],
        "ids": found.links.get("ids") or [],
        "checked": check_event(found),
        "beside": [
            (one, say(one, lang=language_of(request)))
            for one in list_events_beside(found, limit=BESIDE)
        ],
    }
    template = "hub/event.html"
    return render(request, f"{template}#event" if request.htmx else template, context)  # type: ignore[attr-defined]
