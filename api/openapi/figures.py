"""OpenAPI of figures."""

from __future__ import annotations

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
