"""The handed-over cases, our own, and what `find` promises of its spans."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from privacy.cases import run_case
from privacy.detecting import BUILT_IN, LIKELY, POSSIBLE, RECOGNISERS, VERSION, find
from tests.shared import CASES, parameters

TODAY = date(2026, 11, 30)
OWN = Path(__file__).with_name("cases_own.json")


def load(file: Path) -> list[Any]:
    """The cases as parameters named by their place."""
    return parameters(file, lambda place, case: str(place))


@pytest.mark.parametrize("case", load(CASES / "pii.json"))
def test_a_shared_case_finds_exactly_what_it_says(case: dict[str, Any]) -> None:
    result = run_case(case, today=TODAY)
    assert result.got == result.expected, result


@pytest.mark.parametrize("case", load(OWN))
def test_a_case_of_our_own_finds_exactly_what_it_says(case: dict[str, Any]) -> None:
    result = run_case(case, today=TODAY)
    assert result.passed, result


def test_every_built_in_entity_has_a_recogniser_and_cases_of_both_outcomes() -> None:
    assert set(RECOGNISERS) == set(BUILT_IN)
    cases = json.loads(OWN.read_text(encoding="utf-8"))
    found = {entity for case in cases for entity, _ in case["found"]}
    assert set(BUILT_IN) <= found
    assert sum(not case["found"] for case in cases) > 80


def test_spans_carry_entity_place_text_score_and_detector() -> None:
    text = "电话13800138000，邮箱zhang@example.cn"
    phone, address = find(text, today=TODAY)
    assert (phone.entity, phone.start, phone.end) == ("cn_mobile", 2, 13)
    assert text[address.start : address.end] == address.text == "zhang@example.cn"
    assert phone.detector == "cn_mobile"
    assert LIKELY <= phone.score <= 1


def test_the_text_of_a_span_stays_out_of_its_repr() -> None:
    [span] = find("邮箱zhang@example.cn", today=TODAY)
    assert "zhang" not in repr(span)


def test_spans_point_into_the_original_where_folding_changes_lengths() -> None:
    text = "…ﷺ①身份证１１０１０５\u200b１９４９１２３１００２Ｘ。"
    [span] = find(text, today=TODAY)
    assert span.text == text[span.start : span.end] == "１１０１０５\u200b１９４９１２３１００２Ｘ"


def test_today_decides_who_is_born() -> None:
    born = "110105203012310018"
    assert not find(born, today=TODAY)
    assert find(born, today=date(2030, 12, 31))


def test_a_number_alone_is_possible_and_a_word_makes_it_likely() -> None:
    for alone, named in (
        ("13800138000", "手机13800138000"),
        ("4111111111111111", "visa 4111111111111111"),
    ):
        assert not find(alone, today=TODAY)
        [possible] = find(alone, today=TODAY, at_least=POSSIBLE)
        [likely] = find(named, today=TODAY)
        assert POSSIBLE <= possible.score < LIKELY <= likely.score


def test_a_word_counts_within_24_characters_and_not_beyond() -> None:
    assert find("护照" + "很" * 22 + "E12345678", today=TODAY)
    assert not find("护照" + "很" * 23 + "E12345678", today=TODAY)
    assert find("E12345678" + "很" * 22 + "护照", today=TODAY)


def test_an_all_digit_identity_number_that_passes_luhn_is_an_identity_number() -> None:
    [span] = find("卡号 110105197111017724", today=TODAY)
    assert span.entity == "cn_id"


def test_lone_surrogates_and_controls_do_not_raise() -> None:
    [span] = find("\ud800电话13800138000\udfff\x00", today=TODAY)
    assert span.text == "13800138000"


def test_the_pack_has_a_version() -> None:
    assert VERSION
