"""Properties that hold for any text: places, order, and nothing left after masking."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy.detecting import POSSIBLE, find
from privacy.detecting.folding import fold
from privacy.masking import apply_masks
from tests.grids import examples

TODAY = date(2026, 11, 30)

PIECES = (
    "11010519491231002X", "110105 19491231 002X", "13800138000", "138-0013-8000", "+86 ", "(86)",
    "6222023074185296300", "4111 1111 1111 1111", "536-90-4399", "GB82WEST12345698765432",
    "DE89 3704 0044 0532 0130 00", "zhang@example.cn", "user@例子.中国", "+1 415 555 2671",
    "E12345678", "护照", "203.0.113.9", "2001:db8::1:2", "password: hunter2", "密码：", "token=",
    "卡号", "电话", "ssn", "⟦cn_id:k7Q2⟧", " ", "-", ".", "，", "@", "x", "1", "0", "中", "\u200b",
    "Ａ", "\n", ":", "/", "=", "~", "AKIAIOSFODNN7EXAMPLE", "eyJhbGciOiJI.eyJzdWIi.c2ln",
    "://a:bcd@", "…", "ﷺ", "½", "⒈", "１", "𝟏", "٣",
)  # fmt: skip
FRAGMENTS = st.sampled_from(PIECES)
TEXTS = st.lists(
    FRAGMENTS | FRAGMENTS | st.text(max_size=4) | st.text("0123456789 -.", max_size=12),
    max_size=14,
).map("".join)


@pytest.mark.slow
@settings(max_examples=examples(400), deadline=None)
@given(TEXTS)
def test_spans_are_in_range_true_to_the_text_sorted_and_apart(text: str) -> None:
    end = 0
    for span in find(text, today=TODAY, at_least=POSSIBLE):
        assert end <= span.start < span.end <= len(text)
        assert text[span.start : span.end] == span.text
        assert POSSIBLE <= span.score <= 1
        end = span.end


@pytest.mark.slow
@settings(max_examples=examples(400), deadline=None)
@given(TEXTS)
def test_a_masked_text_has_nothing_more_of_the_kinds_masked(text: str) -> None:
    spans = find(text, today=TODAY, at_least=POSSIBLE)
    masked = apply_masks(text, spans)
    kinds = {span.entity for span in spans}
    again = find(masked, today=TODAY, at_least=POSSIBLE)
    assert not [span for span in again if span.entity in kinds], masked


@settings(max_examples=examples(200), deadline=None)
@given(st.text(st.characters(exclude_categories=()), max_size=40))
def test_every_folded_character_knows_where_it_came_from(text: str) -> None:
    folded = fold(text)
    if folded.starts is not None:
        assert len(folded.starts) == len(folded.text)
        assert list(folded.starts) == sorted(folded.starts)
    for place in range(len(folded.text)):
        start, end = folded.place(place, place + 1)
        assert 0 <= start < end <= len(text)


@settings(max_examples=examples(200), deadline=None)
@given(
    st.text("的中，。:（）", min_size=1, max_size=20),
    st.text("的中，。：", min_size=1, max_size=20),
)
def test_chinese_on_either_side_never_hides_an_identity_number(before: str, after: str) -> None:
    text = f"{before}11010519491231002X{after}"
    assert [span.text for span in find(text, today=TODAY)] == ["11010519491231002X"]


def test_a_token_glued_to_an_address_is_masked_with_it() -> None:
    text = "user@例子.中国eyJhbGciOiJI.eyJzdWIi.c2ln+86 password: hunter2"
    assert "eyJ" not in apply_masks(text, find(text, today=TODAY))
