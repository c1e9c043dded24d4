"""Subject requests (API.md, Governance)."""

from __future__ import annotations

from typing import Any, ClassVar, cast, get_args
from uuid import UUID

from django.http import HttpResponse
from rest_framework.request import Request

from api.base import HubView, parsed
from api.instants import read_instant
from api.openapi import requests as shapes
from api.openapi.requests import (
    ApproveRequest,
    DecideRequest,
    ExclusionsRequest,
    IdentityRequest,
    OpenRequest,
    ReasonRequest,
)
from api.paging import PAGE_FIELDS, page_asked, page_document, page_of
from api.parsing import read_json
from api.rendering import Response
from api.repeating import read_again, repeatable
from api.views.jobs import accepted
from erasure.certifying import read_certificate, show_certificate
from erasure.documents import LANGS, Lang
from erasure.packaging import take_package
from erasure.presenting import list_memories, list_requests, open_request_of, present_request
from erasure.scoping import compute_scope
from erasure.stepping import (
    approve_request,
    decide_request,
    exclude_memories,
    extend_request,
    open_request,
    verify_identity,
    withdraw_request,
)
from memoryhub.errors import Invalid
from tenants.authorising import require
from tenants.roles import Action

ROOT = "/api/v1/subject-requests"


class RequestsView(HubView):
    """All of them, and a new one."""

    query_fields: ClassVar = (*PAGE_FIELDS, "state", "kind")

    @shapes.list_requests
    def get(self, request: Request) -> Response:
        rows = list_requests()
        state = _one_of(request, "state", get_args(shapes.State))
        kind = _one_of(request, "kind", get_args(shapes.Kind))
        rows = rows if state is None else rows.in_states(state)
        rows = rows if kind is None else rows.filter(kind=kind)
        return Response(page_of(rows, page_asked(request), present=_present))

    @shapes.open_request
    @repeatable(read_again)
    def post(self, request: Request) -> Response:
        require(Action.OPEN_REQUEST)
        asked = parsed(OpenRequest, request)
        made = open_request(
            subject=asked.subject, kind=asked.kind, reason=asked.reason,
            received_at=read_instant(asked.received_at, path="received_at"),
        )  # fmt: skip
        headers = {"Location": f"{ROOT}/{made.id}"}
        return Response(_present(made), status=201, headers=headers)


class RequestView(HubView):
    """One of them."""

    @shapes.get_request
    def get(self, request: Request, request_id: UUID) -> Response:
        return Response(_linked(open_request_of(request_id)))


class IdentityView(HubView):
    """Who asks."""

    @shapes.identity
    def post(self, request: Request, request_id: UUID) -> Response:
        require(Action.STEP_REQUEST)
        asked = parsed(IdentityRequest, request)
        verify_identity(request_id, method=asked.method, reference=asked.reference)
        return Response(_linked(open_request_of(request_id)))


class ScopeView(HubView):
    """What it covers."""

    @shapes.scope
    @repeatable(read_again)
    def post(self, request: Request, request_id: UUID) -> Response:
        return accepted(compute_scope(request_id))


class ExclusionsView(HubView):
    """What stays."""

    @shapes.exclusions
    def post(self, request: Request, request_id: UUID) -> Response:
        require(Action.STEP_REQUEST)
        asked = parsed(ExclusionsRequest, request)
        ids = [_identifier(text, number) for number, text in enumerate(asked.memory_ids)]
        exclude_memories(request_id, memory_ids=ids, ground=asked.ground, text=asked.text)
        return Response(_linked(open_request_of(request_id)))


class DecideView(HubView):
    """Grant or refuse."""

    @shapes.decide
    def post(self, request: Request, request_id: UUID) -> Response:
        require(Action.STEP_REQUEST)
        asked = parsed(DecideRequest, request)
        decide_request(request_id, grant=asked.grant, reason=asked.reason)
        return Response(_linked(open_request_of(request_id)))


class ApproveRequestView(HubView):
    """Another person."""

    @shapes.approve
    @repeatable(read_again)
    def post(self, request: Request, request_id: UUID) -> Response:
        require(Action.STEP_REQUEST)
        asked = parsed(ApproveRequest, request) if read_json(request) else ApproveRequest()
        return accepted(approve_request(request_id, reason=asked.reason))


class ExtendView(HubView):
    """A month more."""

    @shapes.extend
    def post(self, request: Request, request_id: UUID) -> Response:
        require(Action.STEP_REQUEST)
        extend_request(request_id, reason=parsed(ReasonRequest, request).reason)
        return Response(_linked(open_request_of(request_id)))


class WithdrawView(HubView):
    """Taken back."""

    @shapes.withdraw
    def post(self, request: Request, request_id: UUID) -> Response:
        require(Action.STEP_REQUEST)
        withdraw_request(request_id, reason=parsed(ReasonRequest, request).reason)
        return Response(_linked(open_request_of(request_id)))


class RequestMemoriesView(HubView):
    """What is in its scope."""

    query_fields: ClassVar = PAGE_FIELDS

    @shapes.memories
    def get(self, request: Request, request_id: UUID) -> Response:
        asked = page_asked(request)
        found = list_memories(request_id)
        after = UUID(asked.after[0]) if asked.after is not None else None
        rest = [one for one in found if after is None or one["id"] < after]
        items = rest[: asked.limit]
        end = [items[-1]["id"]] if len(rest) > asked.limit else None
        total = len(found) if asked.count else None
        return Response(page_document(items, end=end, total=total))


class PackageView(HubView):
    """What an access request gives."""

    query_fields: ClassVar = ("lang",)

    @shapes.package
    def get(self, request: Request, request_id: UUID) -> HttpResponse:
        lang = _lang(request)
        name = f'attachment; filename="personal-data-{lang}.zip"'
        return HttpResponse(
            take_package(request_id, lang), content_type="application/zip",
            headers={"Content-Disposition": name},
        )  # fmt: skip


class CertificateView(HubView):
    """What an erasure ends with."""

    query_fields: ClassVar = ("lang", "format")

    @shapes.certificate
    def get(self, request: Request, request_id: UUID) -> Any:
        lang = _lang(request)
        if _one_of(request, "format", ("json", "html")) != "html":
            return Response(read_certificate(request_id))
        return HttpResponse(
            show_certificate(request_id, lang), content_type="text/html; charset=utf-8",
            headers={"Content-Disposition": 'attachment; filename="certificate.html"'},
        )  # fmt: skip


def _lang(request: Request) -> Lang:
    return cast("Lang", _one_of(request, "lang", LANGS) or "en")


def _one_of(request: Request, name: str, known: tuple[str, ...]) -> str | None:
    """A query parameter with few values. Raises Invalid."""
    given = request.query_params.get(name)
    if given is not None and given not in known:
        raise Invalid.at(name, "unknown_value", f"It is one of: {', '.join(known)}.")
    return given


def _identifier(text: str, number: int) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Invalid.at(f"memory_ids[{number}]", "invalid_type", "That is no id.") from None


def _present(request: Any) -> dict[str, Any]:
    return _linked(present_request(request))


def _linked(found: dict[str, Any]) -> dict[str, Any]:
    """With the addresses of its parts: null where its kind has none; 409 there until it is made."""
    here = f"{ROOT}/{found['id']}"
    return {**found, "links": {
        "memories": f"{here}/memories",
        "package": f"{here}/package" if found["kind"] == "access" else None,
        "certificate": f"{here}/certificate" if found["kind"] == "erasure" else None,
    }}  # fmt: skip
