"""The engine room (API.md, Governance)."""

from __future__ import annotations

from dataclasses import asdict

from rest_framework.request import Request

from api.base import HubView
from api.openapi import figures as shapes
from api.rendering import Response
from memories.overseeing import oversee_engine


class EngineView(HubView):
    """Processes and their rules, queues, lateness, staging."""

    @shapes.engine
    def get(self, request: Request) -> Response:
        engine = oversee_engine()
        staging = engine.staging
        return Response({
            **asdict(engine),
            "staging": None if staging is None else {"done": staging.done, "total": staging.total},
        })  # fmt: skip
