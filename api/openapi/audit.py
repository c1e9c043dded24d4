"""OpenAPI of events."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema

from api.openapi.memories import EventShape
from api.openapi.shapes import PAGE_PARAMETERS, answers, page_shape


class EventDetailShape(EventShape):
    """An event with its canonical text; leaf and proof once it is sealed."""

    payload: str
    leaf: str | None
    proof: dict[str, Any] | None


_FILTERS = [
    OpenApiParameter("actor", str, description="An id, a name, a key or a kind of actor"),
    OpenApiParameter("action", str, description="`memory.put`, or an area such as `memory`"),
    OpenApiParameter("outcome", str, description="success, denied or failed"),
    OpenApiParameter("target", str),
    OpenApiParameter("subject", str, description="A pseudonym, `s_…`"),
    OpenApiParameter("namespace", str, description="Labels joined by `.`"),
    OpenApiParameter("from", str, description="An instant; included"),
    OpenApiParameter("to", str, description="An instant; not included"),
]
list_events = extend_schema(
    operation_id="list_events", tags=["audit"], summary="Events, newest first",
    parameters=[*_FILTERS, *PAGE_PARAMETERS], responses=answers({200: page_shape(EventShape)}),
)  # fmt: skip
get_event = extend_schema(
    operation_id="get_event", tags=["audit"], summary="One event with its payload",
    responses=answers({200: EventDetailShape}),
)  # fmt: skip
