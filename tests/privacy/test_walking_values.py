"""Personal data in JSON values: paths, keys as data and as context, replacing."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy.detecting import LIKELY
from privacy.detecting.walking import Located, find_in_value, replace_in_value
from privacy.masking import mask_span
from tests.grids import examples

TODAY = date(2026, 11, 30)


def walk(value: Any, **options: Any) -> list[Located]:
    return find_in_value(value, today=TODAY, **options)


def places(value: Any, **options: Any) -> dict[str, list[str]]:
    return {one.path: [span.text for span in one.spans] for one in walk(value, **options)}


def test_paths_name_keys_and_places_in_lists() -> None:
    value = {"a": {"b": [1, 2, "邮箱zhang@example.cn"]}, "c d": ["x", {"e.f": "13800138000"}]}
    assert places(value) == {
        "a.b[2]": ["zhang@example.cn"],
        '["c d"][1]["e.f"]': ["13800138000"],
    }


def test_a_plain_string_has_the_empty_path() -> None:
    assert places("13800138000") == {"": ["13800138000"]}
    assert places(["13800138000"]) == {"[0]": ["13800138000"]}


def test_keys_are_searched_and_never_stand_clear_in_a_path() -> None:
    found = walk({"people": {"13800138000": {"mail": "zhang@example.cn"}}})
    assert [(one.path, one.in_key) for one in found] == [
        ("people.138****8000", True),
        ("people.138****8000.mail", False),
    ]
    assert "13800138000" not in repr(found)


def test_whole_numbers_are_searched_and_fractions_and_booleans_are_not() -> None:
    assert places({"phone": 13800138000, "f": 13800138000.0}) == {
        "phone": ["13800138000"],
        "f": ["13800138000"],
    }
    assert places({"f": 0.4111111111111111, "t": True, "n": None, "big": 10**60}) == {}
    exact = {"big": Decimal("1E+400"), "f": Decimal("0.30"), "long": Decimal("1" * 39 + ".5")}
    exact["card"] = Decimal("4111111111111111.00")
    assert places(exact) == {"card": ["4111111111111111"]}


def test_a_key_is_a_context_word() -> None:
    assert places({"passportNo": "E12345678"}) == {"passportNo": ["E12345678"]}
    assert places({"part": "E12345678"}) == {}
    assert places({"passports": {"list": [["E12345678"]]}}) == {
        "passports.list[0][0]": ["E12345678"]
    }
    assert places({"ssn": "536904399"}, at_least=LIKELY) == {"ssn": ["536904399"]}


def test_a_key_says_that_a_number_is_something_else() -> None:
    assert places({"order_id": "4111111111111111", "orderId": 4111111111111111}) == {}
    assert places({"appVersion": "1.2.3.4"}) == {}


def test_a_key_names_a_secret() -> None:
    assert places({"password": "correct"}) == {"password": ["correct"]}
    assert places({"db": {"api_key": "abc123def"}}) == {"db.api_key": ["abc123def"]}
    assert places({"password": None, "max_tokens": 4096, "token_count": 12}) == {}


def test_spans_of_a_value_are_places_in_the_value_not_in_the_label() -> None:
    [one] = walk({"mobile phone": "call 13800138000 now"})
    assert (one.spans[0].start, one.spans[0].end) == (5, 16)


def test_replacing_keeps_everything_else_and_leaves_the_original_alone() -> None:
    shared = {"deep": [1, {"x": "y"}]}
    value = {"phone": 13800138000, "13900139000": "a", "13911139000": "b", "keep": shared}
    before = repr(value)
    masked = replace_in_value(value, walk(value), mask_span)
    assert masked == {
        "phone": "138****8000",
        "139****9000": "a",
        "139****9000 (2)": "b",
        "keep": shared,
    }
    assert list(masked) == ["phone", "139****9000", "139****9000 (2)", "keep"]
    assert masked["keep"] is shared
    assert repr(value) == before


def test_replacing_below_a_replaced_key_works() -> None:
    value = {"13800138000": {"13900139000": ["zhang@example.cn"]}}
    masked = replace_in_value(value, walk(value), mask_span)
    assert masked == {"138****8000": {"139****9000": ["z***@example.cn"]}}


def test_depth_is_no_matter() -> None:
    value: Any = "13800138000"
    for _ in range(5_000):
        value = [value]
    [one] = walk(value)
    assert one.path == "[0]" * 5_000
    replaced = replace_in_value(value, [one], mask_span)
    for _ in range(5_000):
        replaced = replaced[0]
    assert replaced == "138****8000"


LEAVES = st.sampled_from(
    ["13800138000", "邮箱zhang@example.cn", "身份证11010519491231002X", "x", 13800138000, 1.5, None]
)
KEYS = st.sampled_from(["phone", "a", "b.c", "13800138000", "zhang@example.cn", "密码"])
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.slow
@settings(max_examples=examples(150), deadline=None)
@given(VALUES)
def test_after_masking_a_value_nothing_is_found_in_it(value: Any) -> None:
    before = repr(value)
    masked = replace_in_value(value, walk(value), mask_span)
    assert walk(masked) == []
    assert repr(value) == before
