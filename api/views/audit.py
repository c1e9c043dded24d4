"""Events (API.md, "Governance"): what happened, filtered, and one with its canonical text."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from api.base import HubView
from api.instants import read_instant
from api.openapi import audit as shapes
from api.paging import PAGE_FIELDS, page_asked, page_of
from audit.events import Outcome
from audit.listing import find_events, open_event
from audit.presenting import present_event
from audit.querysets import EventFilter
from memories.namespaces import check_prefix, encode, parse_dotted
from memoryhub.errors import Invalid

FILTERS = ("actor", "action", "outcome", "target", "subject", "namespace", "from", "to")


class EventsView(HubView):
    """Every change, and every read that returned content."""

    query_fields: ClassVar = (*FILTERS, *PAGE_FIELDS)

    @shapes.list_events
    def get(self, request: Request) -> Response:
        rows = find_events(read_filter(request))
        return Response(page_of(rows, page_asked(request), by=("at", "id"), present=present_event))


class EventView(HubView):
    """One event."""

    @shapes.get_event
    def get(self, request: Request, event_id: UUID) -> Response:
        event = open_event(event_id)
        shown: dict[str, Any] = {
            **present_event(event), "payload": event.payload, "leaf": None, "proof": None,
        }  # fmt: skip
        return Response(shown)


def read_filter(request: Request) -> EventFilter:
    """The filters of the query string. Raises Invalid."""
    given = request.query_params
    outcome = given.get("outcome", "")
    if outcome and outcome not in set(Outcome):
        known = ", ".join(Outcome)
        raise Invalid.at("outcome", "unknown_value", f"The outcomes are: {known}.")
    namespace = given.get("namespace", "")
    labels = check_prefix(parse_dotted(namespace), path="namespace")
    return EventFilter(
        actor=given.get("actor", ""),
        actions=(given["action"],) if given.get("action") else (),
        outcomes=(outcome,) if outcome else (),
        target=given.get("target", ""),
        subject=given.get("subject", ""),
        namespace=encode(labels) if namespace else None,
        since=read_instant(given.get("from"), path="from"),
        until=read_instant(given.get("to"), path="to"),
    )
