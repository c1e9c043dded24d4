"""A search by the graph compared with the exact one."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from django.db import transaction

from memories import comparing, planning, searching
from memories.comparing import Compared, compare_with_exact
from memories.ops import SearchOp
from memories.searching import Answer, prepare_search
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.callers import Caller

TEXTS = ("我住在杭州", "默认用顺丰发货", "I like oolong tea", "Bills go to Berlin", "周三开会")


def test_above_the_bound_the_graph_is_compared_with_everything_computed(
    agent: Caller, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, text in enumerate(TEXTS):
        agent.put(["users"], f"k{number}", {"text": text}, index=["text"])
    op = SearchOp(namespace_prefix=["users"], query="where do I live", mode="vector", limit=3)
    with acting_as(operator_actor(tenant.id)):
        question = prepare_search(op)
        with transaction.atomic():
            small = compare_with_exact(question)
            assert small.exact is small.returned
            monkeypatch.setattr(planning, "EXACT_MOST", 2)
            planning.forget_populations()
            plans = _noting_plans(monkeypatch)
            large = compare_with_exact(question)
    planning.forget_populations()
    assert plans == ["ann", "exact"]
    assert large.exact == small.returned
    assert len(large.exact) == 3
    assert (set(large.returned), large.recall) == (set(large.exact), 1.0)


def test_recall_is_the_share_of_the_exact_answer() -> None:
    first, second, third = (UUID(int=number) for number in range(3))
    assert Compared([third, first], [first, second], None).recall == 0.5
    assert Compared([], [], None).recall == 1.0
    assert Compared([first], None, "no_profile").recall is None


def _noting_plans(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """The plans of the searches from here on."""
    plans: list[str | None] = []
    answer = searching.answer_question

    def noting(*asked: Any, **options: Any) -> Answer:
        made = answer(*asked, **options)
        plans.append(made.plan)
        return made

    monkeypatch.setattr(comparing, "answer_question", noting)
    return plans
