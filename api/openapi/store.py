"""OpenAPI of the store: what each operation takes and gives."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from pydantic import Field, RootModel

from api.openapi.jobs import JobShape
from api.openapi.shapes import MemoryShape, Shape, answers
from memories.ops import DeleteNamespaceOp, DeleteOp, ListNamespacesOp, PutOp, SearchOp


class WrittenShape(MemoryShape):
    """A memory after a put."""

    outcome: Literal["created", "updated", "unchanged", "merged"]
    merged_into: UUID | None = None


class QuarantinedShape(Shape):
    """A put that waits for an officer: nothing of its value is told."""

    id: UUID
    outcome: Literal["quarantined"]


class PutShape(RootModel[WrittenShape | QuarantinedShape]):
    """What a put made."""


class ExplainShape(Shape):
    """What a score is made of."""

    vector: float | None
    text: float | None
    recency: float
    weight: float
    rank: int


class HitShape(MemoryShape):
    """A memory found."""

    score: float | None
    explain: ExplainShape | None = None


class FoundShape(Shape):
    """A page of results."""

    items: list[HitShape]
    search_id: UUID
    degraded: Literal["embedding_unavailable", "embedding_pending", "no_profile"] | None
    plan: Literal["exact", "ann"] | None = None


class NamespacesShape(Shape):
    """Namespaces, each as its labels."""

    namespaces: list[list[str]]


class KeptShape(Shape):
    """How many stay on disk beyond the trash, and why."""

    reason: Literal["held", "floor", "statutory_floor"]
    count: int


class DeletedShape(Shape):
    """What a delete by prefix did."""

    matched: int
    deleted: int
    kept: list[KeptShape]


class BatchRequest(Shape):
    """Operations, each with `op`: get, put, delete, search or list_namespaces."""

    ops: Annotated[list[dict[str, Any]], Field(max_length=20_000)]


class BatchShape(Shape):
    """Results by position."""

    results: list[Any]


_TAGS = ["store"]
_NAMESPACE = OpenApiParameter(
    "namespace", str, required=True, description="The labels joined by `.`"
)
_KEY = OpenApiParameter("key", str, required=True)
_REFRESH = OpenApiParameter(
    "refresh_ttl", bool, description="Restart the TTL; default the tenant's refresh_on_read"
)

get_item = extend_schema(
    operation_id="get_item", tags=_TAGS, summary="Read an item",
    parameters=[_NAMESPACE, _KEY, _REFRESH], responses=answers({200: MemoryShape}),
)  # fmt: skip
put_item = extend_schema(
    operation_id="put_item", tags=_TAGS, summary="Write an item", request=PutOp,
    responses=answers({200: PutShape}, 409, 412),
)  # fmt: skip
delete_item = extend_schema(
    operation_id="delete_item", tags=_TAGS, summary="Take an item out of use", request=DeleteOp,
    responses={**answers({}), 204: OpenApiResponse(description="Gone, or was not there")},
)  # fmt: skip
search = extend_schema(
    operation_id="search_items", tags=_TAGS, summary="Search by meaning, words or filters",
    request=SearchOp, responses=answers({200: FoundShape}),
)  # fmt: skip
list_namespaces = extend_schema(
    operation_id="list_namespaces", tags=_TAGS, summary="List namespaces",
    request=ListNamespacesOp, responses=answers({200: NamespacesShape}),
)  # fmt: skip
delete_namespace = extend_schema(
    operation_id="delete_namespace", tags=_TAGS,
    summary="Take everything below a prefix out of use", request=DeleteNamespaceOp,
    responses=answers({200: DeletedShape, 202: JobShape}),
)  # fmt: skip
batch = extend_schema(
    operation_id="run_batch", tags=_TAGS, summary="Many operations, all or nothing",
    request=BatchRequest, responses=answers({200: BatchShape}, 409, 412),
)  # fmt: skip
