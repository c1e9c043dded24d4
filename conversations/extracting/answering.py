"""Reading an LLM's answer: all of it fits the schema, or none of it is taken. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from conversations.extracting.statements import (
    ATTRIBUTE_CHARACTERS,
    ATTRIBUTES,
    TEXT_CHARACTERS,
    VALUE_CHARACTERS,
    Statement,
    kind_of,
)

MOST = 64


class AnswerRefused(Exception):
    """The answer is not what was asked for; nothing of it is taken."""


class _Fact(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    message: Annotated[int, Field(ge=1)]
    attribute: Annotated[str, Field(min_length=1, max_length=ATTRIBUTE_CHARACTERS)]
    value: Annotated[str, Field(min_length=1, max_length=VALUE_CHARACTERS)]
    text: Annotated[str, Field(min_length=1, max_length=TEXT_CHARACTERS)]
    confirmed: bool


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    facts: Annotated[list[_Fact], Field(max_length=MOST)]


def read_answer(content: str | None, texts: Sequence[str]) -> list[list[Statement]]:
    """For each message its statements. Raises AnswerRefused; the reason holds nothing of the text.

    An attribute that is not in the list becomes `other`; a message number that was not asked about
    refuses the whole answer.
    """
    try:
        answer = _Answer.model_validate_json(content or "")
    except ValidationError as fault:
        first = fault.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise AnswerRefused(f"{first['type']} at {where or 'the top'}") from None
    found: list[list[Statement]] = [[] for _ in texts]
    for fact in answer.facts:
        if fact.message > len(texts):
            raise AnswerRefused("a message that was not asked about")
        attribute = _known(fact.attribute.strip())
        found[fact.message - 1].append(
            Statement(
                attribute, fact.value.strip(), kind_of(attribute), fact.text.strip(), fact.confirmed
            )
        )
    return found


def _known(attribute: str) -> str:
    topic = attribute.partition(":")[0]
    return attribute if topic in ATTRIBUTES else "other"
