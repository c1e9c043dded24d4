"""Figures of a tenant."""

from __future__ import annotations

from dataclasses import asdict
from typing import ClassVar

from rest_framework.request import Request

from api.base import HubView
from api.openapi import figures as shapes
from api.rendering import Response
from memories.measuring import measure_usage
from memories.namespaces import check_prefix, parse_dotted


class UsageView(HubView):
    """How much there is below a prefix."""

    query_fields: ClassVar = ("namespace_prefix",)

    @shapes.usage
    def get(self, request: Request) -> Response:
        labels = parse_dotted(request.query_params.get("namespace_prefix", ""))
        return Response(asdict(measure_usage(check_prefix(labels))))
