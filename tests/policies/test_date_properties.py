"""Dates, states and clauses agree, for every memory under every set of rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from hypothesis import assume

from policies.engine import evaluate, evaluate_moved, reconsider_at
from policies.explaining import explain
from policies.facts import MemoryFacts, Rule
from policies.parsing import parse_rule, rule_as_wire
from tests.policies.drawing import FAR, holding_for, is_ahead, rules, st, worlds

PROPERTIES: list[Callable[[], None]] = []
holds_for = partial(holding_for, register=PROPERTIES)


# --- dates and states agree


@holds_for(worlds)
def test_state_and_dates_agree(world: Any) -> None:
    evaluation = evaluate(*world)
    at, state = evaluation.at, evaluation.state
    hidden = evaluation.visible_until is not None and evaluation.visible_until <= at
    assert evaluation.visible is (not hidden and not evaluation.found.memory.quarantined)
    assert (state in ("ACTIVE", "ARCHIVED")) is evaluation.visible
    assert (state == "PURGED") is (evaluation.purge_at is not None and evaluation.purge_at <= at)
    archived = evaluation.archive_at is not None and evaluation.archive_at <= at
    assert not evaluation.visible or (state == "ARCHIVED") is archived
    if evaluation.due_at is not None:
        assert evaluation.visible_until is not None
        assert evaluation.visible_until <= evaluation.due_at
    assert evaluation.purge_at in (None, evaluation.due_at)
    assert (evaluation.visible_until is None) is (evaluation.cause is None)
    assert list(evaluation.flags) == sorted(set(evaluation.flags))


@holds_for(worlds)
def test_a_moved_purge_is_decided_as_from_the_beginning(world: Any) -> None:
    given_rules, memory, tenant, at = world
    for moved in (memory.created_at, at - timedelta(hours=1), at, at + timedelta(days=1)):
        told = replace(memory, dates_moved_at=moved)
        found = evaluate_moved(evaluate(*world), moved)
        assert found == evaluate(given_rules, told, tenant, at)


@holds_for(worlds)
def test_the_boundary_belongs_to_the_later_state(world: Any) -> None:
    given_rules, memory, tenant, at = world
    evaluation = evaluate(given_rules, memory, tenant, at)
    change = reconsider_at(given_rules, memory, at) or FAR
    for date, seen in ((evaluation.visible_until, "visible"), (evaluation.purge_at, "state")):
        if date is None or not at < date < change:
            continue
        just_before = evaluate(given_rules, memory, tenant, date - timedelta(microseconds=1))
        then = evaluate(given_rules, memory, tenant, date)
        if seen == "visible":
            assert just_before.visible is not memory.quarantined
            assert not then.visible
        else:
            assert just_before.state != "PURGED"
            assert then.state == "PURGED"


@pytest.mark.slow
@holds_for(worlds, st.integers(0, 400))
def test_later_and_with_nothing_new_the_dates_stay(world: Any, later: int) -> None:
    given_rules, memory, tenant, at = world
    then = at + timedelta(days=later)
    change = reconsider_at(given_rules, memory, at)
    assume(change is None or then < change)
    one = evaluate(given_rules, memory, tenant, at)
    other = evaluate(given_rules, memory, tenant, then)
    moving = {"at": at, "state": one.state, "visible": one.visible, "found": one.found}
    assert replace(other, **moving) == one


@holds_for(worlds)
def test_what_is_to_come_does_not_count(world: Any) -> None:
    given_rules, memory, tenant, at = world
    known = MemoryFacts(
        **{
            name: None if isinstance(value, datetime) and value > at else value
            for name, value in _fields(memory).items()
            if name not in ("ttl_expires_at", "created_at")
        },
        created_at=memory.created_at,
        ttl_expires_at=memory.ttl_expires_at,
    )
    known = replace(
        known,
        events={name: instant for name, instant in memory.events.items() if instant <= at},
        holds=tuple(
            replace(hold, released_at=None) if hold.released_at and hold.released_at > at else hold
            for hold in memory.holds
            if hold.placed_at <= at
        ),
    )
    active = tuple(rule for rule in given_rules if not is_ahead(rule, at))
    one = evaluate(given_rules, memory, tenant, at)
    other = evaluate(active, known, tenant, at)
    assert replace(one, rules=(), found=one.found) == replace(other, rules=(), found=one.found)


def _fields(memory: MemoryFacts) -> dict[str, Any]:
    return {name: getattr(memory, name) for name in MemoryFacts.__dataclass_fields__}


@pytest.mark.slow
@holds_for(worlds)
def test_a_memory_out_of_the_scope_of_every_rule_is_touched_by_none(world: Any) -> None:
    given_rules, memory, tenant, at = world
    elsewhere = tuple(replace(rule, namespace=("elsewhere",)) for rule in given_rules)
    one = evaluate(elsewhere, memory, tenant, at)
    other = evaluate((), memory, tenant, at)
    assert replace(one, rules=(), found=one.found) == replace(other, rules=(), found=one.found)


@holds_for(worlds)
def test_trash_is_never_longer_than_the_memory_lived(world: Any) -> None:
    given_rules, memory, tenant, at = world
    free = tuple(rule for rule in given_rules if rule.kind not in ("keep", "cap"))
    free = tuple(replace(rule, active_since=None, end="trash") for rule in free)
    calm = replace(memory, dates_moved_at=None, holds=(), source_caps=())
    calm = replace(calm, erasure_approved_at=None, source_erased_at=None)
    evaluation = evaluate(free, calm, tenant, at)
    expiry = evaluation.found.expiry
    if expiry is not None:
        assert evaluation.due_at is not None
        lived = max(expiry.date - memory.created_at, timedelta())
        assert evaluation.due_at - expiry.date == min(tenant.trash, lived)


@holds_for(worlds)
def test_a_restore_that_is_not_refused_brings_it_back_into_use(world: Any) -> None:
    given_rules, memory, tenant, at = world
    lasting = tuple(rule for rule in given_rules if not _ends_at_once(rule))
    hidden = evaluate(lasting, memory, tenant, at)
    if hidden.restore_refusal is None and memory.deleted_at != at:
        restored = evaluate(lasting, replace(memory, restored_at=at), tenant, at)
        assert restored.is_in_use_by_date


def _ends_at_once(rule: Rule) -> bool:
    periods = (rule.after, rule.fallback)
    return rule.kind == "expire" and any(period and period.is_zero for period in periods)


@holds_for(worlds)
def test_every_clause_has_one_role_and_every_rule_one_clause(world: Any) -> None:
    given_rules, memory, tenant, at = world
    explanation = explain(evaluate(given_rules, memory, tenant, at))
    kinds = {"keep", "expire", "cap", "archive", "anonymise", "degrade"}
    keys = [clause["key"] for clause in explanation["clauses"] if clause["kind"] in kinds]
    assert sorted(keys) == sorted(rule.key for rule in given_rules)


@pytest.mark.slow
@holds_for(worlds)
def test_whatever_ends_use_or_bytes_has_won(world: Any) -> None:
    evaluation = evaluate(*world)
    clauses = explain(evaluation)["clauses"]
    won = {clause["kind"] for clause in clauses if clause["role"] == "won"}
    if evaluation.cause is not None:
        assert won & {evaluation.cause, "source_cap" if evaluation.cause == "cap" else ""}
    if evaluation.winner is not None and evaluation.visible_until is not None:
        roles = [clause["role"] for clause in clauses if clause["key"] == evaluation.winner]
        assert roles == ["won"]


@holds_for(rules())
def test_a_rule_survives_the_wire(rule: Rule) -> None:
    assert parse_rule(rule_as_wire(rule)) == rule


@pytest.mark.slow
@pytest.mark.parametrize("check", PROPERTIES, ids=lambda check: check.__name__)
def test_the_same_with_many_examples(check: Callable[[], None]) -> None:
    check()
