"""`reembed SLUG --profile NAME`: beside the old, switched, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from bench.stub import serving
from memories.embedding.calling import forget_kept_vectors
from memories.embedding.profiles import forget_profiles
from memories.models import EmbeddingProfile
from tenants.models import Tenant
from tests.callers import Caller

PLACE = ["notes"]


def _make_profile(address: str) -> str:
    number = max(EmbeddingProfile.objects.values_list("number", flat=True)) + 1
    row = EmbeddingProfile.objects.create(
        number=number, name=f"stub-{number}", provider="openai", model=f"stub-{number}",
        dimensions=384, base_url=address,
    )  # fmt: skip
    return row.name


@pytest.fixture
def second_profile(hub: str) -> Iterator[str]:
    """A profile whose endpoint is on loopback."""
    with serving() as address:
        yield _make_profile(address)
    forget_kept_vectors()


def _reembed(slug: str, profile: str) -> None:
    call_command("reembed", slug, profile=profile, json=True)


@pytest.mark.slow
def test_a_tenant_is_switched_and_goes_back(
    agent: Caller, tenant: Tenant, second_profile: str
) -> None:
    for number in range(5):
        agent.put(PLACE, f"k{number}", {"text": f"note about topic {number}"})
    _reembed(tenant.slug, second_profile)
    tenant.refresh_from_db()
    assert tenant.embedding_profile == second_profile
    found = agent.search(PLACE, query="topic 3", mode="vector", explain=True).json()
    assert found["degraded"] is None
    assert len(found["items"]) == 5
    agent.put(PLACE, "k9", {"text": "written under the new profile"})
    _reembed(tenant.slug, "e5-small")
    found = agent.search(PLACE, query="written newly", mode="vector").json()
    assert len(found["items"]) == 6


def test_a_profile_that_is_not_there_is_an_error_that_names_those_that_are(
    tenant: Tenant, hub: str
) -> None:
    with pytest.raises(CommandError, match="e5-small"):
        _reembed(tenant.slug, "nothing")


@pytest.mark.slow
def test_a_provider_that_gives_up_switches_nothing(
    agent: Caller, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent.put(PLACE, "k", {"text": "note"})
    silent = _make_profile("http://127.0.0.1:9/v1")
    monkeypatch.setattr("memories.embedding.switching.ATTEMPTS", 1)
    with pytest.raises(CommandError, match="Nothing was switched"):
        _reembed(tenant.slug, silent)
    tenant.refresh_from_db()
    assert tenant.embedding_profile == "e5-small"
    assert agent.keys(PLACE, query="note", mode="vector") == ["k"]


def test_another_model_in_the_environment_changes_no_tenant_that_has_vectors(
    agent: Caller, tenant: Tenant, settings: Any
) -> None:
    agent.put(PLACE, "k", {"text": "note"})
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_MODEL = "openai", "another"
    settings.EMBEDDING_BASE_URL, settings.EMBEDDING_DIMENSIONS = "http://127.0.0.1:9/v1", 16
    forget_profiles()
    agent.get(PLACE, "k")  # settings are read again by the first transaction
    try:
        found = agent.search(PLACE, query="note", mode="vector").json()
        assert [item["key"] for item in found["items"]] == ["k"]
        assert found["degraded"] is None
    finally:
        settings.EMBEDDING_PROVIDER = "local"
        forget_profiles()


def test_a_tenant_without_embeddings_gets_its_vectors(
    make_tenant: Callable[..., Tenant], make_caller: Callable[..., Caller]
) -> None:
    plain = make_tenant(embedding_profile="none")
    caller = make_caller(plain)
    assert caller.put(PLACE, "k", {"text": "a cat"}).json()["embedding"] == "none"
    assert caller.search(PLACE, query="a cat").json()["degraded"] == "no_profile"
    _reembed(plain.slug, "e5-small")
    assert caller.get(PLACE, "k").json()["embedding"] == "ready"
    assert caller.keys(PLACE, query="a pet", mode="vector") == ["k"]
