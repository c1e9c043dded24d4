"""Query vectors in Redis: shared, per tenant, without text, and dispensable."""

from __future__ import annotations

import pytest

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


def test_a_search_goes_on_without_redis(agent: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    class Down:
        def get(self, *_: object) -> None:
            raise ConnectionError

        set = get

    monkeypatch.setattr(remembering, "cache", Down())
    monkeypatch.setattr(remembering, "_silent_until", 0.0)
    agent.put(["a"], "k", {"text": "note"})
    found = agent.search(["a"], query="a note that nobody asked for").json()
    assert found["degraded"] is None
    assert found["items"][0]["key"] == "k"
