"""Memories by id (API.md, "Memories by id")."""

from __future__ import annotations

from typing import Any, ClassVar, cast, get_args
from uuid import UUID

from orjson import Fragment
from rest_framework.request import Request

from api.base import HubView, parsed
from api.openapi import memories as shapes
from api.openapi.memories import LabelRequest, RestoreRequest
from api.paging import PAGE_FIELDS, page_asked, page_document, page_of
from api.rendering import Response
from api.repeating import read_again, repeatable
from audit.presenting import present_event
from memories.governing import label_memory, restore_memory
from memories.inspecting import (
    Inspected,
    Version,
    count_versions,
    events_of_memory,
    explain_memory,
    inspect_memory,
    list_versions,
)
from memories.masking import mask_json_text
from memories.presenting import present_to
from memoryhub.errors import Invalid
from policies.wording import Lang
from tenants.context import current_actor


class MemoryView(HubView):
    """One memory."""

    @shapes.get_memory
    def get(self, request: Request, memory_id: UUID) -> Response:
        return Response(present_inspected(inspect_memory(memory_id)))


class MemoryVersionsView(HubView):
    """Every value that it had."""

    query_fields: ClassVar = PAGE_FIELDS

    @shapes.list_versions
    def get(self, request: Request, memory_id: UUID) -> Response:
        asked = page_asked(request)
        before = None if asked.after is None else _version_in(asked.after)
        found = list_versions(memory_id, before=before, limit=asked.limit)
        shown = [_present_version(one) for one in found[: asked.limit]]
        end = [found[asked.limit - 1].version] if len(found) > asked.limit else None
        total = count_versions(memory_id) if asked.count else None
        return Response(page_document(shown, end=end, total=total))


class MemoryEventsView(HubView):
    """What happened to it."""

    query_fields: ClassVar = PAGE_FIELDS

    @shapes.list_events
    def get(self, request: Request, memory_id: UUID) -> Response:
        rows = events_of_memory(memory_id)
        return Response(page_of(rows, page_asked(request), by=("at", "id"), present=present_event))


class MemoryExplainView(HubView):
    """Why it is where it is."""

    query_fields: ClassVar = ("lang",)

    @shapes.explain
    def get(self, request: Request, memory_id: UUID) -> Response:
        lang = request.query_params.get("lang", "en")
        if lang not in get_args(Lang):
            raise Invalid.at("lang", "unknown_value", "The languages are en and zh.")
        return Response(explain_memory(memory_id, lang=cast("Lang", lang)))


class MemoryRestoreView(HubView):
    """Back from the trash."""

    @shapes.restore
    @repeatable(read_again, at="/api/v1/memories/{id}")
    def post(self, request: Request, memory_id: UUID) -> Response:
        asked = parsed(RestoreRequest, request)
        return _changed(restore_memory(memory_id, reason=asked.reason))


class MemoryLabelView(HubView):
    """A label by an officer."""

    @shapes.label
    @repeatable(read_again, at="/api/v1/memories/{id}")
    def post(self, request: Request, memory_id: UUID) -> Response:
        asked = parsed(LabelRequest, request)
        return _changed(label_memory(memory_id, label=asked.label, reason=asked.reason))


def present_inspected(found: Inspected) -> dict[str, Any]:
    """A memory by id as the caller may see it."""
    actor = current_actor()
    shown = present_to(actor, found.row, found.at)
    if actor.is_person:
        shown["retention"]["state"] = found.state
        shown |= {"trashed_at": found.row.trashed_at, "restorable": found.restorable}
    return shown


def _changed(found: Inspected) -> Response:
    where = f"/api/v1/memories/{found.row.id}"
    return Response(present_inspected(found), headers={"Location": where})


def _present_version(one: Version) -> dict[str, Any]:
    text = one.value
    if current_actor().is_person:
        text = mask_json_text(text, one.written_at.date())
    return {
        "version": one.version, "value": Fragment(text), "created_at": one.written_at,
        "actor": one.actor, "event_id": one.event_id,
    }  # fmt: skip


def _version_in(after: tuple[str, ...]) -> int:
    if len(after) != 1 or not after[0].isdecimal() or len(after[0]) > 9:
        raise Invalid.at("cursor", "invalid_cursor", "Take a cursor as `next` gave it.")
    return int(after[0])
