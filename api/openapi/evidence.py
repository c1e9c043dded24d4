"""OpenAPI of exports, reports and what an agent knew."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import BaseModel, ConfigDict, Field

from api.openapi.jobs import JobShape
from api.openapi.shapes import Shape, answers


class ExportRequest(BaseModel):
    """A list under a filter. The events' filter is the query of `GET /audit/events`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    list: str = "events"
    filter: dict[str, Any] = Field(default_factory=dict)
    format: Literal["csv", "jsonl"] = "jsonl"


class ReportRequest(BaseModel):
    """A period, half open, RFC 3339 with an offset."""

    model_config = ConfigDict(extra="forbid", strict=True)

    since: str = Field(alias="from")
    until: str = Field(alias="to")
    lang: Literal["en", "zh"] = "en"


class KnowingShape(Shape):
    """Whose knowledge was asked for."""

    kind: Literal["key", "person"]
    id: str
    name: str


class KnownShape(Shape):
    """A memory that was in use; `version` null: the value of then is not kept any more."""

    memory_id: UUID
    namespace: list[str]
    kind: str
    state: Literal["ACTIVE", "ARCHIVED"]
    version: int | None
    destroyed: bool


class ReadShape(Shape):
    """A read in the day before the instant."""

    event_id: UUID
    at: datetime
    action: str
    memory_ids: list[UUID]


class KnowledgeShape(Shape):
    """What an agent could recall at an instant, by id, and what it had read."""

    actor: KnowingShape
    at: datetime
    ruleset: int
    could_read: bool
    items: list[KnownShape]
    next: UUID | None
    read: list[ReadShape]


ask_for_export = extend_schema(
    operation_id="export_list", tags=["audit"],
    summary="Export a list; the result is {rows, sha256, manifest, note}",
    request=ExportRequest, responses=answers({202: JobShape}),
)  # fmt: skip
ask_for_report = extend_schema(
    operation_id="make_report", tags=["audit"], summary="The report of a period as a signed ZIP",
    request=ReportRequest, responses=answers({202: JobShape}),
)  # fmt: skip
read_known = extend_schema(
    operation_id="read_known", tags=["audit"], summary="What an agent could recall at an instant",
    parameters=[
        OpenApiParameter(
            "actor", str, required=True, description="A key’s id or name, or a person’s id"
        ),
        OpenApiParameter("at", str, required=True, description="An instant in the past"),
        OpenApiParameter("namespace", str, description="Labels joined by `.`"),
        OpenApiParameter("limit", int, description="1 to 200, by default 50"),
        OpenApiParameter("cursor", UUID, description="`next` of the page before"),
    ],
    responses=answers({200: KnowledgeShape}, 404),
)  # fmt: skip
