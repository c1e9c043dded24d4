"""Calling an LLM: outside any transaction, checked, and given up on in time.

Any endpoint that speaks /chat/completions with a JSON schema. The connection to the database is
given back before the call. A provider that is down is left alone for a while, as an embedder is
(`memories.embedding.gating`). What is sent is masked text.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from django.conf import settings

from conversations.extracting.answering import AnswerRefused, read_answer
from conversations.extracting.prompting import PROMPT_VERSION, SCHEMA, build_messages
from conversations.extracting.statements import Statement
from memories.embedding.gating import Gate
from memories.embedding.providers import EmbeddingUnavailable
from tenants.context import release_connection

if TYPE_CHECKING:
    import openai

RETRIES = 1
ANSWER_TOKENS = 4_000


class ExtractionUnavailable(EmbeddingUnavailable):
    """The LLM did not answer, or not in time; the gate counts it as it counts an embedder's."""


_gate = Gate()


def is_configured() -> bool:
    """Whether facts are extracted by an LLM; else rules do it."""
    return bool(settings.LLM_MODEL)


def extractor_name() -> str:
    """By what statements were found: the prompt's version and the model."""
    return f"llm:{PROMPT_VERSION}:{settings.LLM_MODEL}"[:128]


def ask_for_statements(texts: Sequence[str]) -> list[list[Statement]]:
    """For each text what it states. Raises ExtractionUnavailable, AnswerRefused."""
    release_connection()
    try:
        with _gate.passing():
            content = _complete(texts)
    except ExtractionUnavailable:
        raise
    except EmbeddingUnavailable as error:  # the gate itself
        raise ExtractionUnavailable(str(error)) from None
    return read_answer(content, texts)


def forget_failures() -> None:
    """Open the gate and make the client anew (tests)."""
    global _gate
    _gate = Gate()
    _client.cache_clear()


def _complete(texts: Sequence[str]) -> str | None:
    import openai  # as in `memories.embedding.providers`: not where no LLM is configured

    try:
        answer = _client().chat.completions.create(
            model=settings.LLM_MODEL,
            messages=build_messages(texts),
            temperature=0,
            max_tokens=ANSWER_TOKENS,
            response_format={
                "type": "json_schema",
                "json_schema": {"name": PROMPT_VERSION, "strict": True, "schema": dict(SCHEMA)},
            },
        )
    except (openai.APIConnectionError, openai.InternalServerError, openai.RateLimitError) as error:
        raise ExtractionUnavailable(type(error).__name__) from None
    except openai.OpenAIError as error:
        raise AnswerRefused(type(error).__name__) from None
    except ValueError:
        raise AnswerRefused("the body is no JSON") from None
    choices = getattr(answer, "choices", None)
    if not choices or choices[0].message is None:
        raise AnswerRefused("no choice")
    return choices[0].message.content


@lru_cache(maxsize=1)
def _client() -> openai.OpenAI:
    import openai

    return openai.OpenAI(
        base_url=settings.LLM_BASE_URL or None,
        api_key=settings.LLM_API_KEY or "none",
        timeout=settings.LLM_TIMEOUT,
        max_retries=RETRIES,
    )
