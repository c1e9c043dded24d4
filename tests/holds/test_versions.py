"""A hold keeps every value that a memory had: none is pruned while it stands."""

from __future__ import annotations

from typing import Any

import pytest

from tenants.actors import operator_actor
from tenants.context import acting_as
from tests.holds.holders import Holders


def versions(holders: Holders, identifier: str) -> list[int]:
    answer = holders.first.call("GET", f"/memories/{identifier}/versions")
    return [one["version"] for one in answer.json()["items"]]


def keep_versions(holders: Holders, number: int) -> None:
    with acting_as(operator_actor(holders.tenant.id)):
        holders.tenant.versions_kept = number
        holders.tenant.save()


@pytest.mark.slow
@pytest.mark.parametrize("kept", [1, 2])
def test_old_values_are_pruned_without_a_hold_and_stay_under_one(
    holders: Holders, kept: int
) -> None:
    keep_versions(holders, kept)
    identifier = holders.put("k", subjects=["s"])
    for number in range(4):
        holders.put("k", value={"v": number}, subjects=["s"])
    assert len(versions(holders, identifier)) == kept + 1
    hold = holders.place(subjects=["s"])
    for number in range(4, 8):
        holders.put("k", value={"v": number}, subjects=["s"])
    assert len(versions(holders, identifier)) == kept + 5
    assert holders.counts(hold) == {"memories": 1, "prevented": 1}
    holders.release(hold)
    holders.put("k", value={"v": "last"}, subjects=["s"])
    assert len(versions(holders, identifier)) == kept + 1


def test_a_put_that_takes_the_subject_off_prunes_nothing(holders: Holders) -> None:
    keep_versions(holders, 1)
    identifier = holders.put("k", subjects=["s"])
    holders.place(subjects=["s"])
    for number in range(3):
        holders.put("k", value={"v": number}, subjects=[])
    assert len(versions(holders, identifier)) == 4


def test_versions_of_a_batch_are_kept_where_they_are_held(holders: Holders) -> None:
    keep_versions(holders, 1)
    ids = [holders.put(key, subjects=[key]) for key in "ab"]
    holders.place(subjects=["a"])
    for number in range(3):
        ops: list[dict[str, Any]] = [
            {"op": "put", "namespace": ["a"], "key": key, "value": {"v": number}, "index": False}
            for key in "ab"
        ]
        assert holders.agent.batch(*ops).status_code == 200
    assert [len(versions(holders, one)) for one in ids] == [4, 2]
