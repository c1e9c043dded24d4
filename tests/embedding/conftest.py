"""Embedding through endpoints: the installation's profile changed for one test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest

from memories.embedding.calling import forget_kept_vectors
from memories.embedding.profiles import forget_profiles
from tests.embedding.endpoints import DIMENSIONS, Endpoint, serving


@pytest.fixture
def embed_with(settings: Any, hub: str) -> Iterator[Callable[..., None]]:
    """Makes an endpoint the installation's provider."""

    def choose(url: str, *, dimensions: int = DIMENSIONS, **changes: Any) -> None:
        settings.EMBEDDING_PROVIDER = "openai"
        settings.EMBEDDING_BASE_URL = url
        settings.EMBEDDING_MODEL = f"model-{uuid4().hex[:8]}"
        settings.EMBEDDING_DIMENSIONS = dimensions
        settings.EMBEDDING_API_KEY = "secret-of-the-provider"
        for name, value in changes.items():
            setattr(settings, f"EMBEDDING_{name.upper()}", value)
        forget_profiles()
        forget_kept_vectors()

    yield choose
    forget_profiles()
    forget_kept_vectors()


@pytest.fixture
def endpoint(embed_with: Callable[..., None]) -> Iterator[Endpoint]:
    """A loopback endpoint that the hub embeds with."""
    with serving() as endpoint:
        embed_with(endpoint.url)
        yield endpoint
