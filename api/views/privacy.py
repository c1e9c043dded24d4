"""Personal data (API.md): reveal, find, quarantine, and the 24-hour clock."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from rest_framework.request import Request

from api.base import HubView, parsed
from api.openapi import privacy as shapes
from api.openapi.privacy import DecisionRequest, FindRequest, RevealRequest
from api.paging import PAGE_FIELDS, page_asked, page_of
from api.rendering import Response
from api.views.memories import present_inspected
from memories.masking import mask_text
from memories.namespaces import decode
from memories.presenting import present_to
from memories.quarantining import decide_quarantined, describe, find_quarantined
from memories.revealing import find_by_value, reveal_value
from memories.scanning import read_clock
from tenants.access.second_factor import require_factor
from tenants.authorising import require
from tenants.context import current_actor
from tenants.roles import Action


class RevealView(HubView):
    """What stands behind a token, for five minutes."""

    @shapes.reveal
    def post(self, request: Request, memory_id: UUID) -> Response:
        asked = parsed(RevealRequest, request)
        require(Action.REVEAL)
        require_factor(request._request)
        shown = reveal_value(memory_id, path=asked.path, reason=asked.reason)
        answer = {"value": shown.value, "until": shown.until}
        return Response(answer, headers={"Cache-Control": "no-store"})


class FindView(HubView):
    """Memories by a sealed value."""

    @shapes.find
    def post(self, request: Request) -> Response:
        asked = parsed(FindRequest, request)
        rows, at = find_by_value(asked.entity, asked.value)
        actor = current_actor()
        return Response({"items": [present_to(actor, row, at) for row in rows], "next": None})


class QuarantineView(HubView):
    """What waits for a decision."""

    query_fields: ClassVar = PAGE_FIELDS

    @shapes.list_quarantine
    def get(self, request: Request) -> Response:
        rows, asked = find_quarantined(), page_asked(request)
        return Response(page_of(rows, asked, by=("quarantined_at", "id"), present=_present_waiting))


class QuarantinedView(HubView):
    """A decision about one."""

    @shapes.decide
    def post(self, request: Request, memory_id: UUID) -> Response:
        asked = parsed(DecisionRequest, request)
        done = decide_quarantined(memory_id, decision=asked.decision, reason=asked.reason)
        return Response(present_inspected(done))


class ClockView(HubView):
    """How soon personal data is dealt with."""

    @shapes.clock
    def get(self, request: Request) -> Response:
        return Response(read_clock())


def _present_waiting(memory: Any) -> dict[str, Any]:
    waiting = describe(memory)
    return {
        "id": memory.id, "namespace": list(decode(memory.namespace)),
        "key": mask_text(memory.key, today=memory.quarantined_at.date()), "kind": memory.kind,
        "created_at": memory.created_at, "quarantined_at": memory.quarantined_at,
        "because": waiting.because,
        "found": [{"entity": one[0], "path": one[1], "count": one[2]} for one in waiting.found],
    }  # fmt: skip
