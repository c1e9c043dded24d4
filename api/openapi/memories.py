"""OpenAPI of memories by id."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import BaseModel, ConfigDict, Field

from api.openapi.shapes import PAGE_PARAMETERS, MemoryShape, Shape, answers, page_shape


class InspectedShape(MemoryShape):
    """A memory by id; the last two are there for people."""

    trashed_at: datetime | None = None
    restorable: bool | None = None


class VersionShape(Shape):
    """One value that a memory had; who wrote it and by which event, where that is known."""

    version: int
    value: dict[str, Any]
    created_at: datetime
    actor: str | None
    event_id: UUID | None


class ClauseShape(Shape):
    """One ground: its date, what became of it, and why."""

    key: str
    kind: str
    date: datetime | None
    role: Literal["won", "lost", "waiting", "not_matched"]
    because: str


class NextShape(Shape):
    """What happens next."""

    at: datetime
    what: str
    because: str


class ExplanationShape(Shape):
    """Why a memory is where it is."""

    memory_id: UUID | None
    at: datetime
    ruleset: int | None
    state: str
    visible_until: datetime | None
    purge_at: datetime | None
    archive_at: datetime | None
    flags: list[str]
    clauses: list[ClauseShape]
    next: list[NextShape]
    text: str


class ActorShape(Shape):
    """Who did it."""

    kind: Literal["person", "key", "job", "operator", "anonymous"]
    id: str
    name: str


class ClientShape(Shape):
    """Where the request came from: the network, and a keyed hash of the address."""

    net: str
    hash: str


class TargetShape(Shape):
    """What it is about; `namespace` is the stored path."""

    kind: str
    id: str
    namespace: str | None


class SealedShape(Shape):
    """Its place in the tenant's tree of that epoch, and how many leaves the tree now has."""

    epoch: int
    index: int
    size: int


class EventShape(Shape):
    """One event (API.md, "Event")."""

    id: UUID
    at: datetime
    code: Annotated[str, Field(examples=["MEM-PUT-S"])]
    action: Annotated[str, Field(examples=["memory.put"])]
    outcome: Literal["success", "denied", "failed"]
    actor: ActorShape
    key_id: str | None
    roles: list[str]
    on_behalf_of: str | None
    request_id: str
    client: ClientShape
    target: TargetShape
    subjects: list[str]
    ruleset: int | None
    counts: dict[str, Any]
    links: dict[str, Any]
    sentence: str
    sealed: SealedShape | None


class RestoreRequest(BaseModel):
    """Why it is restored."""

    model_config = ConfigDict(extra="forbid", strict=True)

    reason: Annotated[str, Field(min_length=1, max_length=1000)]


class LabelRequest(BaseModel):
    """The label, null to take it off, and why."""

    model_config = ConfigDict(extra="forbid", strict=True)

    label: Annotated[str, Field(min_length=1, max_length=256)] | None
    reason: Annotated[str, Field(min_length=1, max_length=1000)]


_TAGS = ["memories"]
get_memory = extend_schema(
    operation_id="get_memory", tags=_TAGS, summary="A memory by id",
    responses=answers({200: InspectedShape}, 410),
)  # fmt: skip
list_versions = extend_schema(
    operation_id="list_memory_versions", tags=_TAGS, summary="Its values, newest first",
    parameters=PAGE_PARAMETERS, responses=answers({200: page_shape(VersionShape)}, 410),
)  # fmt: skip
list_events = extend_schema(
    operation_id="list_memory_events", tags=_TAGS, summary="What happened to it, newest first",
    parameters=PAGE_PARAMETERS, responses=answers({200: page_shape(EventShape)}),
)  # fmt: skip
explain = extend_schema(
    operation_id="explain_memory", tags=_TAGS, summary="Why it is where it is, and what comes next",
    parameters=[OpenApiParameter("lang", str, enum=["en", "zh"])],
    responses=answers({200: ExplanationShape}, 410),
)  # fmt: skip
restore = extend_schema(
    operation_id="restore_memory", tags=_TAGS, summary="Back from the trash (officers)",
    request=RestoreRequest, responses=answers({200: InspectedShape}, 409, 410),
)  # fmt: skip
label = extend_schema(
    operation_id="label_memory", tags=_TAGS, summary="Set or take off its label (officers)",
    request=LabelRequest, responses=answers({200: InspectedShape}, 409, 410),
)  # fmt: skip
