"""OpenAPI of personal data: reveal, find, quarantine, clock."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from drf_spectacular.utils import extend_schema
from pydantic import BaseModel, ConfigDict, Field

from api.openapi.memories import InspectedShape
from api.openapi.shapes import PAGE_PARAMETERS, MemoryShape, Shape, answers, page_shape

Reason = Annotated[str, Field(min_length=1, max_length=1000)]


class RevealRequest(BaseModel):
    """Which place of the value (`a.b[2]`), and why."""

    model_config = ConfigDict(extra="forbid", strict=True)

    path: Annotated[str, Field(max_length=2048)]
    reason: Reason


class RevealedShape(Shape):
    """The clear value, and until when it may be shown."""

    value: str
    until: datetime


class FindRequest(BaseModel):
    """A kind of personal data and the value that is looked for."""

    model_config = ConfigDict(extra="forbid", strict=True)

    entity: Annotated[str, Field(min_length=2, max_length=40)]
    value: Annotated[str, Field(min_length=1, max_length=1024)]


class FoundByValueShape(Shape):
    """The memories that hold the value, newest first, at most 200."""

    items: list[MemoryShape]
    next: None


class DecisionRequest(BaseModel):
    """What becomes of a quarantined memory, and why."""

    model_config = ConfigDict(extra="forbid", strict=True)

    decision: Literal["release", "redact", "destroy"]
    reason: Reason


class QuarantineFindingShape(Shape):
    """What was found, where, how often."""

    entity: str
    path: str
    count: int


class QuarantinedMemoryShape(Shape):
    """A memory that waits for a decision."""

    id: UUID
    namespace: list[str]
    key: str
    kind: str
    created_at: datetime
    quarantined_at: datetime
    because: Literal["detected", "overdue"]
    found: list[QuarantineFindingShape]


class ClockShape(Shape):
    """The 24-hour duty: the share in time, and how long it took."""

    within_24h: float
    p95_seconds: float
    worst_seconds: float
    overdue: int


_TAGS = ["privacy"]
reveal = extend_schema(
    operation_id="reveal_value", tags=_TAGS, summary="Show what is sealed at a place (officers)",
    request=RevealRequest, responses=answers({200: RevealedShape}, 409, 410),
)  # fmt: skip
find = extend_schema(
    operation_id="find_by_value", tags=_TAGS, summary="Find memories by a sealed value (officers)",
    request=FindRequest, responses=answers({200: FoundByValueShape}),
)  # fmt: skip
list_quarantine = extend_schema(
    operation_id="list_quarantine", tags=_TAGS, summary="What waits for a decision, newest first",
    parameters=PAGE_PARAMETERS, responses=answers({200: page_shape(QuarantinedMemoryShape)}),
)  # fmt: skip
decide = extend_schema(
    operation_id="decide_quarantine", tags=_TAGS, summary="Release, redact or destroy (officers)",
    request=DecisionRequest, responses=answers({200: InspectedShape}, 409, 410),
)  # fmt: skip
clock = extend_schema(
    operation_id="get_privacy_clock", tags=_TAGS, summary="How soon personal data is dealt with",
    responses=answers({200: ClockShape}),
)  # fmt: skip
