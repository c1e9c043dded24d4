"""OpenAPI of sessions, their messages, recall and context."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from drf_spectacular.utils import OpenApiResponse, extend_schema
from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from api.openapi.access import Body
from api.openapi.shapes import Shape, answers
from api.openapi.store import HitShape
from conversations.assembling import BUDGET, LEAST_BUDGET, MOST_BUDGET
from conversations.recalling import LIMIT as RECALLED
from conversations.sessions import LEAST_TTL, MOST_TTL, TTL_SECONDS
from memories.ops import LIMIT as MOST
from memories.ops import LIST_ITEM_BYTES, QUERY_CHARACTERS


def _name(text: str) -> str:
    if not text.strip() or len(text.encode("utf-8", "surrogatepass")) > LIST_ITEM_BYTES:
        raise PydanticCustomError("hub_invalid_item", f"It has 1 to {LIST_ITEM_BYTES} bytes.")
    return text


def _asked(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("hub_empty", "Ask something.")
    return text


Subject = Annotated[str, AfterValidator(_name)]
Query = Annotated[str, Field(max_length=QUERY_CHARACTERS), AfterValidator(_asked)]


class SessionRequest(Body):
    """Who is talking, over which channel, and for how long a silence the session lives."""

    subject: Subject
    channel: Annotated[str, Field(max_length=64)] | None = None
    ttl_seconds: Annotated[int, Field(ge=LEAST_TTL, le=MOST_TTL)] = TTL_SECONDS


class StateRequest(Body):
    """The open task state, at most 4 KiB; it takes the place of the one before."""

    state: dict[str, Any]


class SessionShape(Shape):
    """A conversation that is going on; `context` are its last message ids, newest first."""

    session_id: str
    subject: str
    channel: str | None
    status: Literal["open"]
    state: dict[str, Any]
    created_at: datetime
    last_active_at: datetime
    expires_at: datetime
    context: list[str]


class MessageRequest(Body):
    """Something said: at most 64 KiB of content, and 2 KiB of metadata."""

    role: Literal["user", "assistant", "system", "tool"]
    content: str
    message_id: Annotated[str, Field(min_length=1, max_length=128)] | None = None
    metadata: Annotated[dict[str, Any], Field(default_factory=dict)]


class ShortTermShape(Shape):
    """Whether it went to short-term memory, as which memory, or why not."""

    stored: bool
    memory_id: UUID | None = None
    reason: Literal["chatter", "question_only", "too_short", "not_user", "pii_rejected"] | None = (
        None
    )


class MessageShape(Shape):
    """What became of a message; `classes` are the kinds of personal data in it."""

    message_id: str
    context: list[str]
    short_term: ShortTermShape
    classes: list[str]


class RecallRequest(Body):
    """A question to the session's short-term memory."""

    query: Query
    limit: Annotated[int, Field(ge=0, le=MOST)] = RECALLED


class RecalledShape(Shape):
    """What of the session fits, best first."""

    items: list[HitShape]
    search_id: UUID
    degraded: Literal["embedding_unavailable", "embedding_pending", "no_profile"] | None


class ContextRequest(Body):
    """What is to be answered, for a session or for a subject without one."""

    query: Query
    session_id: str | None = None
    subject: Subject | None = None
    budget_tokens: Annotated[int, Field(ge=LEAST_BUDGET, le=MOST_BUDGET)] = BUDGET

    @model_validator(mode="after")
    def names_one(self) -> Self:
        """Whose context, in one way."""
        if (self.session_id is None) == (self.subject is None):
            detail = "Give exactly one of session_id and subject."
            raise PydanticCustomError("hub_not_together", detail)
        return self


class ContextItemShape(Shape):
    """One line of the prompt block; the task state is of no memory."""

    tier: Literal["session", "short", "long"]
    memory_id: UUID | None
    text: str
    score: float | None


class TimingsShape(Shape):
    """Milliseconds of each tier; of short and long term with the embedding that they share."""

    session: float
    short_term: float
    long_term: float
    total: float


class ContextShape(Shape):
    """A prompt block within the budget, and what it is made of, most useful first."""

    prompt: str
    items: list[ContextItemShape]
    tokens: int
    timings_ms: TimingsShape


_TAGS = ["conversations"]

open_session = extend_schema(
    operation_id="open_session", tags=_TAGS, summary="Begin a conversation",
    request=SessionRequest, responses=answers({201: SessionShape}, 409),
)  # fmt: skip
get_session = extend_schema(
    operation_id="get_session", tags=_TAGS, summary="Read a session; its expiry slides",
    responses=answers({200: SessionShape}),
)  # fmt: skip
change_session = extend_schema(
    operation_id="change_session", tags=_TAGS, summary="Set the open task state",
    request=StateRequest, responses=answers({200: SessionShape}),
)  # fmt: skip
end_session = extend_schema(
    operation_id="end_session", tags=_TAGS,
    summary="End a session; its short-term memories go with it",
    responses={**answers({}), 204: OpenApiResponse(description="Over, or was already")},
)  # fmt: skip
add_message = extend_schema(
    operation_id="add_message", tags=_TAGS,
    summary="Add a message; the same message_id again does nothing twice",
    request=MessageRequest, responses=answers({200: MessageShape, 201: MessageShape}, 409),
)  # fmt: skip
recall = extend_schema(
    operation_id="recall_in_session", tags=_TAGS,
    summary="Search the short-term memory of this session",
    request=RecallRequest, responses=answers({200: RecalledShape}),
)  # fmt: skip
context = extend_schema(
    operation_id="assemble_context", tags=_TAGS,
    summary="What is known, as a prompt block within a token budget",
    request=ContextRequest, responses=answers({200: ContextShape}),
)  # fmt: skip
