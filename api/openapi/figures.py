"""OpenAPI of figures."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from drf_spectacular.utils import OpenApiParameter, extend_schema

from api.openapi.shapes import Shape, answers


class UsageShape(Shape):
    """How much there is below a prefix; `by_state` counts tombstones as PURGED."""

    rows: int
    vectors: int
    bytes: int
    by_state: dict[str, int]
    by_kind: dict[str, int]
    requests_24h: int


usage = extend_schema(
    operation_id="get_usage", tags=["figures"], summary="Rows, vectors and bytes",
    parameters=[OpenApiParameter("namespace_prefix", str, description="Labels joined by `.`")],
    responses=answers({200: UsageShape}),
)  # fmt: skip


class ProcessShape(Shape):
    """A process that reported lately; `ruleset`: the version it used last for this tenant."""

    id: str
    kind: Literal["web", "worker", "beat"]
    ruleset: int | None
    seen_at: datetime


class StagingShape(Shape):
    """How far a simulation is that stages the coming dates."""

    done: int
    total: int | None


class EngineShape(Shape):
    """The machinery: `queues` are messages waiting, null where the queue does not answer."""

    ruleset: int
    processes: list[ProcessShape]
    queues: dict[str, int | None]
    sweep_lag_seconds: float
    scan_oldest_seconds: float
    staging: StagingShape | None


engine = extend_schema(
    operation_id="get_engine", tags=["figures"],
    summary="Processes and the rules they act by, queues, lateness, staging",
    responses=answers({200: EngineShape}),
)  # fmt: skip
