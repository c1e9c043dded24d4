"""OpenAPI of subject requests."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from pydantic import BaseModel, ConfigDict, Field

from api.openapi.jobs import JobShape
from api.openapi.shapes import PAGE_PARAMETERS, RetentionShape, Shape, answers, page_shape

State = Literal["new", "identity", "scope", "decision", "running", "verify", "closed"]
Kind = Literal["access", "erasure", "restriction"]


class ExtensionShape(Shape):
    """Why it is due a month later; `from` was the date before."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    at: datetime
    by: str
    former: Annotated[datetime, Field(alias="from")]
    reason: str | None


class IdentityShape(Shape):
    """Who verified when; how, for those who may read values."""

    at: datetime
    by: str
    method: str | None
    reference: str | None


class RequestScopeShape(Shape):
    """How many memories were found, by what, and how many open sessions."""

    by_index: int
    by_probe: int
    derived: int
    sessions: int
    computed_at: datetime


class ExclusionShape(Shape):
    """Memories that stay, and on which ground."""

    memory_ids: list[UUID]
    ground: str
    text: str | None
    by: str
    at: datetime


class DecisionShape(Shape):
    """Granted or refused."""

    grant: bool
    at: datetime
    by: str
    reason: str | None


class RequestApprovalShape(Shape):
    """The second person."""

    by: str
    at: datetime
    reason: str | None


class StoreLineShape(Shape):
    """What came of one store."""

    store: str
    found: int
    removed: int
    kept: int
    ground: str | None


class ProbeShape(Shape):
    """How often was looked again, and what was found."""

    queries: int
    hits: int


class RequestResultShape(Shape):
    """What came of it."""

    stores: list[StoreLineShape]
    probe: ProbeShape | None


class RequestLinksShape(Shape):
    """Where its parts stand; null where its kind has none."""

    memories: str
    package: str | None
    certificate: str | None


class SubjectRequestShape(Shape):
    """A subject request. Free texts are null for those who may not read them, and after an
    erasure, which destroys the key to them."""

    id: UUID
    kind: Kind
    subject: Annotated[str, Field(examples=["s_3f2a"])]
    state: State
    outcome: str | None
    reason: str | None
    received_at: datetime
    due_at: datetime
    extension: ExtensionShape | None
    identity: IdentityShape | None
    scope: RequestScopeShape | None
    exclusions: list[ExclusionShape]
    decision: DecisionShape | None
    approval: RequestApprovalShape | None
    result: RequestResultShape | None
    links: RequestLinksShape
    job: UUID | None
    created_at: datetime
    created_by: str
    closed_at: datetime | None


class RequestedMemoryShape(Shape):
    """A memory in the scope of a request; `about` says how many people it is about."""

    id: UUID
    namespace: list[str]
    kind: str
    tier: Literal["long", "short"]
    found_by: Literal["index", "probe", "derived"]
    about: int
    retention: RetentionShape


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


Reason = Annotated[str, Field(min_length=1, max_length=1000)]


class OpenRequest(_Request):
    """Who asks for what; `received_at` when it came, now if absent."""

    subject: Annotated[str, Field(min_length=1, max_length=256)]
    kind: Kind
    reason: Reason
    received_at: str | None = None


class IdentityRequest(_Request):
    """How it was verified who asks, and by which document."""

    method: Annotated[str, Field(min_length=1, max_length=1000)]
    reference: Annotated[str, Field(min_length=1, max_length=1000)]


class ExclusionsRequest(_Request):
    """Memories of the scope that stay."""

    memory_ids: Annotated[list[str], Field(min_length=1, max_length=10_000)]
    ground: Annotated[str, Field(min_length=1, max_length=200)]
    text: Annotated[str, Field(min_length=1, max_length=1000)]


class DecideRequest(_Request):
    """Grant or refuse."""

    grant: bool
    reason: Reason


class ReasonRequest(_Request):
    """Why."""

    reason: Reason


class ApproveRequest(_Request):
    """Why, if one wants to say."""

    reason: Reason | None = None


_TAGS = ["subject requests"]
_LANG = OpenApiParameter("lang", str, enum=["en", "zh"], description="Language, default en")
list_requests = extend_schema(
    operation_id="list_subject_requests", tags=_TAGS, summary="Subject requests, newest first",
    parameters=[
        *PAGE_PARAMETERS,
        OpenApiParameter("state", str, enum=list(State.__args__)),  # type: ignore[attr-defined]
        OpenApiParameter("kind", str, enum=list(Kind.__args__)),  # type: ignore[attr-defined]
    ],
    responses=answers({200: page_shape(SubjectRequestShape)}),
)  # fmt: skip
open_request = extend_schema(
    operation_id="open_subject_request", tags=_TAGS, summary="Open a subject request",
    request=OpenRequest, responses=answers({201: SubjectRequestShape}, 409),
)  # fmt: skip
get_request = extend_schema(
    operation_id="get_subject_request", tags=_TAGS, summary="One subject request",
    responses=answers({200: SubjectRequestShape}),
)  # fmt: skip


def _step(name: str, summary: str, request: Any) -> Any:
    return extend_schema(
        operation_id=f"{name}_subject_request", tags=_TAGS, summary=summary, request=request,
        responses=answers({200: SubjectRequestShape}, 409),
    )  # fmt: skip


identity = _step("identify", "Verify who asks; an erasure restricts from now on", IdentityRequest)
exclusions = _step("exclude_from", "Leave memories out, with a ground", ExclusionsRequest)
decide = _step("decide", "Grant or refuse", DecideRequest)
extend = _step("extend", "A month more, once", ReasonRequest)
withdraw = _step("withdraw", "The person takes it back", ReasonRequest)
scope = extend_schema(
    operation_id="scope_subject_request", tags=_TAGS, request=None,
    summary="Look for the person's memories", responses=answers({202: JobShape}, 409),
)  # fmt: skip
approve = extend_schema(
    operation_id="approve_subject_request", tags=_TAGS, request=ApproveRequest,
    summary="Another person's approval; a job carries it out",
    responses=answers({202: JobShape}, 409),
)  # fmt: skip
memories = extend_schema(
    operation_id="list_requested_memories", tags=_TAGS, summary="What is in its scope",
    parameters=PAGE_PARAMETERS, responses=answers({200: page_shape(RequestedMemoryShape)}),
)  # fmt: skip
package = extend_schema(
    operation_id="get_access_package", tags=_TAGS, summary="The package of an access request",
    parameters=[_LANG],
    responses={
        **answers({}, 409),
        (200, "application/zip"): OpenApiResponse(OpenApiTypes.BINARY, "The package"),
    },
)  # fmt: skip
certificate = extend_schema(
    operation_id="get_erasure_certificate", tags=_TAGS, summary="The certificate of an erasure",
    parameters=[
        _LANG,
        OpenApiParameter("format", str, enum=["json", "html"], description="Default json"),
    ],
    responses={
        **answers({200: dict[str, Any]}, 409),
        (200, "text/html"): OpenApiResponse(OpenApiTypes.STR, "The same for people"),
    },
)  # fmt: skip
