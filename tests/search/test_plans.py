"""The plan of a vector search: chosen by the size of the scope, right either way."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from bench.stub import serving
from memories import planning
from memories.models import EmbeddingProfile
from memories.statements.vectors import index_profile
from tenants.models import Tenant
from tests.callers import Caller

PLACE = ["many"]


@pytest.fixture
def many(
    make_tenant: Callable[..., Tenant], make_caller: Callable[..., Caller]
) -> Iterator[Caller]:
    """A caller whose tenant holds 400 memories with vectors drawn from their texts."""
    with serving() as address:
        number = max(EmbeddingProfile.objects.values_list("number", flat=True)) + 1
        EmbeddingProfile.objects.create(
            number=number, name=f"drawn-{number}", provider="openai", model=f"drawn-{number}",
            dimensions=384, base_url=address,
        )  # fmt: skip
        index_profile(number)
        caller = make_caller(make_tenant(embedding_profile=f"drawn-{number}"))
        ops = [
            {
                "op": "put", "namespace": [*PLACE, f"u{n % 4}"], "key": f"k{n}",
                "value": {"text": f"text {n}"},
            }
            for n in range(400)
        ]  # fmt: skip
        assert caller.batch(*ops).status_code == 200
        yield caller


def _found(caller: Caller, **options: object) -> tuple[str, list[str]]:
    answer = caller.search(PLACE, query="a question", mode="vector", explain=True, **options).json()
    return answer["plan"], [item["key"] for item in answer["items"]]


@pytest.mark.slow
def test_a_small_scope_is_exact_and_a_large_one_walks_the_graph_to_the_same_answer(
    many: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, exact = _found(many)
    assert plan == "exact"
    monkeypatch.setattr(planning, "EXACT_MOST", 50)
    planning.forget_populations()
    plan, walked = _found(many)
    assert plan == "ann"
    assert walked == exact


@pytest.mark.slow
def test_the_graph_goes_on_until_a_filter_is_satisfied(
    many: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = {"filter": {"text": {"$in": [f"text {n}" for n in range(0, 400, 40)]}}, "limit": 20}
    _, exact = _found(many, **wanted)
    monkeypatch.setattr(planning, "EXACT_MOST", 50)
    planning.forget_populations()
    plan, walked = _found(many, **wanted)
    assert plan == "ann"
    assert walked == exact
    assert len(walked) == 10


def test_what_waits_for_its_vector_is_found_by_text_and_said(agent: Caller) -> None:
    agent.put(PLACE, "ready", {"text": "walrus one"})
    agent.put(PLACE, "pending", {"text": "walrus two"}, wait=False)
    found = agent.search(PLACE, query="walrus").json()
    assert found["degraded"] == "embedding_pending"
    assert {item["key"] for item in found["items"]} == {"ready", "pending"}
    assert agent.search(["elsewhere"], query="walrus").json()["degraded"] is None
