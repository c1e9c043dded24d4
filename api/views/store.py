"""The store: request-compatible with the LangGraph platform's (API.md, "Store")."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from rest_framework.request import Request

from api.base import HubView, body_of, flag
from api.openapi import store as shapes
from api.parsing import read_json
from api.rendering import Response
from api.repeating import repeatable
from api.views.jobs import accepted
from audit.models import Job
from memories.batching import READS, run_batch
from memories.deleting import delete_memory, delete_namespace, present_deleted
from memories.inspecting import inspect_memory
from memories.namespaces import parse_dotted
from memories.namespacing import list_namespaces
from memories.ops import (
    Op,
    parse_batch,
    parse_delete,
    parse_delete_namespace,
    parse_get,
    parse_list_namespaces,
    parse_put,
    parse_search,
)
from memories.presenting import present_to
from memories.reading import get_memory
from memories.searching import Found, search_memories
from memories.writing import Written, put_memory
from memoryhub.errors import Invalid
from tenants.clock import wall_clock
from tenants.context import current_actor


def _put_again(request: Request, made: Mapping[str, Any]) -> dict[str, Any]:
    """The memory that the first request wrote, as it is now; of what is quarantined only the id."""
    if made["outcome"] == "quarantined":
        return dict(made)
    found = inspect_memory(UUID(made["id"]))
    return present_written(Written(found.row, made["outcome"]))


def _run_again(request: Request, made: Mapping[str, Any]) -> dict[str, Any]:
    """What was put as it was answered, what was read as it is now."""
    ops = _ops_of(request)
    asked = {number: op for number, op in enumerate(ops) if isinstance(op, READS)}
    read = dict(zip(asked, run_batch(list(asked.values())), strict=True))
    kept = made.get("results") or [None] * len(ops)
    return {
        "results": [
            _present_result(read[number]) if number in read else _present_kept(kept[number])
            for number in range(len(ops))
        ]
    }


def _present_kept(kept: list[Any] | None) -> dict[str, Any] | None:
    return None if kept is None else dict(zip(("id", "version", "outcome"), kept, strict=True))


def _ops_of(request: Request) -> list[Op]:
    return parse_batch(read_json(request), most=settings.MAX_BATCH_OPS)


class ItemsView(HubView):
    """One item by namespace and key."""

    query_fields: ClassVar = ("namespace", "key", "refresh_ttl")

    @shapes.get_item
    def get(self, request: Request) -> Response:
        given = request.query_params
        for name in ("namespace", "key"):
            if name not in given:
                raise Invalid.at(name, "required", "Name the item.")
        op = parse_get(
            {
                "namespace": list(parse_dotted(given["namespace"])),
                "key": given["key"],
                "refresh_ttl": flag(request, "refresh_ttl"),
            }
        )
        return Response(present_to(current_actor(), get_memory(op), wall_clock()))

    @shapes.put_item
    @repeatable(_put_again)
    def put(self, request: Request) -> Response:
        return Response(present_written(put_memory(parse_put(body_of(request)))))

    @shapes.delete_item
    def delete(self, request: Request) -> Response:
        delete_memory(parse_delete(body_of(request)))
        return Response(status=204)


class SearchView(HubView):
    """Find memories by meaning, words, filters, or newest first."""

    @shapes.search
    def post(self, request: Request) -> Response:
        return Response(present_found(search_memories(parse_search(body_of(request)))))


class NamespacesView(HubView):
    """List namespaces, or take everything below one out of use."""

    @shapes.list_namespaces
    def post(self, request: Request) -> Response:
        found = list_namespaces(parse_list_namespaces(body_of(request)))
        return Response({"namespaces": [list(labels) for labels in found]})

    @shapes.delete_namespace
    def delete(self, request: Request) -> Response:
        done = delete_namespace(parse_delete_namespace(body_of(request)))
        if isinstance(done, Job):
            return accepted(done)
        return Response(present_deleted(done))


class BatchView(HubView):
    """Many operations, one transaction."""

    max_body_bytes = settings.MAX_BATCH_BYTES

    @shapes.batch
    @repeatable(_run_again)
    def post(self, request: Request) -> Response:
        ops = _ops_of(request)
        return Response({"results": [_present_result(result) for result in run_batch(ops)]})


def present_written(written: Written) -> dict[str, Any]:
    """A put's answer: the memory and how it came so; of what is quarantined only the id."""
    if written.outcome == "quarantined":
        return {"id": written.row.id, "outcome": written.outcome}
    answer = {**present_to(current_actor(), written.row, wall_clock()), "outcome": written.outcome}
    if written.outcome == "merged":
        answer["merged_into"] = written.row.id
    return answer


def present_found(found: Found) -> dict[str, Any]:
    """A page of search results; with `explain` what each score is made of, and the plan."""
    at = wall_clock()
    items = [_present_hit(found, number, at) for number in range(len(found.hits))]
    answer = {"items": items, "search_id": found.search_id, "degraded": found.degraded}
    return {**answer, "plan": found.plan} if found.op.explain else answer


def _present_hit(found: Found, number: int, at: datetime) -> dict[str, Any]:
    hit = found.hits[number]
    ranked = hit.ranked
    item = present_to(current_actor(), hit.row, at)
    item["score"] = None if ranked is None else ranked.score
    if ranked is not None and found.op.explain:
        item["explain"] = {
            "vector": ranked.vector,
            "text": ranked.text,
            "recency": ranked.freshness,
            "weight": ranked.factor,
            "rank": found.op.offset + number + 1,
        }
    return item


def _present_result(result: Any) -> Any:
    match result:
        case Written():
            row = result.row
            return {"id": row.id, "version": row.version, "outcome": result.outcome}
        case Found():
            return present_found(result)
        case None:
            return None
        case list():
            return [list(labels) for labels in result]
        case _:
            return present_to(current_actor(), result, wall_clock())
