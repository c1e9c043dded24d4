"""Findings (API.md, Governance): what jobs could not do."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework.request import Request

from api.base import HubView, flag
from api.openapi import reviews as shapes
from api.paging import PAGE_FIELDS, page_asked, page_of
from api.rendering import Response
from memories.following_up import find_findings
from memories.models import Finding


class FindingsView(HubView):
    """The newest first."""

    query_fields: ClassVar = (*PAGE_FIELDS, "kind", "open")

    @shapes.list_findings
    def get(self, request: Request) -> Response:
        rows = find_findings(kind=request.query_params.get("kind"), is_open=flag(request, "open"))
        return Response(page_of(rows, page_asked(request), by=("found_at", "id"), present=_present))


def _present(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id, "kind": finding.kind, "memory_id": finding.memory_id,
        "detail": finding.detail, "found_at": finding.found_at, "closed_at": finding.closed_at,
    }  # fmt: skip
