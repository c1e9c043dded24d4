"""Filters: what they mean, in memory and in Postgres, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from memories.filter_values import Instant, read_instant
from memories.filters import Limits, evaluate, parse_filter
from memoryhub.errors import Invalid

Ask = Callable[[Any, list[Any]], list[Any]]

MATCHING = [
    ({}, {"a": 1}),
    ({"n": {"$gt": 9}}, {"n": 10}),
    ({"n": {"$gt": 9}}, {"n": 100}),
    ({"n": {"$gte": 9}}, {"n": 9.0}),
    ({"n": {"$lt": -1e300}}, {"n": Decimal("-1e400")}),
    ({"n": 1}, {"n": 1.0}),
    ({"n": 0}, {"n": -0.0}),
    ({"n": 10**23}, {"n": 1e23}),
    ({"n": {"$gt": 9007199254740992.0}}, {"n": 9007199254740993}),
    ({"k": "1"}, {"k": "1"}),
    ({"k": None}, {"k": None}),
    ({"k": {"$ne": 1}}, {}),
    ({"k": {"$nin": [1, 2]}}, {}),
    ({"k": {"$ne": None}}, {}),
    ({"k": {"$not": {"$gt": 1}}}, {}),
    ({"k": [1, "a", None]}, {"k": [1.0, "a", None]}),
    ({"k": {"a": 1}}, {"k": {"a": 1, "b": 2}}),
    ({"k": {"a": {"b": {"$gt": 1}}}}, {"k": {"a": {"b": 2}}}),
    ({"k": {}}, {"k": {"a": 1}}),
    ({"k": {"$eq": {"a": 1, "b": 2}}}, {"k": {"b": 2, "a": 1}}),
    ({"a.b": 1}, {"a.b": 1, "a": {"b": 2}}),
    ({"a.b": 1}, {"a": {"b": 1}}),
    ({"k": {"$in": [1, "x"]}}, {"k": "x"}),
    ({"k": {"$in": [[1]]}}, {"k": [1]}),
    ({"k": {"$exists": True}}, {"k": None}),
    ({"k": {"$exists": False}}, {}),
    ({"k": {"$contains": "b"}}, {"k": ["a", "b"]}),
    ({"k": {"$contains": "最喜欢"}}, {"k": "用户最喜欢的编程语言"}),
    ({"k": {"$contains": ["a", "b"]}}, {"k": ["b", "a", "c"]}),
    ({"k": {"$contains": {"a": 1}}}, {"k": [{"a": 1}]}),
    ({"k": {"$contains": []}}, {"k": []}),
    ({"$or": [{"a": 1}, {"b": 2}]}, {"b": 2}),
    ({"$and": [{"a": 1}, {"b": 2}]}, {"a": 1, "b": 2}),
    ({"$not": {"a": 1}}, {"a": 2}),
    ({"n": {"$or": [{"$lt": 1}, {"$gt": 5}]}}, {"n": 6}),
    ({"n": {"$gt": 1, "$lt": 3}}, {"n": 2}),
    ({"t": {"$gt": "2026-01-01T00:00:00Z"}}, {"t": "2026-01-01T00:30:00-01:00"}),
    ({"t": {"$lt": "2026-01-01T00:00:00Z"}}, {"t": "2026-01-01T00:30:00+01:00"}),
    ({"t": {"$gte": "2026-01-01T00:00:00Z"}}, {"t": "2026-01-01t08:00:00.000+08:00"}),
    ({"t": {"$gt": "2026-01-01T00:00:00.0000001Z"}}, {"t": "2026-01-01T00:00:00.00000011Z"}),
    ({"t": {"$gte": "2017-01-01T00:00:00Z"}}, {"t": "2016-12-31T23:59:60Z"}),
    ({"t": {"$lt": "b"}}, {"t": "a"}),
    ({"t": {"$lt": "é"}}, {"t": "z"}),
    ({"t": {"$lt": "2026-02-30T00:00:00Z"}}, {"t": "2026-02-30T00:00:00+00:00"}),
]

NOT_MATCHING = [
    ({"n": 1}, {"n": "1"}),
    ({"n": 1}, {"n": True}),
    ({"n": True}, {"n": 1}),
    ({"n": None}, {}),
    ({"n": None}, {"n": 0}),
    ({"n": {"$gt": 9}}, {"n": "10"}),
    ({"n": {"$gt": "9"}}, {"n": 10}),
    ({"n": {"$gt": 0}}, {"n": True}),
    ({"n": {"$gt": None}}, {"n": 1}),
    ({"n": {"$lt": [1]}}, {"n": [0]}),
    ({"n": {"$lt": {"$eq": 1}}}, {"n": {}}),
    ({"n": {"$gt": 1}}, {}),
    ({"k": {"$ne": 1}}, {"k": 1.0}),
    ({"k": [1, 2]}, {"k": [2, 1]}),
    ({"k": [1]}, {"k": 1}),
    ({"k": {"a": 1}}, {"k": [{"a": 1}]}),
    ({"k": {"a": None}}, {"k": {}}),
    ({"k": {"a": {"$ne": 1}}}, {}),
    ({"k": {}}, {"k": []}),
    ({"k": {"$eq": {"a": 1}}}, {"k": {"a": 1, "b": 2}}),
    ({"a.b": 2}, {"a.b": 1, "a": {"b": 2}}),
    ({"a.0": 1}, {"a": [1]}),
    ({"k": {"$in": []}}, {"k": 1}),
    ({"k": {"$in": [1]}}, {}),
    ({"k": {"$exists": False}}, {"k": None}),
    ({"k": {"$contains": "b"}}, {"k": {"b": 1}}),
    ({"k": {"$contains": [["a"]]}}, {"k": ["a"]}),
    ({"k": {"$contains": {"a": 1}}}, {"k": [{"a": 1, "b": 2}]}),
    ({"$or": []}, {}),
    ({"$not": {}}, {}),
    ({"$not": {"$not": {"a": 1}}}, {}),
    ({"t": {"$lte": "2016-12-31T23:59:59Z"}}, {"t": "2016-12-31T23:59:60.1Z"}),
]

REFUSED: list[tuple[Any, str, str]] = [
    (None, "filter", "invalid_filter"),
    ([], "filter", "invalid_filter"),
    ("a", "filter", "invalid_filter"),
    ({"a": {"$foo": 1}}, "filter.a.$foo", "unknown_operator"),
    ({"a": {"$gt": 1, "b": 1}}, "filter.a.b", "unknown_operator"),
    ({"$foo": 1}, "filter.$foo", "unknown_operator"),
    ({"$gt": 1}, "filter.$gt", "unknown_operator"),
    ({"a": {"b": {"$x": 1}}}, "filter.a.b.$x", "unknown_operator"),
    ({"a": {"$in": "abc"}}, "filter.a.$in", "invalid_filter"),
    ({"a": {"$nin": {"b": 1}}}, "filter.a.$nin", "invalid_filter"),
    ({"a": {"$exists": 1}}, "filter.a.$exists", "invalid_filter"),
    ({"$and": {"a": 1}}, "filter.$and", "invalid_filter"),
    ({"$or": [{"a": 1}, 2]}, "filter.$or[1]", "invalid_filter"),
    ({"$or": [{"a": {"$y": 1}}]}, "filter.$or[0].a.$y", "unknown_operator"),
    ({"$not": [1]}, "filter.$not", "invalid_filter"),
    ({"a": "\x00"}, "filter.a", "nul_character"),
    ({"a": ["x", "\ud800"]}, "filter.a[1]", "lone_surrogate"),
    ({"a": {"b\x00": 1}}, "filter.a", "nul_character"),
    ({"a\udfff": 1}, "filter", "lone_surrogate"),
    ({"a": {"$in": [1, {"b": float("nan")}]}}, "filter.a.$in[1].b", "not_finite"),
    ({"a": {"$gt": float("inf")}}, "filter.a.$gt", "not_finite"),
    ({"a": Decimal("1e5000")}, "filter.a", "number_out_of_range"),
    ({"a": 10**5000}, "filter.a", "number_out_of_range"),
    ({"a": {"$in": [0] * 1001}}, "filter.a.$in", "filter_too_large"),
    ({"a": "x" * 65_537}, "filter.a", "filter_too_large"),
    ({"x" * 1025: 1}, "filter", "filter_too_large"),
    ({".".join("a" * 65): 1}, "filter", "filter_too_large"),
    ({str(n): n for n in range(257)}, "filter.256", "filter_too_large"),
    ({"a": {1: 2}}, "filter.a", "invalid_filter"),
    ({"a": object()}, "filter.a", "invalid_filter"),
]


@pytest.mark.parametrize(("condition", "value"), MATCHING)
def test_a_filter_finds_what_it_means(ask: Ask, condition: Any, value: Any) -> None:
    assert evaluate(parse_filter(condition), value) is True
    assert ask(condition, [value]) == [True]


@pytest.mark.parametrize(("condition", "value"), NOT_MATCHING)
def test_a_filter_leaves_out_what_it_does_not_mean(ask: Ask, condition: Any, value: Any) -> None:
    assert evaluate(parse_filter(condition), value) is False
    assert ask(condition, [value]) == [False]


@pytest.mark.parametrize(("raw", "path", "code"), REFUSED)
def test_a_wrong_filter_is_refused_with_path_and_code(raw: Any, path: str, code: str) -> None:
    with pytest.raises(Invalid) as caught:
        parse_filter(raw)
    assert [(error.path, error.code) for error in caught.value.errors] == [(path, code)]


def test_a_filter_too_deep_is_refused() -> None:
    raw: Any = {"a": 1}
    for _ in range(40):
        raw = {"$not": raw}
    with pytest.raises(Invalid) as caught:
        parse_filter(raw, limits=Limits(depth=3))
    assert caught.value.errors[0].path == "filter.$not.$not.$not"
    assert caught.value.code == "filter_too_deep"


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("1970-01-01T00:00:00Z", Instant(0, "")),
        ("1970-01-01 00:00:01.500z", Instant(1, "5")),
        ("1970-01-01T00:00:00+23:59", Instant(-86_340, "")),
        ("1969-12-31T00:00:00-23:59", Instant(-60, "")),
        ("1970-01-01T00:00:60-00:00", Instant(60, "")),
        ("0001-01-01T00:00:00Z", Instant(-62_135_596_800, "")),
        ("0000-01-01T00:00:00Z", None),
        ("2026-02-29T00:00:00Z", None),
        ("2026-01-01T24:00:00Z", None),
        ("2026-01-01T00:00:00", None),
        ("2026-01-01T00:00:00.Z", None),
        ("2026-01-01T00:00:00Z\n", None),
        ("2026-01-01T00:00:00+24:00", None),
        ("２026-01-01T00:00:00Z", None),
        ("2026-1-01T00:00:00Z", None),
        ("2026-01-01", None),
    ],
)
def test_instants_are_read_by_rfc_3339(text: str, instant: Instant | None) -> None:
    assert read_instant(text) == instant
