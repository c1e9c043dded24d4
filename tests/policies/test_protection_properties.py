"""Floors, holds, caps and notices, for every memory under every set of rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from hypothesis import assume

from policies.engine import evaluate
from policies.explaining import explain
from policies.facts import Hold, Rule
from tests.policies.drawing import (
    due_of,
    end_of,
    holding_for,
    holds,
    instants,
    is_ahead,
    purge_of,
    rules,
    worlds,
)

PROPERTIES: list[Callable[[], None]] = []
holds_for = partial(holding_for, register=PROPERTIES)


# --- total, deterministic


@holds_for(worlds)
def test_it_never_raises_and_always_explains_itself(world: Any) -> None:
    evaluation = evaluate(*world)
    for lang in ("en", "zh"):
        explanation = explain(evaluation, lang)
        assert explanation["text"]
        assert all(clause["because"] for clause in explanation["clauses"])
        assert all(step["because"] for step in explanation["next"])


@holds_for(worlds)
def test_the_same_question_has_the_same_answer_in_any_order_of_the_rules(world: Any) -> None:
    given_rules, memory, tenant, at = world
    one = evaluate(given_rules, memory, tenant, at)
    other = evaluate(tuple(reversed(given_rules)), memory, tenant, at)
    assert replace(one, rules=(), found=one.found) == replace(other, rules=(), found=one.found)


# --- protection


@holds_for(worlds, rules(("keep",)))
def test_a_further_keep_never_destroys_earlier_and_never_touches_use(world: Any, keep: Any) -> None:
    given_rules, memory, tenant, at = world
    before = evaluate(given_rules, memory, tenant, at)
    after = evaluate((*given_rules, replace(keep, key="new")), memory, tenant, at)
    assert purge_of(after) >= purge_of(before)
    assert due_of(after) >= due_of(before)
    assert after.visible_until == before.visible_until
    assert after.archive_at == before.archive_at


@holds_for(worlds, holds)
def test_a_hold_never_destroys_earlier_and_never_touches_use(world: Any, hold: Hold) -> None:
    given_rules, memory, tenant, at = world
    before = evaluate(given_rules, memory, tenant, at)
    after = evaluate(given_rules, replace(memory, holds=(*memory.holds, hold)), tenant, at)
    assert purge_of(after) >= purge_of(before)
    assert after.visible_until == before.visible_until
    is_open = hold.placed_at <= at and (hold.released_at is None or hold.released_at > at)
    assert not is_open or (after.purge_at is None and after.state != "PURGED")


@holds_for(worlds)
def test_nothing_held_or_asked_for_is_purged(world: Any) -> None:
    evaluation = evaluate(*world)
    if {"held", "request_open"} & set(evaluation.flags):
        assert evaluation.purge_at is None
        assert evaluation.state != "PURGED"


@holds_for(worlds)
def test_nothing_is_purged_below_a_statutory_floor(world: Any) -> None:
    evaluation = evaluate(*world)
    for keep in evaluation.found.matches.keep:
        if keep.rule.statutory:
            assert evaluation.due_at is None or (keep.date and evaluation.due_at >= keep.date)


@holds_for(worlds)
def test_a_business_floor_yields_to_caps_and_erasures_only(world: Any) -> None:
    evaluation = evaluate(*world)
    found, due = evaluation.found, evaluation.due_at
    if found.cap is None and found.history.approved is None and due is not None:
        assert all(keep.date is not None and due >= keep.date for keep in found.matches.keep)


# --- maxima


@holds_for(worlds, rules(("cap",)))
def test_a_further_cap_never_destroys_later_and_never_shows_longer(world: Any, cap: Any) -> None:
    given_rules, memory, tenant, at = world
    with_cap = (*given_rules, replace(cap, key="new"))
    before = evaluate(given_rules, memory, tenant, at)
    after = evaluate(with_cap, memory, tenant, at)
    assert end_of(after) <= end_of(before)
    # A delete of what the cap had hidden already is no delete (RETENTION.md, 5): like with like.
    assume(before.found.is_delete_counted is after.found.is_delete_counted)
    assert due_of(after) <= due_of(before)
    assert purge_of(after) <= purge_of(before)


@holds_for(worlds, instants)
def test_a_further_source_cap_never_destroys_later(world: Any, cap: datetime) -> None:
    given_rules, memory, tenant, at = world
    before = evaluate(given_rules, memory, tenant, at)
    capped = replace(memory, source_caps=(*memory.source_caps, cap))
    after = evaluate(given_rules, capped, tenant, at)
    assert end_of(after) <= min(end_of(before), cap)
    assume(before.found.is_delete_counted is after.found.is_delete_counted)
    assert purge_of(after) <= purge_of(before)


@holds_for(worlds)
def test_nothing_is_used_at_or_after_a_cap(world: Any) -> None:
    evaluation = evaluate(*world)
    caps = [cap.date for cap in evaluation.found.matches.cap if cap.date]
    assert all(end_of(evaluation) <= cap for cap in caps)


@holds_for(worlds, instants)
def test_a_ttl_never_shows_longer(world: Any, ttl: datetime) -> None:
    given_rules, memory, tenant, at = world
    before = evaluate(given_rules, replace(memory, ttl_expires_at=None), tenant, at)
    after = evaluate(given_rules, replace(memory, ttl_expires_at=ttl), tenant, at)
    assert end_of(after) <= end_of(before)


# --- notice


@holds_for(worlds, rules())
def test_a_new_rule_destroys_nothing_within_its_notice(world: Any, rule: Rule) -> None:
    given_rules, memory, tenant, at = world
    rule = replace(rule, key="new", active_since=at)
    memory = replace(memory, created_at=min(memory.created_at, at - timedelta(days=1)))
    before = evaluate(given_rules, memory, tenant, at)
    after = evaluate((*given_rules, rule), memory, tenant, at)
    # An expire rule may unseat another and decide nothing itself (archive, or waiting): then the
    # purge follows the writer's TTL, or the application records `dates_moved_at`.
    if rule.kind != "expire" or after.winner == "new":
        assert purge_of(after) >= min(purge_of(before), at + tenant.notice)


@holds_for(worlds, rules())
def test_dates_moved_now_destroy_nothing_within_the_notice(world: Any, rule: Rule) -> None:
    given_rules, memory, tenant, at = world
    memory = replace(memory, dates_moved_at=at)
    evaluation = evaluate((*given_rules, replace(rule, key="new")), memory, tenant, at)
    if evaluation.found.history.approved is None:
        assert purge_of(evaluation) >= at + tenant.notice


@holds_for(worlds)
def test_the_flag_notice_is_a_delay_that_is_there(world: Any) -> None:
    given_rules, memory, tenant, at = world
    evaluation = evaluate(given_rules, memory, tenant, at)
    old = tuple(replace(r, active_since=None) for r in given_rules if not is_ahead(r, at))
    calm = replace(memory, dates_moved_at=None, holds=())
    without = evaluate(old, calm, tenant, at)
    assume(without.found.is_delete_counted is evaluation.found.is_delete_counted)
    assume(without.winner == evaluation.winner)
    assume(evaluation.found.history.approved is None)
    if "notice" in evaluation.flags:
        assert evaluation.due_at is not None
        assert without.due_at is not None
        assert evaluation.due_at > without.due_at
    elif evaluation.purge_at is not None:
        assert evaluation.due_at == without.due_at


@pytest.mark.slow
@pytest.mark.parametrize("check", PROPERTIES, ids=lambda check: check.__name__)
def test_the_same_with_many_examples(check: Callable[[], None]) -> None:
    check()
