"""Legal holds (API.md, "Governance")."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from django.db import transaction
from rest_framework.request import Request

from api.base import HubView, parsed
from api.instants import read_instant
from api.openapi import holds as shapes
from api.openapi.holds import HoldPreviewRequest, HoldRequest, HoldStepRequest, ScopeRequest
from api.paging import PAGE_FIELDS, Asked, page_asked, page_document, page_of
from api.prefixes import read_prefixes
from api.rendering import Response
from api.repeating import read_again, repeatable
from memories import holding
from memories.hold_presenting import present_hold, present_preview, present_under
from memories.holding import Held
from memoryhub.errors import Invalid
from policies.models import Hold
from policies.placing import HoldScope, Matter
from tenants.authorising import require
from tenants.context import now
from tenants.roles import Action

ROOT = "/api/v1/policies/holds"


class HoldPreviewView(HubView):
    """What would be covered."""

    @shapes.preview_hold
    def post(self, request: Request) -> Response:
        require(Action.PLACE_HOLD)
        scope = _scope_of(parsed(HoldPreviewRequest, request).scope)
        return Response(present_preview(holding.preview_hold(scope)))


class HoldsView(HubView):
    """All holds."""

    query_fields: ClassVar = PAGE_FIELDS

    @shapes.list_holds
    def get(self, request: Request) -> Response:
        require(Action.SEE_FIGURES)
        page = page_of(
            Hold.objects.all(),
            page_asked(request),
            by=("placed_at", "id"),
            present=lambda row: present_hold(holding.describe_holds([row])[0]),
        )
        return Response(page)

    @shapes.place_hold
    @repeatable(read_again)
    def post(self, request: Request) -> Response:
        require(Action.PLACE_HOLD)
        asked = parsed(HoldRequest, request)
        held = holding.place(
            Matter(asked.matter, asked.reason, asked.custodian), _scope_of(asked.scope)
        )
        headers = {"Location": f"{ROOT}/{held.row.id}"}
        return Response(present_hold(held), status=201, headers=headers)


class HoldView(HubView):
    """One hold."""

    @shapes.get_hold
    def get(self, request: Request, hold_id: UUID) -> Response:
        return Response(present_hold(holding.open_hold(hold_id)))


class HeldMemoriesView(HubView):
    """What a hold covers."""

    query_fields: ClassVar = PAGE_FIELDS

    @shapes.list_held
    def get(self, request: Request, hold_id: UUID) -> Response:
        asked = page_asked(request)
        with transaction.atomic():
            found = holding.list_held(hold_id, before=_point(asked), limit=asked.limit)
            at = now()
            total = holding.count_held(hold_id) if asked.count else None
        items = [present_under(one, at) for one in found[: asked.limit]]
        end = None
        if len(found) > asked.limit:
            last = found[asked.limit - 1].row
            end = (last.created_at.isoformat(), str(last.id))
        return Response(page_document(items, end=end, total=total))


class HoldReleaseView(HubView):
    """Released by two people."""

    @shapes.release_hold
    def post(self, request: Request, hold_id: UUID) -> Response:
        return _stepped(holding.release, hold_id, request)


class HoldKeepView(HubView):
    """A request for release withdrawn."""

    @shapes.keep_hold
    def post(self, request: Request, hold_id: UUID) -> Response:
        return _stepped(holding.keep, hold_id, request)


def _stepped(step: Any, hold_id: UUID, request: Request) -> Response:
    require(Action.RELEASE_HOLD)
    held: Held = step(hold_id, reason=parsed(HoldStepRequest, request).reason)
    return Response(present_hold(held))


def _scope_of(asked: ScopeRequest) -> HoldScope:
    return HoldScope(
        tuple(asked.subjects),
        tuple(read_prefixes(asked.namespaces, path="scope.namespaces")),
        tuple(_id_of(text, place) for place, text in enumerate(asked.ids)),
    )


def _id_of(text: str, place: int) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Invalid.at(f"scope.ids[{place}]", "invalid_id", "An id is a UUID.") from None


def _point(asked: Asked) -> tuple[datetime, UUID] | None:
    """Where the page before ended."""
    if asked.after is None:
        return None
    fault = Invalid.at("cursor", "invalid_cursor", "Take a cursor as `next` gave it.")
    if len(asked.after) != 2:
        raise fault
    try:
        at = read_instant(asked.after[0], path="cursor")
        return None if at is None else (at, UUID(asked.after[1]))
    except (Invalid, ValueError):
        raise fault from None
