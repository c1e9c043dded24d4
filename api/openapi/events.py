"""OpenAPI of business events."""

from __future__ import annotations

from typing import Annotated, Any, Self
from uuid import UUID

from drf_spectacular.utils import extend_schema
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from api.openapi.shapes import Shape, answers

MOST_IDS = 1000


class EventRequest(BaseModel):
    """What happened, when, and to whom: exactly one of subject, namespace and memory_ids."""

    model_config = ConfigDict(extra="forbid")

    id: Annotated[str, Field(strict=True, min_length=1, max_length=256)]
    type: Annotated[str, Field(strict=True, min_length=1, max_length=128)]
    occurred_at: Annotated[str, Field(strict=True, examples=["2026-03-24T12:06:00Z"])]
    subject: Annotated[str, Field(strict=True, min_length=1, max_length=256)] | None = None
    namespace: list[Any] | None = None
    memory_ids: Annotated[list[UUID], Field(min_length=1, max_length=MOST_IDS)] | None = None

    @model_validator(mode="after")
    def names_one(self) -> Self:
        """Whom it concerns, in one way."""
        if sum(one is not None for one in (self.subject, self.namespace, self.memory_ids)) != 1:
            detail = "Give exactly one of subject, namespace and memory_ids."
            raise PydanticCustomError("hub_not_together", detail)
        return self


class MatchedShape(Shape):
    """How many memories it concerns now."""

    matched: int


tell_event = extend_schema(
    operation_id="tell_event", tags=["events"], summary="Tell of a business event",
    request=EventRequest, responses=answers({202: MatchedShape}, 409),
)  # fmt: skip
