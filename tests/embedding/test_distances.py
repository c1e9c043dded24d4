"""Under every distance, and by either slot of dates, one statement answers as the steps do.

A search of a small scope is said twice: by `memories.ranking`, and in SQL
(`memories/statements/at_once.py`). The first search of a place takes the steps, the second the one
statement; some memories have a lowered weight, as a rule that degrades leaves it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from django.db import transaction

from memories import searching
from memories.planning import forget_populations
from memories.statements.slots import DATED
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.ageing import act_as_owner
from tests.callers import Caller
from tests.embedding.endpoints import Endpoint

TEXTS = ("tea", "tea tea", "coffee", "a cup", "boat", "teapot", "kettle", "cocoa")


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The prefixes that were searched at once."""
    forget_populations()
    places: list[str] = []
    search = searching._search_at_once

    def noting(question: searching.Question, place: str) -> searching.Found:
        places.append(place)
        return search(question, place)

    monkeypatch.setattr(searching, "_search_at_once", noting)
    yield places
    forget_populations()


def _lower_some(owner_url: str, tenant: Tenant) -> None:
    with psycopg.connect(owner_url) as connection:
        act_as_owner(connection, tenant)
        connection.execute(
            "UPDATE memories_memory SET weight = 0.4 WHERE tenant_id = %s AND key IN ('k1', 'k5')",
            [tenant.id],
        )


def _use_the_other_slot(owner_url: str, tenant: Tenant) -> None:
    """Its dates are those of before; the first slot says that everything is over."""
    copied = ", ".join(f"{name}_b = {name}" for name in DATED)
    with psycopg.connect(owner_url) as connection:
        act_as_owner(connection, tenant)
        connection.execute(
            f"UPDATE memories_memory SET {copied}, visible_until = now() WHERE tenant_id = %s",
            [tenant.id],
        )
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        tenant.date_slot = 1
        tenant.save()


def _answer(agent: Caller, **options: Any) -> tuple[list[str], list[float]]:
    asked = {"query": "tea", "mode": "vector", "recency": 0, **options}
    items = agent.search(["small"], **asked).json()["items"]
    return [item["key"] for item in items], [item["score"] for item in items]


@pytest.mark.slow
@pytest.mark.parametrize("slot", [0, 1])
@pytest.mark.parametrize("distance", ["cosine", "l2", "ip"])
def test_one_statement_answers_as_the_steps_do(
    embed_with: Callable[..., None], endpoint: Endpoint, agent: Caller, tenant: Tenant,
    owner_url: str, taken: list[str], distance: str, slot: int,
) -> None:  # fmt: skip
    embed_with(endpoint.url, distance=distance)
    ops = [
        {"op": "put", "namespace": ["small"], "key": f"k{n}", "value": {"text": text},
         "importance": (n % 3) / 2}
        for n, text in enumerate(TEXTS)
    ]  # fmt: skip
    assert agent.batch(*ops).status_code == 200
    _lower_some(owner_url, tenant)
    if slot:
        _use_the_other_slot(owner_url, tenant)
    for options in ({}, {"recency": 0.5}, {"limit": 3, "offset": 2}):
        forget_populations()
        taken.clear()
        keys, scores = _answer(agent, **options)
        assert len(keys) == options.get("limit", len(TEXTS))
        assert not taken
        again, close = _answer(agent, **options)
        assert taken == ["small/"]
        assert again == keys
        assert close == pytest.approx(scores, rel=1e-3, abs=1e-3)
