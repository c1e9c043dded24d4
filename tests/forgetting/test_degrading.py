"""Degraded: a lower weight, none in search by meaning at 0, and back when no rule says so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memories.models import Memory
from tests.callers import Caller
from tests.rules.governing import Governed

Sweep = Callable[..., dict[str, int]]
PassTime = Callable[..., None]


@pytest.mark.slow
def test_a_weight_is_lowered_and_comes_back_with_an_access(
    governed: Governed, agent: Caller, sweep: Sweep, pass_time: PassTime,
    row_of: Callable[[str], Memory],
) -> None:  # fmt: skip
    governed.enforce({
        "key": "dull", "kind": "degrade", "after": {"days": 30}, "weight": 0,
        "unless_accessed": 1,
    })  # fmt: skip
    for key in ("k", "other"):
        agent.put(["a"], key, {"text": f"a cup of green tea {key}"})
    pass_time(days=31)
    assert sweep(dry_run=True) == {"degraded": 2}
    assert sweep() == {"degraded": 2}
    assert sweep() == {}
    assert row_of("k").weight == 0
    assert agent.keys(["a"], query="tea", mode="vector") == []
    assert agent.get(["a"], "k").status_code == 200
    assert (row_of("k").weight, row_of("other").weight) == (1, 0)
    assert agent.keys(["a"], query="tea", mode="vector") == ["k"]
    assert sweep() == {}


@pytest.mark.slow
def test_a_rule_that_goes_gives_the_weight_back(
    governed: Governed, agent: Caller, sweep: Sweep, pass_time: PassTime,
    row_of: Callable[[str], Memory],
) -> None:  # fmt: skip
    governed.enforce({"key": "dull", "kind": "degrade", "after": {"days": 30}, "weight": 0.25})
    agent.put(["a"], "k", {"text": "green tea"})
    pass_time(days=31)
    assert sweep() == {"degraded": 1}
    assert row_of("k").weight == 0.25
    found = agent.search(["a"], query="green tea", explain=True).json()["items"]
    assert [item["explain"]["weight"] for item in found] == [0.25]
    governed.enforce({"key": "dull", "kind": "degrade", "after": {"days": 60}, "weight": 0.25})
    assert sweep() == {}
    assert row_of("k").weight == 1
    pass_time(days=30)
    assert sweep() == {"degraded": 1}
