"""Query vectors in Redis: shared, per tenant, without text, and dispensable."""

from __future__ import annotations

import pytest
from django.conf import settings

from memories.embedding import remembering
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.callers import Caller


def test_a_tenant_recalls_its_own_questions_only(tenant: Tenant, rival: Tenant) -> None:
    with acting_as(operator_actor(tenant.id)):
        remembering.remember_query(1, "how to ship", "[1]")
        assert remembering.recall_query(1, "how to ship") == "[1]"
        assert remembering.recall_query(2, "how to ship") is None
        assert "ship" not in remembering._key(1, "how to ship")
    with acting_as(operator_actor(rival.id)):
        assert remembering.recall_query(1, "how to ship") is None


def test_a_look_up_makes_no_client_anew(tenant: Tenant) -> None:
    with acting_as(operator_actor(tenant.id)):
        remembering.remember_query(1, "how to ship", "[1]")
        client = remembering._client()
        remembering.recall_query(1, "how to ship")
    assert remembering._client() is client


def test_a_search_goes_on_without_redis(agent: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "REDIS_URL", "unix:///nowhere/valkey.sock")
    monkeypatch.setattr(remembering, "_silent_until", 0.0)
    remembering._client.cache_clear()
    agent.put(["a"], "k", {"text": "note"})
    try:
        found = agent.search(["a"], query="a note that nobody asked for").json()
    finally:
        remembering._client.cache_clear()
    assert remembering._silent_until > 0.0
    assert found["degraded"] is None
    assert found["items"][0]["key"] == "k"
