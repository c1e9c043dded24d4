"""Rules from JSON and YAML: what is refused, where, and under which code."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from memoryhub.errors import Invalid
from policies.facts import Duration, Rule
from policies.parsing import content_of, parse_rule, parse_rules, rule_as_wire

KEEP = {"key": "k", "kind": "keep", "after": {"days": 30}}
EXPIRE = {"key": "e", "kind": "expire", "after": {"days": 30}}
CAP = {"key": "c", "kind": "cap", "after": {"days": 30}}
EVENT = {"anchor": "event:order.completed"}


def faults(raw: Any) -> list[tuple[str, str]]:
    """Path and code of everything wrong with the rules of a set."""
    with pytest.raises(Invalid) as caught:
        parse_rules(raw)
    return [(error.path, error.code) for error in caught.value.errors]


def test_a_full_rule_is_read_as_it_is_written() -> None:
    raw = {
        "key": "claims-correspondence",
        "kind": "keep",
        "after": {"months": 72},
        "anchor": "event:claim.closed",
        "fallback": {"months": 84},
        "namespace": ["claims"],
        "memory_kind": "document",
        "class": "personal",
        "label": "contract",
        "statutory": True,
        "citation": "HGB § 257",
        "locked": True,
        "owner": "legal",
        "review_by": "2027-01-31",
    }
    (rule,) = parse_rules([raw])
    assert rule == Rule(
        key="claims-correspondence",
        kind="keep",
        after=Duration(months=72),
        anchor="event:claim.closed",
        fallback=Duration(months=84),
        namespace=("claims",),
        memory_kind="document",
        data_class="personal",
        label="contract",
        statutory=True,
        citation="HGB § 257",
        locked=True,
        owner="legal",
        review_by=date(2027, 1, 31),
    )
    assert rule.event == "claim.closed"
    assert rule_as_wire(rule) == raw


def test_defaults_are_the_documented_ones() -> None:
    rule = parse_rule(EXPIRE)
    assert (rule.anchor, rule.namespace, rule.end, rule.weight) == ("created", (), "trash", 0)
    assert not rule.statutory
    assert not rule.locked


def test_a_number_may_be_spelled_with_more_digits_than_it_needs() -> None:
    raw = {"key": "d", "kind": "degrade", "after": {"days": 1}, "weight": Decimal("0.30")}
    assert rule_as_wire(parse_rule(raw))["weight"] == 0.3
    assert faults([{**raw, "weight": Decimal("1E+400")}]) == [("rules[0].weight", "out_of_range")]


def test_null_means_absent() -> None:
    nulls = dict.fromkeys(("fallback", "class", "label", "unless_accessed", "end", "owner"))
    assert parse_rule({**EXPIRE, **nulls, "strength_below": None}) == parse_rule(EXPIRE)


def test_every_fault_is_named_with_its_path_at_once() -> None:
    assert faults([EXPIRE, {"key": "x", "kind": "purge", "after": {"weeks": 1}, "days": 3}]) == [
        ("rules[1].kind", "unknown_value"),
        ("rules[1].after.weeks", "unknown_field"),
        ("rules[1].after", "required"),
        ("rules[1].days", "unknown_field"),
    ]


@pytest.mark.parametrize(
    ("raw", "path", "code"),
    [
        ({"kind": "keep", "after": {"days": 1}}, "key", "required"),
        ({"key": "k", "after": {"days": 1}}, "kind", "required"),
        ({"key": "e", "kind": "expire"}, "after", "required"),
        ({**EXPIRE, "strength_below": 0.1}, "after", "not_together"),
        ({**EXPIRE, "fallback": {"days": 3}}, "fallback", "not_together"),
        ({**EXPIRE, "statutory": True}, "statutory", "not_together"),
        ({**EXPIRE, "weight": 0.4}, "weight", "not_together"),
        ({**KEEP, "end": "trash"}, "end", "not_together"),
        ({**CAP, "end": "review"}, "end", "not_together"),
        ({**KEEP, "unless_accessed": 3}, "unless_accessed", "not_together"),
        ({**CAP, "unless_accessed": 3}, "unless_accessed", "not_together"),
        ({**EXPIRE, "kind": "anonymise", "unless_accessed": 3}, "unless_accessed", "not_together"),
        ({**KEEP, "statutory": True}, "citation", "citation_required"),
        ({**CAP, "anchor": "accessed"}, "anchor", "not_together"),
        ({**CAP, "anchor": "updated"}, "anchor", "not_together"),
        ({**CAP, **EVENT}, "fallback", "required"),
        ({**EXPIRE, "anchor": "event:"}, "anchor", "unknown_value"),
        ({**EXPIRE, "anchor": "read"}, "anchor", "unknown_value"),
        ({**EXPIRE, "end": "shred"}, "end", "unknown_value"),
        ({**EXPIRE, "after": {}}, "after", "required"),
        ({**EXPIRE, "after": 30}, "after", "invalid_type"),
        ({**EXPIRE, "after": {"days": -1}}, "after.days", "out_of_range"),
        ({**EXPIRE, "after": {"days": "30"}}, "after.days", "invalid_type"),
        ({**EXPIRE, "after": {"days": True}}, "after.days", "invalid_type"),
        ({**EXPIRE, "after": {"days": float("nan")}}, "after.days", "out_of_range"),
        ({**EXPIRE, "after": {"days": 10**400}}, "after.days", "out_of_range"),
        ({**EXPIRE, "after": {"months": 1.5}}, "after.months", "invalid_type"),
        ({**EXPIRE, "after": {"days": 0}}, "after", "ends_at_creation"),
        ({**CAP, **EVENT, "fallback": {"days": 0}}, "fallback", "ends_at_creation"),
        ({**EXPIRE, "after": None, "strength_below": 1}, "strength_below", "out_of_range"),
        ({**EXPIRE, "after": None, "strength_below": 0}, "strength_below", "out_of_range"),
        ({**EXPIRE, "after": None, "strength_below": 2}, "strength_below", "out_of_range"),
        ({**EXPIRE, "unless_accessed": 0}, "unless_accessed", "out_of_range"),
        ({**EXPIRE, "unless_accessed": 1.5}, "unless_accessed", "invalid_type"),
        ({**EXPIRE, "kind": "degrade", "weight": 1.5}, "weight", "out_of_range"),
        ({**EXPIRE, "namespace": "crm"}, "namespace", "invalid_type"),
        ({**EXPIRE, "namespace": ["crm", ""]}, "namespace[1]", "too_short"),
        ({**EXPIRE, "namespace": ["crm", 3]}, "namespace[1]", "invalid_type"),
        ({**EXPIRE, "label": "x" * 513}, "label", "too_long"),
        ({**EXPIRE, "key": " e"}, "key", "out_of_range"),
        ({**EXPIRE, "key": "a\nb"}, "key", "out_of_range"),
        ({**EXPIRE, "key": "k" * 129}, "key", "out_of_range"),
        ({**EXPIRE, "locked": "yes"}, "locked", "invalid_type"),
        ({**EXPIRE, "active_since": "2026-01-01T00:00:00"}, "active_since", "naive_instant"),
        ({**EXPIRE, "active_since": "2026-13-01T00:00:00Z"}, "active_since", "bad_instant"),
        ({**EXPIRE, "review_by": "soon"}, "review_by", "bad_instant"),
        ({**EXPIRE, "memory-kind": "fact"}, "memory-kind", "unknown_field"),
    ],
)
def test_what_makes_no_sense_is_refused_at_its_place(raw: Any, path: str, code: str) -> None:
    assert faults([EXPIRE, {**raw, "key": raw["key"]} if "key" in raw else raw])[-1] == (
        f"rules[1].{path}",
        code,
    )


def test_keys_are_unique() -> None:
    assert faults([EXPIRE, CAP, EXPIRE]) == [("rules[2].key", "duplicate_key")]


@pytest.mark.parametrize("raw", [{}, "rules", None, 3])
def test_rules_are_a_list(raw: Any) -> None:
    assert faults(raw) == [("rules", "invalid_type")]


def test_a_rule_is_an_object() -> None:
    assert faults(["expire"])[0] == ("rules[0]", "invalid_type")


def test_an_event_may_end_a_memory_at_once() -> None:
    (rule,) = parse_rules([{**EXPIRE, **EVENT, "after": {"days": 0}}])
    assert rule.after == Duration()


def test_a_worked_example_needs_no_citation() -> None:
    assert parse_rule({**KEEP, "statutory": True}).statutory


def test_active_since_is_read_only_in_a_rule_set() -> None:
    raw = {**EXPIRE, "active_since": "2026-01-01T08:00:00+08:00"}
    assert parse_rule(raw).active_since == datetime(2026, 1, 1, tzinfo=UTC)
    assert parse_rules([raw])[0].active_since is None


def test_what_yaml_reads_as_dates_is_taken_as_dates() -> None:
    raw = {
        **EXPIRE,
        "review_by": date(2027, 1, 31),
        "active_since": datetime(2026, 1, 1, tzinfo=UTC),
    }
    rule = parse_rule(raw)
    assert rule.review_by == date(2027, 1, 31)
    assert rule.active_since == raw["active_since"]
    assert parse_rule(json.loads(json.dumps(rule_as_wire(rule)))) == rule


def test_owner_citation_and_review_date_are_no_content() -> None:
    rule = parse_rule(EXPIRE)
    others = {"owner": "legal", "citation": "GDPR 5", "review_by": date(2027, 1, 31)}
    assert content_of(replace(rule, **others)) == content_of(rule)  # type: ignore[arg-type]
    assert content_of(replace(rule, after=Duration(days=31))) != content_of(rule)
