"""OpenAPI of the review queue and of findings."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field

from api.openapi.access import Body
from api.openapi.memories import InspectedShape
from api.openapi.shapes import PAGE_PARAMETERS, Shape, answers, page_shape


class ReviewShape(Shape):
    """A memory that waits for a decision since `review_at`; the key is masked."""

    memory_id: UUID
    namespace: list[str]
    key: str
    kind: str
    classes: list[str]
    label: str | None
    rule: str | None
    created_at: datetime
    updated_at: datetime
    accessed_at: datetime | None
    access_count: int
    review_at: datetime


class ReviewRequest(Body):
    """What becomes of it, and why; `label` with the decision `label` only."""

    decision: Literal["destroy", "keep", "label"]
    label: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    reason: Annotated[str, Field(min_length=1, max_length=1000)]


class FindingShape(Shape):
    """What a job could not do; closed when it could after all, or by a person."""

    id: UUID
    kind: str
    memory_id: UUID | None
    detail: str
    found_at: datetime
    closed_at: datetime | None


list_reviews = extend_schema(
    operation_id="list_reviews", tags=["policies"],
    summary="What waits for a decision, the latest first (officers)",
    parameters=PAGE_PARAMETERS, responses=answers({200: page_shape(ReviewShape)}),
)  # fmt: skip
decide_review = extend_schema(
    operation_id="decide_review", tags=["policies"], summary="Destroy, keep or label (officers)",
    request=ReviewRequest, responses=answers({200: InspectedShape}, 409, 410),
)  # fmt: skip
list_findings = extend_schema(
    operation_id="list_findings", tags=["figures"], summary="What jobs could not do, newest first",
    parameters=[
        *PAGE_PARAMETERS,
        OpenApiParameter("kind", str, description="Of this kind only, such as `sweep_failed`"),
        OpenApiParameter("open", bool, description="Open (true) or closed (false) ones only"),
    ],
    responses=answers({200: page_shape(FindingShape)}),
)  # fmt: skip
