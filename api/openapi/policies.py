"""OpenAPI of rule sets and of what-if questions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import BaseModel, ConfigDict, Field

from api.openapi.jobs import JobShape
from api.openapi.memories import ExplanationShape
from api.openapi.shapes import PAGE_PARAMETERS, Shape, answers, page_shape

State = Literal["draft", "simulated", "approved", "active", "superseded"]
Number = Annotated[int, Field(ge=1, le=2**31 - 1)]


class RuleSetLineShape(Shape):
    """One version of the rules in a list."""

    n: int
    state: State
    based_on: int | None
    hash: str
    note: str
    rules: int
    created_at: datetime
    created_by: str
    activated_at: datetime | None


class ApprovalShape(Shape):
    """Who approved it, when and why."""

    by: str
    at: datetime
    reason: str


class RuleSetShape(Shape):
    """One version of the rules in full. `approvals` holds each of them, `approval` the last."""

    n: int
    state: State
    based_on: int | None
    hash: str
    note: str
    rules: list[dict[str, Any]]
    cases: list[dict[str, Any]]
    simulation: dict[str, Any] | None
    approval: ApprovalShape | None
    approvals: list[ApprovalShape]
    created_at: datetime
    created_by: str
    activated_at: datetime | None


class RuleChangeShape(Shape):
    """One rule before and after."""

    key: str
    before: dict[str, Any]
    after: dict[str, Any]


class DifferenceShape(Shape):
    """What differs between two versions."""

    added: list[dict[str, Any]]
    removed: list[dict[str, Any]]
    changed: list[RuleChangeShape]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class DraftRequest(_Request):
    """The version to begin with (null: the one in force) and a note."""

    based_on: Number | None = None
    note: Annotated[str, Field(max_length=2000)] = ""


class RulesRequest(_Request):
    """The whole content of a version; the rules and cases are in the format of RETENTION.md."""

    rules: list[Any]
    cases: list[Any] = Field(default_factory=list)
    note: Annotated[str, Field(max_length=2000)] | None = None


class ApproveRequest(_Request):
    """Why it is approved."""

    reason: Annotated[str, Field(min_length=1, max_length=1000)]


class ActivateRequest(_Request):
    """The number of memories that leave use, where the simulation asks for it."""

    confirm_count: Annotated[int, Field(ge=0)] | None = None


class CaseRequest(BaseModel):
    """A worked example (RETENTION.md); `ruleset` names a version whose rules count."""

    model_config = ConfigDict(extra="allow")

    memory: dict[str, Any]
    at: str
    ruleset: int | None = None


_TAGS = ["policies"]
list_rulesets = extend_schema(
    operation_id="list_rulesets", tags=_TAGS, summary="Versions of the rules, newest first",
    parameters=[*PAGE_PARAMETERS, OpenApiParameter("state", str, enum=list(State.__args__))],  # type: ignore[attr-defined]
    responses=answers({200: page_shape(RuleSetLineShape)}),
)  # fmt: skip
draft_ruleset = extend_schema(
    operation_id="draft_ruleset", tags=_TAGS, summary="Draft a version", request=DraftRequest,
    responses=answers({201: RuleSetShape}, 409),
)  # fmt: skip
get_ruleset = extend_schema(
    operation_id="get_ruleset", tags=_TAGS, summary="A version of the rules",
    responses=answers({200: RuleSetShape}),
)  # fmt: skip
get_active_ruleset = extend_schema(
    operation_id="get_active_ruleset", tags=_TAGS, summary="The rules in force",
    responses=answers({200: RuleSetShape}),
)  # fmt: skip
write_ruleset = extend_schema(
    operation_id="write_ruleset", tags=_TAGS, summary="Replace a version's content",
    request=RulesRequest, responses=answers({200: RuleSetShape}, 409),
)  # fmt: skip
delete_ruleset = extend_schema(
    operation_id="delete_ruleset", tags=_TAGS, summary="Throw a draft away",
    request=None, responses=answers({204: None}, 409),
)  # fmt: skip
diff_ruleset = extend_schema(
    operation_id="diff_ruleset", tags=_TAGS, summary="What differs from another version",
    parameters=[OpenApiParameter("against", str, description="A number, or active (default)")],
    responses=answers({200: DifferenceShape}),
)  # fmt: skip
simulate_ruleset = extend_schema(
    operation_id="simulate_ruleset", tags=_TAGS, summary="Rehearse a version on all memories",
    request=None, responses=answers({202: JobShape}, 409),
)  # fmt: skip
approve_ruleset = extend_schema(
    operation_id="approve_ruleset", tags=_TAGS, summary="Approve (another person)",
    request=ApproveRequest, responses=answers({200: RuleSetShape}, 409),
)  # fmt: skip
activate_ruleset = extend_schema(
    operation_id="activate_ruleset", tags=_TAGS, summary="Put a version into force",
    request=ActivateRequest, responses=answers({200: RuleSetShape}, 409),
)  # fmt: skip
evaluate = extend_schema(
    operation_id="evaluate_case", tags=_TAGS, summary="What if: an imagined memory, explained",
    parameters=[OpenApiParameter("lang", str, enum=["en", "zh"])],
    request=CaseRequest, responses=answers({200: ExplanationShape}),
)  # fmt: skip
