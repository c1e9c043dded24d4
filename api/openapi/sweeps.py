"""OpenAPI of sweep scopes and sweeps."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from drf_spectacular.utils import OpenApiResponse, extend_schema
from pydantic import Field

from api.openapi.access import Body
from api.openapi.shapes import PAGE_PARAMETERS, Shape, answers, page_shape

Interval = Annotated[float, Field(ge=0.1, le=525_600, allow_inf_nan=False)]


class CountsShape(Shape):
    """What a sweep did."""

    hidden: int
    purged: int
    archived: int
    anonymised: int
    degraded: int
    to_review: int
    held: int
    failed: int


class RunShape(Shape):
    """One sweep: evidence."""

    id: UUID
    namespace_prefix: list[str]
    trigger: str
    dry_run: bool
    state: Literal["running", "done", "failed"]
    started_at: datetime
    finished_at: datetime | None
    lag_seconds: float
    counts: CountsShape


class SweepScopeShape(Shape):
    """A prefix with a rhythm of its own; [] is the tenant's."""

    id: UUID
    namespace_prefix: list[str]
    interval_minutes: float
    enabled: bool
    next_at: datetime | None
    last_run: RunShape | None


class ScopeRequest(Body):
    """A new scope."""

    namespace_prefix: Annotated[list[str], Field(min_length=1)]
    interval_minutes: Interval
    enabled: bool = True


class ScopeChange(Body):
    """What changes; absent keeps."""

    interval_minutes: Interval | None = None
    enabled: bool | None = None


class SweepRequest(Body):
    """Where to sweep, and whether only to count."""

    namespace_prefix: Annotated[list[str], Field(default_factory=list)]
    dry_run: bool = False


_TAGS = ["sweeps"]
list_scopes = extend_schema(
    operation_id="list_sweep_scopes", tags=_TAGS, summary="Sweep scopes",
    parameters=PAGE_PARAMETERS, responses=answers({200: page_shape(SweepScopeShape)}),
)  # fmt: skip
add_scope = extend_schema(
    operation_id="add_sweep_scope", tags=_TAGS, summary="Add a sweep scope",
    request=ScopeRequest, responses=answers({201: SweepScopeShape}, 409),
)  # fmt: skip
get_scope = extend_schema(
    operation_id="get_sweep_scope", tags=_TAGS, summary="One sweep scope",
    responses=answers({200: SweepScopeShape}),
)  # fmt: skip
change_scope = extend_schema(
    operation_id="change_sweep_scope", tags=_TAGS, summary="Another rhythm, or a pause",
    request=ScopeChange, responses=answers({200: SweepScopeShape}),
)  # fmt: skip
remove_scope = extend_schema(
    operation_id="remove_sweep_scope", tags=_TAGS, summary="Remove a sweep scope",
    responses={**answers({}, 409), 204: OpenApiResponse(description="Gone, or was not there")},
)  # fmt: skip
list_runs = extend_schema(
    operation_id="list_sweeps", tags=_TAGS, summary="Sweeps, newest first",
    parameters=PAGE_PARAMETERS, responses=answers({200: page_shape(RunShape)}),
)  # fmt: skip
run_sweep = extend_schema(
    operation_id="run_sweep", tags=_TAGS, summary="Sweep now, or count what a sweep would do",
    request=SweepRequest, responses=answers({201: RunShape}, 409),
)  # fmt: skip
get_run = extend_schema(
    operation_id="get_sweep", tags=_TAGS, summary="One sweep", responses=answers({200: RunShape}),
)  # fmt: skip
