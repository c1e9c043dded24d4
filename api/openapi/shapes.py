"""Shapes that several parts share: the memory, the problem, a page of a list."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from pydantic import BaseModel, ConfigDict, Field, create_model


class Shape(BaseModel):
    """Base of answers: nothing is there that is not named."""

    model_config = ConfigDict(extra="forbid")


class RetentionShape(Shape):
    """When a memory leaves use and when its bytes may go, and what decides it."""

    state: Literal[
        "ACTIVE", "ARCHIVED", "TRASH", "RETAINED", "RESTRICTED", "IN_REVIEW", "QUARANTINED", "HELD",
        "PURGED",
    ]  # fmt: skip
    visible_until: datetime | None
    purge_at: datetime | None
    ttl_minutes: float | None
    rule: str | None
    flags: list[str]


class MemoryShape(Shape):
    """One memory."""

    id: UUID
    namespace: list[str]
    key: str
    value: dict[str, Any]
    kind: str
    tier: Literal["long", "short"]
    subjects: list[str]
    tags: list[str]
    label: str | None
    classes: list[str]
    source: Any
    derived_from: list[UUID]
    importance: float
    decay: float
    version: int
    created_at: datetime
    updated_at: datetime
    accessed_at: datetime | None
    access_count: int
    embedding: Literal["ready", "pending", "none", "failed"]
    retention: RetentionShape


class FaultShape(Shape):
    """One thing wrong with the input."""

    path: Annotated[str, Field(examples=["value.a[2]"])]
    code: str
    detail: str


class ProblemShape(BaseModel):
    """An error (RFC 9457). Some codes carry further facts, such as `required` or `version`."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    code: str
    detail: str
    request_id: str
    errors: list[FaultShape] | None = None


_PROBLEMS = {
    400: "The request is not JSON",
    401: "No good credentials",
    403: "Not allowed",
    404: "Not there, or not yours",
    405: "The path does not take this method",
    409: "Not in this state",
    410: "Purged",
    412: "Another version",
    413: "The body is too large",
    415: "Not application/json",
    422: "Not valid; `errors` names each place",
    429: "Too many requests; see Retry-After",
    500: "A fault of the hub",
    503: "A part is down; see Retry-After",
}


def answers(success: dict[int, Any], *problems: int) -> dict[Any, Any]:
    """Responses for extend_schema: the good ones, and these problems beside the usual ones."""
    usual = (400, 401, 403, 404, 405, 413, 415, 422, 429, 500, 503)
    failures = {
        (status, "application/problem+json"): OpenApiResponse(ProblemShape, _PROBLEMS[status])
        for status in sorted({*usual, *problems})
    }
    return {
        **{(status, "application/json"): shape for status, shape in success.items()},
        **failures,
    }


def page_shape(item: type[BaseModel]) -> type[BaseModel]:
    """The shape of a list of these; `total` comes with `?count=true`."""
    name = f"{item.__name__.removesuffix('Shape')}PageShape"
    fields: dict[str, Any] = {
        "items": (list[item], ...),  # type: ignore[valid-type]
        "next": (str | None, ...),
        "total": (int | None, None),
    }
    return create_model(name, __base__=Shape, **fields)


PAGE_PARAMETERS = [
    OpenApiParameter("limit", int, description="1 to 200, default 50"),
    OpenApiParameter("cursor", str, description="`next` of the page before"),
    OpenApiParameter("count", bool, description="Adds `total`"),
]
