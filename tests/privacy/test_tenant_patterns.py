"""A tenant's own patterns: RE2, within limits, over the folded text."""

from __future__ import annotations

from datetime import date

import pytest

from memoryhub.errors import Invalid
from privacy.detecting import PatternSpec, compile_patterns, find
from privacy.detecting.patterns import MAX_LENGTH, MAX_MATCHES, MAX_PATTERNS

TODAY = date(2026, 11, 30)


def texts(text: str, *specs: PatternSpec) -> list[tuple[str, str]]:
    spans = find(text, today=TODAY, patterns=compile_patterns(specs))
    return [(span.entity, span.text) for span in spans]


def test_a_pattern_finds_its_entity_in_full_width_and_with_zero_width_too() -> None:
    badge = PatternSpec("badge", "BD-[0-9]{5}")
    text = "工牌ＢＤ－２０９３１和BD\u200b-20932"
    assert texts(text, badge) == [("badge", "ＢＤ－２０９３１"), ("badge", "BD\u200b-20932")]
    [span, _] = find(text, today=TODAY, patterns=compile_patterns([badge]))
    assert span.detector == "pattern.badge"


def test_words_of_the_tenant_must_stand_near() -> None:
    badge = PatternSpec("badge", "[0-9]{5}", words=("工牌", "badge no"))
    assert texts("工牌20931", badge)
    assert texts("badge_no 20931", badge)
    assert not texts("邮编20931", badge)


@pytest.mark.parametrize(
    ("spec", "path", "code"),
    [
        (PatternSpec("badge", "(?=a)b"), "patterns[0].pattern", "bad_pattern"),
        (PatternSpec("badge", "(a)\\1"), "patterns[0].pattern", "bad_pattern"),
        (PatternSpec("badge", "["), "patterns[0].pattern", "bad_pattern"),
        (PatternSpec("badge", "a*"), "patterns[0].pattern", "bad_pattern"),
        (PatternSpec("badge", "((a{100}){10}){9}"), "patterns[0].pattern", "bad_pattern"),
        (PatternSpec("badge", "\ud800"), "patterns[0].pattern", "bad_pattern"),
        (PatternSpec("badge", ""), "patterns[0].pattern", "empty"),
        (PatternSpec("badge", "a" * (MAX_LENGTH + 1)), "patterns[0].pattern", "too_long"),
        (PatternSpec("Badge", "a"), "patterns[0].entity", "bad_name"),
        (PatternSpec("cn_id", "a"), "patterns[0].entity", "taken"),
        (PatternSpec("badge", "a", words=("x" * 25,)), "patterns[0].words", "bad_words"),
        (PatternSpec("badge", "a", score=0.1), "patterns[0].score", "out_of_range"),
    ],
)
def test_a_bad_pattern_is_refused_with_its_place(spec: PatternSpec, path: str, code: str) -> None:
    with pytest.raises(Invalid) as refused:
        compile_patterns([spec])
    assert (refused.value.errors[0].path, refused.value.errors[0].code) == (path, code)


def test_there_is_a_limit_on_how_many() -> None:
    specs = [PatternSpec("badge", f"x{place}") for place in range(MAX_PATTERNS + 1)]
    assert len(compile_patterns(specs[:-1])) == MAX_PATTERNS
    with pytest.raises(Invalid):
        compile_patterns(specs)


def test_there_is_a_limit_on_matches_in_one_text() -> None:
    assert len(texts("ab " * (MAX_MATCHES + 5), PatternSpec("badge", "ab"))) == MAX_MATCHES


def test_a_pattern_that_would_hang_a_backtracking_engine_does_not() -> None:
    assert not texts("a" * 20_000, PatternSpec("badge", "(a|aa)+b|(a*)*c"))


def test_a_checked_number_stands_before_a_pattern() -> None:
    assert texts("身份证11010519491231002X", PatternSpec("digits", "[0-9X]{6,}")) == [
        ("cn_id", "11010519491231002X")
    ]


def test_what_is_allowed_is_not_reported() -> None:
    allow = ["138 0013 8000", "@corp.example", "hunter2"]
    text = "13800138000 +86 13800138000 13900139000 a@corp.example a@corp.example.org 密码：Hunter2"
    found = [span.text for span in find(text, today=TODAY, allow=allow, at_least=0.35)]
    assert found == ["+86 13800138000", "13900139000", "a@corp.example.org", "Hunter2"]
