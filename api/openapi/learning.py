"""OpenAPI of promotion, feedback and golden questions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from drf_spectacular.utils import OpenApiResponse, extend_schema
from pydantic import Field

from api.openapi.access import Body
from api.openapi.jobs import JobShape
from api.openapi.shapes import PAGE_PARAMETERS, Shape, answers, page_shape
from conversations.feedback import MOST_USED
from conversations.golden import QUESTION_CHARACTERS
from memories.ops import Identifier


class PromoteRequest(Body):
    """Which candidates or short-term memories of the session; absent: all that it stated."""

    memory_ids: Annotated[list[Identifier], Field(min_length=1, max_length=64)] | None = None


class PromotedShape(Shape):
    """A long-term memory, from which candidates, and why."""

    memory_id: UUID
    from_: Annotated[list[UUID], Field(alias="from")]
    reason: Literal["marked", "confirmed", "two_sessions", "three_times", "repeated", "contradicts"]


class SkippedShape(Shape):
    """What became no long-term memory, and why."""

    memory_id: UUID
    reason: Literal["already_promoted", "outdated", "refused", "no_fact", "not_read_yet"]


class PromotionShape(Shape):
    """What the session's statements became."""

    promoted: list[PromotedShape]
    skipped: list[SkippedShape]


class FeedbackRequest(Body):
    """Which of the memories that the search returned were of use, and whether it helped."""

    used: Annotated[list[Identifier], Field(max_length=MOST_USED)]
    helpful: bool | None = None


class QuestionRequest(Body):
    """A question, where it is asked, and the memories that answer it."""

    question: Annotated[str, Field(min_length=1, max_length=QUESTION_CHARACTERS)]
    namespace_prefix: Annotated[list[Any], Field(default_factory=list)]
    expected: Annotated[list[Identifier], Field(min_length=1, max_length=64)]


class ResultShape(Shape):
    """One measuring: `recall` of the exact search, `found` of what is expected, both 0 to 1."""

    run_id: UUID
    measured_at: datetime
    recall: float | None
    found: float
    missing: list[UUID]
    degraded: str | None


class QuestionShape(Shape):
    """A golden question with its last result."""

    id: UUID
    question: str
    namespace_prefix: list[str]
    expected: list[UUID]
    created_at: datetime
    created_by: str
    last_result: ResultShape | None


class RecallRunShape(Shape):
    """One measuring of all golden questions: means, and whether they fell below those before."""

    id: UUID
    trigger: Literal["nightly", "manual"]
    started_at: datetime
    finished_at: datetime
    questions: int
    recall: float | None
    found: float | None
    dropped: bool


_TAGS = ["conversations"]
_GOLDEN = ["golden questions"]
promote_session = extend_schema(
    operation_id="promote_session", tags=_TAGS,
    summary="Keep what this session stated, without waiting for it to be repeated",
    request=PromoteRequest, responses=answers({200: PromotionShape}, 409),
)  # fmt: skip
give_feedback = extend_schema(
    operation_id="give_feedback", tags=["store"],
    summary="Say which memories of a search were of use (within a day; again replaces)",
    request=FeedbackRequest,
    responses={**answers({}), 204: OpenApiResponse(description="Kept")},
)  # fmt: skip
list_questions = extend_schema(
    operation_id="list_golden_questions", tags=_GOLDEN, summary="Golden questions, newest first",
    parameters=PAGE_PARAMETERS, responses=answers({200: page_shape(QuestionShape)}),
)  # fmt: skip
add_question = extend_schema(
    operation_id="add_golden_question", tags=_GOLDEN, summary="Add a golden question",
    request=QuestionRequest, responses=answers({201: QuestionShape}, 409),
)  # fmt: skip
get_question = extend_schema(
    operation_id="get_golden_question", tags=_GOLDEN, summary="One golden question",
    responses=answers({200: QuestionShape}),
)  # fmt: skip
remove_question = extend_schema(
    operation_id="remove_golden_question", tags=_GOLDEN, summary="Remove a golden question",
    responses={**answers({}), 204: OpenApiResponse(description="Gone, or was not there")},
)  # fmt: skip
list_question_results = extend_schema(
    operation_id="list_golden_question_results", tags=_GOLDEN,
    summary="What was measured with one question, newest first",
    parameters=PAGE_PARAMETERS, responses=answers({200: page_shape(ResultShape)}),
)  # fmt: skip
list_results = extend_schema(
    operation_id="list_recall_runs", tags=_GOLDEN, summary="Recall over time, newest first",
    parameters=PAGE_PARAMETERS, responses=answers({200: page_shape(RecallRunShape)}),
)  # fmt: skip
measure_now = extend_schema(
    operation_id="measure_recall", tags=_GOLDEN, summary="Ask all golden questions now",
    request=None, responses=answers({202: JobShape}, 409),
)  # fmt: skip
