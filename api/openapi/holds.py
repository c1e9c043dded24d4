"""OpenAPI of legal holds."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from drf_spectacular.utils import extend_schema
from pydantic import BaseModel, ConfigDict, Field

from api.openapi.shapes import PAGE_PARAMETERS, Shape, answers, page_shape

State = Literal[
    "ACTIVE", "ARCHIVED", "TRASH", "RETAINED", "RESTRICTED", "IN_REVIEW", "QUARANTINED", "HELD",
    "PURGED",
]  # fmt: skip


class HoldScopeShape(Shape):
    """What a hold covers: all of it together."""

    subjects: list[str]
    namespaces: list[list[str]]
    ids: list[UUID]


class ReleaseShape(Shape):
    """Who asked for the release and why; who released, once somebody did."""

    requested_at: datetime
    requested_by: str
    reason: str
    released_by: str | None
    released_reason: str | None


class HoldCountsShape(Shape):
    """Memories it covers now, and destructions it prevented (once for each memory)."""

    memories: int
    prevented: int


class HoldShape(Shape):
    """A legal hold."""

    id: UUID
    matter: str
    reason: str
    custodian: str
    scope: HoldScopeShape
    state: Literal["active", "release_requested", "released"]
    placed_at: datetime
    placed_by: str
    release: ReleaseShape | None
    released_at: datetime | None
    counts: HoldCountsShape


class PreventedShape(Shape):
    """What would have destroyed it, when that was due, and when the hold prevented it."""

    cause: str
    due_at: datetime
    at: datetime


class HeldMemoryShape(Shape):
    """A memory under a hold, without what it says."""

    id: UUID
    namespace: list[str]
    kind: str
    state: State
    created_at: datetime
    visible_until: datetime | None
    purge_at: datetime | None
    due_at: datetime | None
    prevented: PreventedShape | None


class GroupShape(Shape):
    """How many there are of a kind in a namespace."""

    namespace: list[str]
    kind: str
    memories: int


class PreviewShape(Shape):
    """What a scope covers now. `due_30d`: would be destroyed within 30 days; `held`: is already."""

    memories: int
    bytes: int
    hidden: int
    due_30d: int
    held: int
    by: list[GroupShape]
    samples: list[HeldMemoryShape]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class ScopeRequest(_Request):
    """Subjects, namespaces and ids, all together; at least one of anything."""

    subjects: list[str] = Field(default_factory=list)
    namespaces: list[list[str]] = Field(default_factory=list)
    ids: list[Annotated[str, Field(max_length=64)]] = Field(default_factory=list)


class HoldPreviewRequest(_Request):
    """What would be covered."""

    scope: ScopeRequest


class HoldRequest(_Request):
    """A hold to be placed."""

    matter: str
    reason: str
    custodian: str
    scope: ScopeRequest


class HoldStepRequest(_Request):
    """Why."""

    reason: str


_TAGS = ["holds"]
preview_hold = extend_schema(
    operation_id="preview_hold", tags=_TAGS, summary="What a hold would cover",
    request=HoldPreviewRequest, responses=answers({200: PreviewShape}),
)  # fmt: skip
list_holds = extend_schema(
    operation_id="list_holds", tags=_TAGS, summary="Legal holds, newest first",
    parameters=PAGE_PARAMETERS, responses=answers({200: page_shape(HoldShape)}),
)  # fmt: skip
place_hold = extend_schema(
    operation_id="place_hold", tags=_TAGS, summary="Place a hold", request=HoldRequest,
    responses=answers({201: HoldShape}, 409),
)  # fmt: skip
get_hold = extend_schema(
    operation_id="get_hold", tags=_TAGS, summary="A hold", responses=answers({200: HoldShape}),
)  # fmt: skip
list_held = extend_schema(
    operation_id="list_held_memories", tags=_TAGS, summary="Memories under a hold, newest first",
    parameters=PAGE_PARAMETERS, responses=answers({200: page_shape(HeldMemoryShape)}),
)  # fmt: skip
release_hold = extend_schema(
    operation_id="release_hold", tags=_TAGS,
    summary="Ask for the release; as a second person, release", request=HoldStepRequest,
    responses=answers({200: HoldShape}, 409),
)  # fmt: skip
keep_hold = extend_schema(
    operation_id="keep_hold", tags=_TAGS, summary="Withdraw a request for release",
    request=HoldStepRequest, responses=answers({200: HoldShape}, 409),
)  # fmt: skip
