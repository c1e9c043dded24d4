"""Cases: what is refused, what a failing one reports, and the examples of a rule set."""

from __future__ import annotations

from typing import Any

import pytest

from memoryhub.errors import Invalid
from policies.cases import parse_case, parse_cases, run_case, run_examples
from policies.parsing import parse_rules

MEMORY = {"namespace": ["crm"], "created_at": "2026-01-01T00:00:00Z"}
EXPIRE = {"key": "e", "kind": "expire", "after": {"days": 90}}
CASE = {
    "name": "in use on day 89",
    "rules": [EXPIRE],
    "memory": MEMORY,
    "at": "2026-03-31T00:00:00Z",
    "expect": {"state": "ACTIVE", "visible_until": "2026-04-01T00:00:00Z"},
    "because": "ninety days are not over",
}


def faults(raw: Any) -> list[tuple[str, str]]:
    """Path and code of everything wrong with a case."""
    with pytest.raises(Invalid) as caught:
        parse_case(raw)
    return [(error.path, error.code) for error in caught.value.errors]


def test_a_passing_case_has_no_differences() -> None:
    result = run_case(parse_case(CASE))
    assert result.passed
    assert result.differs == ()
    assert result.because == "ninety days are not over"


def test_a_failing_case_reports_expected_and_got() -> None:
    result = run_case(parse_case({**CASE, "at": "2026-04-01T00:00:00Z"}))
    assert not result.passed
    assert result.differs == ("state",)
    assert result.expected["state"] == "ACTIVE"
    assert result.got == {"state": "TRASH", "visible_until": "2026-04-01T00:00:00Z"}


def test_instants_agree_within_a_millisecond_and_no_more() -> None:
    near = {"visible_until": "2026-04-01T00:00:00.001Z"}
    far = {"visible_until": "2026-04-01T00:00:00.0011Z"}
    assert run_case(parse_case({**CASE, "expect": near})).passed
    assert not run_case(parse_case({**CASE, "expect": far})).passed


def test_null_expects_that_there_is_no_date() -> None:
    assert not run_case(parse_case({**CASE, "expect": {"purge_at": None}})).passed
    assert run_case(parse_case({**CASE, "expect": {"archive_at": None}})).passed


def test_the_examples_of_a_set_meet_the_rules_of_the_set() -> None:
    (rule,) = parse_rules([{**EXPIRE, "after": {"days": 30}}])
    (result,) = run_examples([parse_case(CASE)], [rule])
    assert not result.passed
    without_rules = parse_case({name: CASE[name] for name in CASE if name != "rules"})
    assert run_examples([without_rules], parse_rules([EXPIRE]))[0].passed


def test_an_example_may_say_since_when_a_rule_is_active() -> None:
    case = parse_case({**CASE, "rules": [{**EXPIRE, "active_since": "2026-05-01T00:00:00Z"}]})
    (result,) = run_examples([case], parse_rules([EXPIRE]))
    assert result.got["visible_until"] is None


def test_a_what_if_expects_nothing() -> None:
    case = parse_case({"memory": MEMORY, "at": "2026-03-31T00:00:00Z"})
    assert case.rules is None
    assert run_case(case).passed


def test_the_examples_of_a_set_have_a_name_and_expect_something() -> None:
    with pytest.raises(Invalid) as caught:
        parse_cases([CASE, {"memory": MEMORY, "at": "2026-03-31T00:00:00Z"}])
    assert [error.path for error in caught.value.errors] == ["cases[1].name", "cases[1].expect"]


@pytest.mark.parametrize(
    ("changes", "path", "code"),
    [
        ({"at": None}, "at", "required"),
        ({"at": "2026-03-31"}, "at", "bad_instant"),
        ({"at": "2026-03-31T00:00:00"}, "at", "naive_instant"),
        ({"at": "0001-01-01T00:00:00+09:00"}, "at", "bad_instant"),
        ({"ruleset": 3}, "ruleset", "unknown_field"),
        ({"rules": [{**EXPIRE, "after": {"days": -1}}]}, "rules[0].after.days", "out_of_range"),
        ({"settings": {"trash_days": 1.5}}, "settings.trash_days", "invalid_type"),
        ({"settings": {"trash_days": -1}}, "settings.trash_days", "out_of_range"),
        ({"settings": {"notice_days": 0}}, "settings.notice_days", "out_of_range"),
        ({"settings": {"timezone": "Mars/Olympus"}}, "settings.timezone", "unknown_timezone"),
        ({"settings": {"timezone": "Europe"}}, "settings.timezone", "unknown_timezone"),
        ({"settings": {"timezone": "../etc"}}, "settings.timezone", "unknown_timezone"),
        ({"settings": {"grace": 1}}, "settings.grace", "unknown_field"),
        ({"memory": {**MEMORY, "created_at": None}}, "memory.created_at", "required"),
        ({"memory": {**MEMORY, "decay": 0}}, "memory.decay", "out_of_range"),
        ({"memory": {**MEMORY, "decay": 1.1}}, "memory.decay", "out_of_range"),
        ({"memory": {**MEMORY, "access_count": -1}}, "memory.access_count", "out_of_range"),
        ({"memory": {**MEMORY, "expires": "x"}}, "memory.expires", "unknown_field"),
        ({"memory": {**MEMORY, "events": {"done": 3}}}, "memory.events.done", "bad_instant"),
        ({"memory": {**MEMORY, "source_caps": ["x"]}}, "memory.source_caps[0]", "bad_instant"),
        ({"memory": {**MEMORY, "holds": [{}]}}, "memory.holds[0].placed_at", "required"),
        ({"memory": {**MEMORY, "quarantined": 1}}, "memory.quarantined", "invalid_type"),
        ({"expect": {"state": "GONE"}}, "expect.state", "unknown_value"),
        ({"expect": {"purged": True}}, "expect.purged", "unknown_field"),
    ],
)
def test_what_makes_no_sense_is_refused_at_its_place(changes: Any, path: str, code: str) -> None:
    assert (path, code) in faults({**CASE, **changes})


def test_a_case_is_an_object() -> None:
    assert faults([])[0] == ("", "invalid_type")


def test_paths_are_seen_from_the_list() -> None:
    with pytest.raises(Invalid) as caught:
        parse_cases([CASE, {**CASE, "rules": [EXPIRE, {**EXPIRE, "key": "x", "after": {}}]}])
    assert [error.path for error in caught.value.errors] == ["cases[1].rules[1].after"]
