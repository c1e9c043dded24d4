"""Business events, from which rules may count (API.md)."""

from __future__ import annotations

from rest_framework.request import Request

from api.base import HubView, parsed
from api.openapi import events as shapes
from api.openapi.events import EventRequest
from api.rendering import Response
from api.repeating import read_again, repeatable
from memories.namespaces import check_prefix
from memories.occurring import Occurrence, tell_event
from policies.reading import Faults, parse_instant


class BusinessEventsView(HubView):
    """Something happened."""

    @shapes.tell_event
    @repeatable(read_again)
    def post(self, request: Request) -> Response:
        asked, faults = parsed(EventRequest, request), Faults()
        occurred_at = parse_instant(asked.occurred_at, "occurred_at", faults)
        faults.raise_if_any()
        namespace = asked.namespace
        occurrence = Occurrence(
            external_id=asked.id,
            type=asked.type,
            occurred_at=occurred_at,
            subject=asked.subject,
            namespace=None if namespace is None else check_prefix(namespace, path="namespace"),
            memory_ids=None if asked.memory_ids is None else tuple(asked.memory_ids),
        )
        return Response({"matched": tell_event(occurrence)}, status=202)
