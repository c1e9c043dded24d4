"""OpenAPI of jobs."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema

from api.openapi.shapes import Shape, answers


class ProgressShape(Shape):
    """How far it is; `total` is null where nobody can know."""

    done: int
    total: int | None


class JobErrorShape(Shape):
    """Why it failed."""

    code: str
    detail: str


class JobShape(Shape):
    """Work in the background."""

    id: UUID
    kind: str
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    progress: ProgressShape
    created_at: datetime
    finished_at: datetime | None
    result: dict[str, Any] | None
    error: JobErrorShape | None


_TAGS = ["jobs"]
get_job = extend_schema(
    operation_id="get_job", tags=_TAGS, summary="How far a job is",
    responses=answers({200: JobShape}),
)  # fmt: skip
cancel_job = extend_schema(
    operation_id="cancel_job", tags=_TAGS, summary="Ask a job to stop", request=None,
    responses=answers({200: JobShape}, 409),
)  # fmt: skip
get_job_file = extend_schema(
    operation_id="get_job_file", tags=_TAGS, summary="The file that a job made",
    responses={
        **answers({}, 409),
        (200, "application/octet-stream"): OpenApiResponse(OpenApiTypes.BINARY, "The file"),
    },
)  # fmt: skip
