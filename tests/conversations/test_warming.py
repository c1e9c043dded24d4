"""A web process reads the prototypes before the first message, in the background."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import override_settings

from conversations import warming
from conversations.intent import filtering
from memories.embedding.profiles import LOCAL


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(filtering, "PROTOTYPES", {"matters": ("车票要二等座",)})
    filtering._prototype_rows.cache_clear()
    yield
    filtering._prototype_rows.cache_clear()


def test_the_prototypes_are_there_before_they_are_asked_for() -> None:
    thread = warming.warm_in_background()
    assert thread is not None
    assert thread.daemon
    thread.join(60)
    assert filtering._prototype_rows.cache_info().currsize == 1
    assert filtering.prototype_rows(LOCAL)["matters"].shape == (1, LOCAL.dimensions)
    assert filtering._prototype_rows.cache_info().misses == 1


@override_settings(EMBEDDING_PROVIDER="openai")
def test_an_endpoint_is_not_asked() -> None:
    assert warming.warm_in_background() is None
    assert filtering._prototype_rows.cache_info().currsize == 0
