"""Findings: what a sweep could not do, told once, closed when it could or by a person."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from memories.dating import evaluate_row
from memories.following_up import close_finding
from memories.rows import StoredMemory
from memories.sweeps import acting
from tenants.actors import operator_actor
from tenants.context import acting_as
from tests.callers import Caller
from tests.rules.governing import Governed

Sweep = Callable[..., dict[str, int]]


@pytest.mark.slow
def test_a_row_that_cannot_be_archived_is_a_finding_and_the_rest_goes_on(
    governed: Governed, agent: Caller, sweep: Sweep, pass_time: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch, make_caller: Any,
) -> None:  # fmt: skip
    governed.enforce({"key": "old", "kind": "archive", "after": {"days": 90}})
    made = {key: agent.put([key], key, {"n": 1}, index=False).json()["id"] for key in "abc"}
    pass_time(days=91)

    def poison(row: StoredMemory, *rest: Any) -> Any:
        if row.key == "b":
            raise ArithmeticError
        return evaluate_row(row, *rest)

    monkeypatch.setattr(acting, "evaluate_row", poison)
    assert sweep(dry_run=True) == {"archived": 2, "failed": 1}
    assert sweep() == {"archived": 2, "failed": 1}
    assert sweep() == {}
    viewer = governed.author
    found = viewer.call("GET", "/findings?kind=sweep_failed&open=true").json()["items"]
    assert [(one["memory_id"], one["detail"]) for one in found] == [(made["b"], "ArithmeticError")]
    assert viewer.call("GET", "/findings?kind=other").json()["items"] == []
    assert viewer.call("GET", "/findings?open=perhaps").status_code == 422
    narrow = make_caller(governed.tenant, prefixes=["a/"])
    assert narrow.call("GET", "/findings").json()["items"] == []
    monkeypatch.undo()
    pass_time(minutes=61)
    assert sweep() == {"archived": 1}
    assert viewer.call("GET", "/findings?open=true").json()["items"] == []
    closed = viewer.call("GET", "/findings?open=false").json()["items"]
    assert [one["memory_id"] for one in closed] == [made["b"]]


@pytest.mark.slow
def test_a_person_closes_a_finding_with_a_reason(
    governed: Governed, agent: Caller, sweep: Sweep, pass_time: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch, outsider: Caller,
) -> None:  # fmt: skip
    governed.enforce({"key": "old", "kind": "archive", "after": {"days": 90}})
    agent.put(["a"], "k", {"n": 1}, index=False)
    pass_time(days=91)
    monkeypatch.setattr(acting, "list_acts", lambda *given: 1 / 0)
    assert sweep() == {"failed": 1}
    (one,) = governed.author.call("GET", "/findings").json()["items"]
    with acting_as(operator_actor(governed.tenant.id)), pytest.raises(Exception, match="people"):
        close_finding(UUID(one["id"]), reason="seen")
    assert outsider.call("GET", "/findings").json()["items"] == []
