"""Puts of one key at the same time: every one a version, or a clean refusal."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import pytest

from tests.callers import Caller
from tests.threads import at_once


def test_twenty_parallel_puts_of_a_new_key_are_twenty_versions_and_one_current(
    agent: Caller,
) -> None:
    def run(number: int) -> Any:
        answer = Caller(agent.key).put(["a"], "k", {"n": number}, index=False)
        assert answer.status_code == 200
        return answer.json()

    made = at_once([partial(run, number) for number in range(20)])
    assert len({one["id"] for one in made}) == 1
    assert sorted(one["version"] for one in made) == list(range(1, 21))
    current = agent.get(["a"], "k").json()
    assert current["version"] == 20
    versions = agent.call("GET", f"/memories/{current['id']}/versions?limit=50").json()["items"]
    assert [one["version"] for one in versions] == list(range(20, 0, -1))
    assert sorted(one["value"]["n"] for one in versions) == list(range(20))
    assert len(agent.keys(["a"])) == 1


def test_of_parallel_puts_that_expect_one_version_one_wins(agent: Caller) -> None:
    agent.put(["a"], "k", {"n": -1})

    def run(number: int) -> int:
        answer = Caller(agent.key).put(["a"], "k", {"n": number}, if_version=1, index=False)
        if answer.status_code == 412:
            assert answer.json()["version"] == 2
        return int(answer.status_code)

    assert Counter(at_once([partial(run, n) for n in range(12)])) == {200: 1, 412: 11}


def test_of_parallel_puts_that_expect_nothing_one_creates(agent: Caller) -> None:
    def run(number: int) -> int:
        answer = Caller(agent.key).put(["a"], "k", {"n": number}, if_version=0, index=False)
        return int(answer.status_code)

    assert Counter(at_once([partial(run, n) for n in range(12)])) == {200: 1, 412: 11}


@pytest.mark.slow
def test_puts_and_deletes_at_once_leave_at_most_one_current(agent: Caller) -> None:
    def run(number: int) -> int:
        caller = Caller(agent.key)
        if number % 3 == 0:
            return int(caller.delete(["a"], "k").status_code)
        return int(caller.put(["a"], "k", {"n": number}, index=False).status_code)

    assert set(at_once([partial(run, n) for n in range(18)])) <= {200, 204}
    assert len(agent.keys(["a"])) <= 1
