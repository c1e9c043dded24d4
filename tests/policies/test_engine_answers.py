"""What else an evaluation answers: what keeps the bytes, whether a restore helps, and the like."""

from __future__ import annotations

import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from policies.cases import evaluate_case, parse_case
from policies.engine import evaluate, reconsider_at
from policies.facts import Duration, Hold, MemoryFacts, Rule, Settings
from policies.outcomes import Evaluation

EXPIRE = {"key": "e", "kind": "expire", "after": {"days": 90}}
CAP = {"key": "c", "kind": "cap", "after": {"days": 60}}
KEEP = {"key": "k", "kind": "keep", "after": {"days": 365}}
LAW = {**KEEP, "key": "law", "statutory": True}
MEMORY = {"namespace": ["crm"], "created_at": "2026-01-01T00:00:00Z"}


def evaluated(rules: list[Any], at: str, **memory: Any) -> Evaluation:
    """A memory of 1 January 2026 at midnight of a day."""
    case = {"rules": rules, "memory": {**MEMORY, **memory}, "at": f"{at}T00:00:00Z"}
    return evaluate_case(parse_case(case))


HELD = {"holds": [{"placed_at": "2026-01-01T00:00:00Z"}]}
RESTRICTED = {"restricted_at": "2026-02-01T00:00:00Z"}
ERASED = {"erasure_approved_at": "2026-02-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("rules", "memory", "keeper"),
    [
        ([EXPIRE], {}, None),
        ([EXPIRE, KEEP], {}, "floor"),
        ([EXPIRE, LAW], {}, "statutory_floor"),
        ([EXPIRE, KEEP, LAW], {}, "statutory_floor"),
        ([EXPIRE, {**KEEP, "after": {"days": 730}}, LAW], {}, "floor"),
        ([EXPIRE, {**KEEP, "anchor": "event:done"}], {}, "floor"),
        ([EXPIRE, {**LAW, "anchor": "event:done"}], {}, "statutory_floor"),
        ([EXPIRE, KEEP], HELD, "held"),
        ([EXPIRE, KEEP], RESTRICTED, "request_open"),
        ([EXPIRE, KEEP, CAP], {}, None),
        ([EXPIRE, LAW], ERASED, "statutory_floor"),
        ([EXPIRE, KEEP], ERASED, None),
    ],
)
def test_what_keeps_the_bytes(rules: list[Any], memory: Any, keeper: str | None) -> None:
    assert evaluated(rules, "2026-04-02", **memory).kept_by == keeper


@pytest.mark.parametrize(
    ("rules", "memory", "refusal"),
    [
        ([EXPIRE], {}, None),
        ([], {}, "not_hidden"),
        ([EXPIRE, CAP], {}, "hidden_by_cap"),
        ([EXPIRE, {**CAP, "after": {"days": 200}}], {}, None),
        ([EXPIRE], RESTRICTED, "hidden_by_restriction"),
        ([EXPIRE], {"erasure_verified_at": "2026-02-01T00:00:00Z"}, "hidden_by_restriction"),
        ([EXPIRE], ERASED, "hidden_by_erasure"),
        ([EXPIRE], {"source_caps": ["2026-04-02T00:00:00Z"]}, "hidden_by_cap"),
        ([], {"quarantined": True}, "not_hidden"),
    ],
)
def test_whether_a_restore_helps(rules: list[Any], memory: Any, refusal: str | None) -> None:
    assert evaluated(rules, "2026-04-02", **memory).restore_refusal == refusal


@pytest.mark.parametrize(
    ("rules", "memory", "protected"),
    [
        ([EXPIRE], {}, False),
        ([KEEP], {}, True),
        ([{**KEEP, "after": {"days": 30}}], {}, False),
        ([{**KEEP, "anchor": "event:done"}], {}, True),
        ([], HELD, True),
    ],
)
def test_whether_anonymising_seals_the_original(
    rules: list[Any], memory: Any, protected: bool
) -> None:
    assert evaluated(rules, "2026-04-02", **memory).protects_original is protected


def test_what_is_due_at_a_release_is_known_under_the_hold() -> None:
    evaluation = evaluated([EXPIRE], "2026-06-01", **HELD)
    assert evaluation.purge_at is None
    assert evaluation.due_at == datetime(2026, 5, 1, tzinfo=UTC)


def test_the_winner_is_the_rule_that_ends_use_or_archives() -> None:
    assert evaluated([EXPIRE, CAP], "2026-01-02").winner == "c"
    assert evaluated([EXPIRE], "2026-01-02").winner == "e"
    assert evaluated([{**EXPIRE, "end": "archive"}], "2026-01-02").winner == "e"
    assert evaluated([EXPIRE], "2026-01-02", ttl_expires_at="2026-01-05T00:00:00Z").winner is None
    assert evaluated([KEEP], "2026-01-02").winner is None


def test_at_one_instant_the_first_in_the_order_is_the_cause() -> None:
    day = "2026-04-01T00:00:00Z"
    memory: dict[str, Any] = {
        "erasure_approved_at": day,
        "erasure_verified_at": day,
        "restricted_at": day,
        "source_caps": [day],
    }
    causes = []
    while memory:
        causes.append(evaluated([EXPIRE], "2026-04-02", **memory).cause)
        memory.pop(next(iter(memory)))
    causes.append(evaluated([EXPIRE], "2026-04-02").cause)
    assert causes == ["erasure", "request", "restriction", "cap", "expire"]


def test_the_weight_comes_with_the_rule_that_degrades() -> None:
    rules = [
        {"key": "a", "kind": "degrade", "after": {"days": 10}, "weight": 0.5},
        {"key": "b", "kind": "degrade", "after": {"days": 10}, "weight": 0.2},
    ]
    rules[1]["active_since"] = "2026-01-01T12:00:00Z"
    assert evaluated(rules, "2026-01-02").degrade_weight == 0.2
    assert evaluated([], "2026-01-02").degrade_weight is None


def test_stored_dates_are_right_until_something_recorded_comes() -> None:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    day = timedelta(days=1)
    rule = Rule("e", "expire", Duration(days=90), active_since=at + 9 * day)
    memory = MemoryFacts(("crm",), at - 30 * day, ttl_expires_at=at + day)
    assert reconsider_at([], memory, at) is None
    assert reconsider_at([rule], memory, at) == at + 9 * day
    ahead = MemoryFacts(
        ("crm",),
        at - 30 * day,
        holds=(Hold(at - day, at + 5 * day),),
        events={"done": at + 4 * day, "gone": at},
    )
    assert reconsider_at([rule], ahead, at) == at + 4 * day


def test_rules_of_another_place_cost_a_write_a_handful_of_calls_each() -> None:
    """Counted, not timed: a write evaluates every rule of the tenant."""
    at = datetime(2026, 3, 1, tzinfo=UTC)
    memory = MemoryFacts(("users", "u1"), at)
    settings = Settings(timezone="Europe/Berlin")

    def calls_with(rounds: int) -> int:
        kinds = ("keep", "cap", "expire", "archive", "degrade") * rounds
        rules = [
            Rule(f"r{n}", kind, Duration(days=90 + n), namespace=("support",), active_since=at)
            for n, kind in enumerate(kinds)
        ]
        calls = Counter[str]()
        sys.setprofile(lambda _, event, __: calls.update([event]))
        try:
            evaluate(rules, memory, settings, at)
        finally:
            sys.setprofile(None)
        return calls["call"]

    few, many = calls_with(2), calls_with(20)
    assert (many - few) / 90 <= 2
    assert few <= 80
