"""The review queue (API.md, Governance)."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from rest_framework.request import Request

from api.base import HubView, parsed
from api.openapi import reviews as shapes
from api.openapi.reviews import ReviewRequest
from api.paging import PAGE_FIELDS, page_asked, page_of
from api.rendering import Response
from api.views.memories import present_inspected
from memories.masking import mask_text
from memories.namespaces import decode
from memories.reviewing import decide_review, find_reviews, review_column
from memories.statements.slots import column


class ReviewsView(HubView):
    """What waits for a person's decision."""

    query_fields: ClassVar = PAGE_FIELDS

    @shapes.list_reviews
    def get(self, request: Request) -> Response:
        rows, asked = find_reviews(), page_asked(request)
        return Response(page_of(rows, asked, by=(review_column(), "id"), present=_present))


class ReviewView(HubView):
    """A decision about one."""

    @shapes.decide_review
    def post(self, request: Request, memory_id: UUID) -> Response:
        asked = parsed(ReviewRequest, request)
        done = decide_review(
            memory_id, decision=asked.decision, reason=asked.reason, label=asked.label
        )
        return Response(present_inspected(done))


def _present(memory: Any) -> dict[str, Any]:
    since = getattr(memory, review_column())
    return {
        "memory_id": memory.id, "namespace": list(decode(memory.namespace)),
        "key": mask_text(memory.key, today=since.date()), "kind": memory.kind,
        "classes": memory.classes, "label": memory.label,
        "rule": getattr(memory, column("rule")), "created_at": memory.created_at,
        "updated_at": memory.updated_at, "accessed_at": memory.accessed_at,
        "access_count": memory.access_count, "review_at": since,
    }  # fmt: skip
