"""Every worked example, handed over or our own, decides as it says; formats survive the trip."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from policies.cases import case_as_wire, evaluate_case, parse_case, parse_cases, run_case
from tests.shared import CASES, parameters

OWN = Path(__file__).with_name("cases_own.json")


def load(file: Path) -> list[Any]:
    """The cases as parameters named by their sentence."""
    return parameters(file, lambda place, case: case["name"])


EVERY = load(CASES / "retention.json") + load(OWN)


@pytest.mark.parametrize("raw", EVERY)
def test_the_engine_decides_as_the_example_says(raw: dict[str, Any]) -> None:
    case = parse_case(raw)
    result = run_case(case)
    assert result.passed, f"{result.expected} but got {result.got}: {case.because}"


@pytest.mark.parametrize("raw", EVERY)
def test_a_date_that_the_example_leaves_out_is_not_there(raw: dict[str, Any]) -> None:
    evaluation = evaluate_case(parse_case(raw))
    others = ("archive_at", "anonymise_at", "degrade_at")
    got = {name for name in others if getattr(evaluation, name) is not None}
    assert got == raw["expect"].keys() & set(others)


@pytest.mark.parametrize("raw", EVERY)
def test_a_case_is_the_same_after_a_round_trip(raw: dict[str, Any]) -> None:
    case = parse_case(raw)
    assert parse_case(json.loads(json.dumps(case_as_wire(case)))) == case


def test_our_own_examples_have_names_of_their_own() -> None:
    cases = parse_cases(json.loads(OWN.read_text("utf-8")), "")
    assert len({case.name for case in cases}) == len(cases)
    assert all(case.because for case in cases)
