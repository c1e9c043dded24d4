"""Evidence: exports of lists, the report, what an agent knew (API.md, "Governance")."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar
from uuid import UUID

from rest_framework.request import Request

from api.base import HubView, parsed
from api.instants import read_instant
from api.openapi import evidence as shapes
from api.openapi.evidence import ExportRequest, ReportRequest
from api.paging import limit_asked
from api.rendering import Response
from api.repeating import read_again, repeatable
from api.views.jobs import accepted
from evidence.exporting import ask_for_export
from evidence.knowing import present_known, read_known
from evidence.report.writing import ask_for_report
from memories.namespaces import check_prefix, encode, parse_dotted
from memoryhub.errors import Invalid
from tenants.authorising import require
from tenants.roles import Action


class ExportsView(HubView):
    """Export a list, as a job."""

    @shapes.ask_for_export
    @repeatable(read_again)
    def post(self, request: Request) -> Response:
        require(Action.SEE_FIGURES)
        asked = parsed(ExportRequest, request)
        return accepted(ask_for_export(asked.list, asked.filter, format=asked.format))


class ReportsView(HubView):
    """Make the report of a period, as a job."""

    @shapes.ask_for_report
    @repeatable(read_again)
    def post(self, request: Request) -> Response:
        require(Action.EXPORT_EVENTS)
        asked = parsed(ReportRequest, request)
        since, until = _instant(asked.since, "from"), _instant(asked.until, "to")
        return accepted(ask_for_report(since=since, until=until, lang=asked.lang))


class KnownView(HubView):
    """What an agent could recall at an instant."""

    query_fields: ClassVar = ("actor", "at", "namespace", "limit", "cursor")

    @shapes.read_known
    def get(self, request: Request) -> Response:
        given = request.query_params
        require(Action.READ_EVENTS)
        if not given.get("actor"):
            raise Invalid.at("actor", "missing", "Name a key or a person.")
        namespace = check_prefix(parse_dotted(given.get("namespace", "")), path="namespace")
        found = read_known(
            given["actor"], _instant(given.get("at", ""), "at"), namespace=encode(namespace),
            after=_identifier(given.get("cursor")), limit=limit_asked(request),
        )  # fmt: skip
        return Response(present_known(found))


def _instant(text: str, path: str) -> datetime:
    at = read_instant(text, path=path)
    if at is None:
        raise Invalid.at(path, "missing", "Write 2026-03-24T12:06:00Z.")
    return at


def _identifier(text: str | None) -> UUID | None:
    try:
        return None if text is None else UUID(text)
    except ValueError:
        raise Invalid.at("cursor", "invalid_cursor", "Take a cursor as `next` gave it.") from None
