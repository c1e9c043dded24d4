"""Random digits raise hardly any alarm, and the work grows with the text, not faster."""

from __future__ import annotations

import importlib
import pkgutil
import random
import re
import sys
from collections.abc import Iterator
from datetime import date
from re import _constants as opcodes  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from privacy import detecting
from privacy.detecting import POSSIBLE, find
from privacy.detecting.people import AddressDetector, PersonDetector

TODAY = date(2026, 11, 30)
SEED = 20261130


@pytest.mark.slow
def test_of_100_000_random_digit_strings_fewer_than_one_in_a_thousand_is_found() -> None:
    drawn = random.Random(SEED)
    found = 0
    for _ in range(100_000):
        digits = "".join(drawn.choices("0123456789", k=drawn.randint(1, 40)))
        found += bool(find(digits, today=TODAY))
    assert found < 100


@pytest.mark.slow
@pytest.mark.parametrize("length", [11, 13, 15, 16, 18, 19])
def test_nor_does_any_single_length_raise_more(length: int) -> None:
    drawn = random.Random(SEED + length)
    strings = ("".join(drawn.choices("0123456789", k=length)) for _ in range(10_000))
    assert sum(bool(find(digits, today=TODAY)) for digits in strings) < 10


@pytest.mark.slow
def test_what_writes_act_on_takes_bare_numbers_for_what_they_look_like_and_no_more() -> None:
    """Documents the price of acting on what is POSSIBLE; identity numbers stay under the limit."""
    drawn = random.Random(SEED)
    found: dict[str, int] = {}
    for _ in range(20_000):
        digits = "".join(drawn.choices("0123456789", k=drawn.randint(1, 40)))
        for span in find(digits, today=TODAY, at_least=POSSIBLE):
            found[span.entity] = found.get(span.entity, 0) + 1
    assert set(found) <= {"cn_mobile", "bank_card", "cn_id"}
    assert found.get("cn_id", 0) < 20
    assert sum(found.values()) < 20_000 * 0.005


def count_calls(text: str) -> int:
    """Python-level calls that reading a text takes: a measure that no other load disturbs."""
    calls = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        find(text, today=TODAY, at_least=POSSIBLE)
    finally:
        sys.setprofile(before)
    return calls


def test_a_megabyte_of_digits_takes_no_more_steps_than_ten_digits_do() -> None:
    digits = "".join(random.Random(SEED).choices("0123456789", k=1_000_000))
    assert count_calls(digits) < 300


REPEATED = (
    "1 ", "1-", "4111 ", "4111-1111-1111-1112 ", "13800138000 ", "110105 19491231 0021 ",
    "110105 19491231 002X ", "+15555552671 ", "GB82 WEST 1234 5698 7654 33 ", "a@", "a@a.", "a@中.",
    "1.", "203.0.113.9 ", ":", "a:", "password ", "password: hunter2 ", "eyJ-", "sk-", "://a:b",
    "-----BEGIN PRIVATE KEY-----", "550e8400-e29b-41d4-a716-446655440000 ", "护照E12345678",
    "⟦cn_id:k7Q2⟧", "⟦a", "王", "号", "　",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("piece", REPEATED)
def test_twice_the_text_takes_about_twice_the_steps(piece: str) -> None:
    count_calls(piece)  # libraries read their tables at their first use
    short = piece * (4_000 // len(piece))
    once, twice = count_calls(short), count_calls(short * 2)
    assert twice <= 2.2 * once + 500
    assert once < 40 * len(short) + 500


def pack_patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Every compiled pattern of every module of the pack."""
    for module in pkgutil.iter_modules(detecting.__path__, "privacy.detecting."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, re.Pattern):
                yield f"{module.name}.{name}", value


def unbounded_inside(parsed: Any, inside: bool) -> bool:
    """Whether an unbounded repetition stands within another one: the shape that explodes."""
    for operation, argument in parsed:
        if operation in (opcodes.MAX_REPEAT, opcodes.MIN_REPEAT):
            unbounded = argument[1] == opcodes.MAXREPEAT
            if (inside and unbounded) or unbounded_inside(argument[2], inside or unbounded):
                return True
        elif operation is opcodes.BRANCH:
            if any(unbounded_inside(branch, inside) for branch in argument[1]):
                return True
        elif operation is opcodes.SUBPATTERN:
            if unbounded_inside(argument[3], inside):
                return True
        elif operation in (opcodes.ASSERT, opcodes.ASSERT_NOT) and unbounded_inside(
            argument[1], inside
        ):
            return True
    return False


SEPARATED = {"privacy.detecting.emails._DOMAIN"}
"""Labels between dots: one repetition inside another, with nothing that both could take."""


def test_no_pattern_has_an_unbounded_repetition_within_another() -> None:
    patterns = dict(pack_patterns())
    assert len(patterns) > 25
    nested = {
        name
        for name, pattern in patterns.items()
        if unbounded_inside(_parser.parse(pattern.pattern, pattern.flags), False)
    }
    assert nested <= SEPARATED


def test_no_pattern_uses_a_word_boundary() -> None:
    assert not [name for name, pattern in pack_patterns() if re.search(r"\\b", pattern.pattern)]


def test_the_extras_are_bounded_too() -> None:
    for detector in (PersonDetector(), AddressDetector()):
        for piece in ("王小", "北京市", "中关村大街27号", "My name is "):
            assert list(detector.find(piece * 2_000)) is not None
