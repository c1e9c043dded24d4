"""OpenAPI of events, checkpoints and proofs."""

from __future__ import annotations

from datetime import datetime

from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import BaseModel, ConfigDict, Field

from api.openapi.jobs import JobShape
from api.openapi.memories import EventShape
from api.openapi.shapes import PAGE_PARAMETERS, Shape, answers, page_shape


class ProofShape(Shape):
    """RFC 6962: from the leaf to the root that the checkpoint, a signed note, is about."""

    epoch: int
    index: int
    size: int
    path: list[str]
    checkpoint: str


class EventDetailShape(EventShape):
    """An event with its canonical text; leaf and proof once it is sealed."""

    payload: str
    leaf: str | None
    proof: ProofShape | None


class CheckpointShape(Shape):
    """A signed root of the tenant's tree (C2SP tlog-checkpoint)."""

    epoch: int
    size: int
    at: datetime
    root: str
    note: str


class NotesShape(Shape):
    """The checkpoints of the two sizes, null where none was signed."""

    old: str | None = Field(alias="from")
    new: str | None = Field(alias="to")


class ConsistencyShape(Shape):
    """RFC 6962: that the tree of `to` leaves begins with the tree of `from`."""

    epoch: int
    old: int = Field(alias="from")
    new: int = Field(alias="to")
    path: list[str]
    checkpoints: NotesShape


class VerifyRequest(BaseModel):
    """A span of time, RFC 3339 with an offset; without it the whole log is verified."""

    model_config = ConfigDict(extra="forbid", strict=True)

    since: str | None = Field(default=None, alias="from")
    until: str | None = Field(default=None, alias="to")


_FILTERS = [
    OpenApiParameter("actor", str, description="An id, a name, a key or a kind of actor"),
    OpenApiParameter("action", str, description="`memory.put`, or an area such as `memory`"),
    OpenApiParameter("outcome", str, description="success, denied or failed"),
    OpenApiParameter("target", str),
    OpenApiParameter("subject", str, description="A pseudonym, `s_…`"),
    OpenApiParameter("namespace", str, description="Labels joined by `.`"),
    OpenApiParameter("from", str, description="An instant; included"),
    OpenApiParameter("to", str, description="An instant; not included"),
]
list_events = extend_schema(
    operation_id="list_events", tags=["audit"], summary="Events, newest first",
    parameters=[*_FILTERS, *PAGE_PARAMETERS], responses=answers({200: page_shape(EventShape)}),
)  # fmt: skip
get_event = extend_schema(
    operation_id="get_event", tags=["audit"], summary="One event with its payload",
    responses=answers({200: EventDetailShape}),
)  # fmt: skip
list_checkpoints = extend_schema(
    operation_id="list_checkpoints", tags=["audit"], summary="Signed checkpoints, newest first",
    parameters=PAGE_PARAMETERS, responses=answers({200: page_shape(CheckpointShape)}),
)  # fmt: skip
prove_consistency = extend_schema(
    operation_id="prove_consistency", tags=["audit"],
    summary="That the log only grew between two sizes",
    parameters=[
        OpenApiParameter("epoch", int, required=True),
        OpenApiParameter("from", int, required=True, description="The earlier size"),
        OpenApiParameter("to", int, required=True, description="The later size"),
    ],
    responses=answers({200: ConsistencyShape}),
)  # fmt: skip
verify_log = extend_schema(
    operation_id="verify_log", tags=["audit"],
    summary="Verify the log; the result is {code, events, first_bad, last_good, detail}",
    request=VerifyRequest, responses=answers({202: JobShape}),
)  # fmt: skip
