"""Namespaces: what is refused, how they are stored, who may see what lies where."""

from __future__ import annotations

from collections import UserList
from typing import Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.namespaces import (
    Labels,
    NamespacePattern,
    check_item_namespace,
    check_prefix,
    check_raw_namespace,
    covers,
    decode,
    encode,
    is_under,
    literal_prefix,
    matches,
    narrow,
    parse_dotted,
    parse_path,
    prefix_bounds,
    to_regex,
    truncate,
)
from memoryhub.errors import Invalid

ODD = ["%", "_", "\\", "/", "*", ":", " ", "a\n", "\n", "😀", "名字", "%2F", "%25", "\x1f", "\x7f"]
ODD += ["a/b", "A", "a", "ab", "[x]", "(?i)a", "^$", "a|b", "***=a", "\u2028", "é", "langgraph"]

labels_of_any_kind = st.one_of(
    st.sampled_from(ODD),
    st.text(st.characters(exclude_characters=".\x00", exclude_categories=["Cs"]), min_size=1),
)
namespaces = st.lists(labels_of_any_kind, max_size=5).map(tuple)
crowded = st.lists(st.sampled_from(["a", "b", "ab", "*", "%", "/"]), max_size=4).map(tuple)


def refused(labels: object, check: Any = check_prefix) -> list[tuple[str, str]]:
    with pytest.raises(Invalid) as caught:
        check(labels, path="namespace")
    return [(error.path, error.code) for error in caught.value.errors]


@pytest.mark.parametrize(
    ("label", "code"),
    [
        ("", "empty_label"),
        ("a.b", "dot_in_label"),
        ("a\x00", "nul_character"),
        ("\ud800", "lone_surrogate"),
        (1, "invalid_label"),
        (None, "invalid_label"),
        (["a"], "invalid_label"),
        (b"a", "invalid_label"),
        ("x" * 257, "label_too_long"),
        ("中" * 86, "label_too_long"),
        ("/" * 86, "label_too_long"),
    ],
)
def test_a_bad_label_is_named(label: object, code: str) -> None:
    assert refused(["ok", label]) == [("namespace[1]", code)]


def test_every_bad_label_is_named_at_once() -> None:
    assert refused(["", "a", "b.c"]) == [
        ("namespace[0]", "empty_label"),
        ("namespace[2]", "dot_in_label"),
    ]


@pytest.mark.parametrize("labels", ["abc", b"abc", None, 1, {"a": 1}, {"a"}])
def test_what_is_no_list_is_refused(labels: object) -> None:
    assert refused(labels) == [("namespace", "invalid_namespace")]


def test_limits_count_the_stored_path() -> None:
    assert check_prefix(["x" * 256]) == ("x" * 256,)
    assert check_prefix(["a"] * 12)
    assert refused(["a"] * 13) == [("namespace", "too_many_labels")]
    assert check_prefix(["x" * 255] * 4)
    assert refused(["x" * 255] * 3 + ["x" * 256]) == [("namespace", "namespace_too_long")]


def test_any_sequence_of_strings_is_accepted() -> None:
    assert check_prefix(("a", "b")) == check_prefix(UserList(["a", "b"])) == ("a", "b")


def test_the_verbs_differ_in_empty_and_reserved_namespaces() -> None:
    assert check_prefix([]) == ()
    assert refused([], check_raw_namespace) == [("namespace", "empty_namespace")]
    assert refused([], check_item_namespace) == [("namespace", "empty_namespace")]
    assert check_prefix(["langgraph"]) == check_raw_namespace(["langgraph"]) == ("langgraph",)
    assert refused(["langgraph", "x"], check_item_namespace) == [
        ("namespace[0]", "reserved_namespace")
    ]
    assert check_item_namespace(["x", "langgraph"]) == ("x", "langgraph")


@pytest.mark.parametrize("label", ODD)
def test_every_other_label_is_legal(label: str) -> None:
    assert check_raw_namespace(["a", label]) == ("a", label)


def test_stored_paths_read_as_documented() -> None:
    assert encode(()) == ""
    assert encode(("a", "b")) == "a/b/"
    assert encode(("50%", "a/b", "x\n", "名字 _\\*")) == "50%25/a%2Fb/x%0A/名字 _\\*/"


@given(namespaces)
def test_decoding_is_the_exact_inverse(labels: Labels) -> None:
    stored = encode(labels)
    assert decode(stored) == labels
    assert stored == "" or stored.endswith("/")
    assert stored.count("/") == len(labels)


@given(namespaces, namespaces)
def test_one_path_lies_under_another_by_whole_labels(one: Labels, other: Labels) -> None:
    assert is_under(encode(one), encode(other)) is (one[: len(other)] == other)
    assert is_under(encode(one + other), encode(one))


@given(crowded, crowded)
def test_the_bounds_of_a_prefix_hold_exactly_what_lies_under_it(one: Labels, two: Labels) -> None:
    stored, prefix = encode(one), encode(two)
    low, high = prefix_bounds(prefix)
    inside = low.encode() <= stored.encode() and (high is None or stored.encode() < high.encode())
    assert inside is is_under(stored, prefix)


def test_labels_of_a_query_string_stand_between_dots() -> None:
    assert parse_dotted("") == ()
    assert parse_dotted("a.b c.名") == ("a", "b c", "名")
    assert refused(parse_dotted("a..b")) == [("namespace[1]", "empty_label")]


def test_a_typed_path_may_leave_out_the_last_slash() -> None:
    assert parse_path("") == ()
    assert parse_path("users/u1") == parse_path("users/u1/") == ("users", "u1")
    assert parse_path("50%25/a%2Fb") == ("50%", "a/b")


@pytest.mark.parametrize("text", ["50%", "a%2fb", "a%41", "x\n"])
def test_a_typed_path_that_is_not_a_stored_path_is_refused(text: str) -> None:
    with pytest.raises(Invalid) as caught:
        parse_path(text)
    assert caught.value.code == "invalid_namespace"


def test_a_typed_path_with_an_empty_label_is_refused() -> None:
    with pytest.raises(Invalid) as caught:
        parse_path("a//b")
    assert (caught.value.errors[0].path, caught.value.code) == ("namespace[1]", "empty_label")


def test_a_caller_sees_what_lies_under_both_prefixes() -> None:
    assert narrow([""], "") == ("",)
    assert narrow([""], "a/") == ("a/",)
    assert narrow([], "") == ()
    assert narrow(["a/b/", "c/"], "") == ("a/b/", "c/")
    assert narrow(["a/b/", "c/"], "a/") == ("a/b/",)
    assert narrow(["a/b/", "c/"], "a/b/x/") == ("a/b/x/",)
    assert narrow(["a/b/"], "d/") == ()
    assert narrow(["a/b/", "a/", "a/b/c/", "a/"], "") == ("a/",)
    assert narrow(["userX1/"], "user_1/") == ()


@given(st.lists(crowded, max_size=4), crowded, crowded)
def test_narrowing_is_the_intersection(keys: list[Labels], asked: Labels, at: Labels) -> None:
    prefixes = [encode(key) for key in keys]
    effective = narrow(prefixes, encode(asked))
    stored = encode(at)
    allowed = covers(prefixes, stored) and is_under(stored, encode(asked))
    assert covers(effective, stored) is allowed
    assert list(effective) == sorted(set(effective))
    assert not any(is_under(a, b) for a in effective for b in effective if a != b)


@pytest.mark.parametrize(
    ("prefix", "suffix", "labels", "expected"),
    [
        ((), (), (), True),
        (("a",), (), ("a", "b"), True),
        (("a",), (), ("ab",), False),
        (("*", "b"), (), ("a", "b", "c"), True),
        (("a", "b", "c"), (), ("a", "b"), False),
        ((), ("c",), ("a", "c"), True),
        ((), ("c",), ("c", "a"), False),
        (("a", "b"), ("b",), ("a", "b"), True),
        (("a",), ("b", "*"), ("a", "b"), False),
        (("*",), (), (), False),
        (("A",), (), ("a",), False),
    ],
)
def test_patterns_match_by_label(
    prefix: Labels, suffix: Labels, labels: Labels, expected: bool
) -> None:
    assert matches(NamespacePattern(prefix, suffix), labels) is expected


@pytest.fixture(scope="module")
def matched(database_url: str) -> Any:
    """`matched(regex, path)`: what Postgres says."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        yield lambda regex, path: connection.execute(
            'SELECT %s::text COLLATE "C" ~ %s::text', [path, regex]
        ).fetchone()[0]


@pytest.mark.slow
@given(
    prefix=st.one_of(crowded, namespaces),
    suffix=st.one_of(crowded, namespaces),
    labels=st.one_of(crowded, namespaces),
    own=st.booleans(),
)
def test_the_regex_matches_in_postgres_what_the_pattern_matches(
    matched: Any, prefix: Labels, suffix: Labels, labels: Labels, own: bool
) -> None:
    if own:  # a good part of the pairs match
        labels = prefix + labels + suffix
    pattern = NamespacePattern(prefix, suffix)
    regex = to_regex(pattern)
    expected = matches(pattern, labels)
    assert (True if regex is None else matched(regex, encode(labels))) is expected
    assert not expected or is_under(encode(labels), literal_prefix(pattern))


def test_the_literal_prefix_ends_before_the_first_star() -> None:
    assert literal_prefix(NamespacePattern(("a", "*", "b"))) == "a/"
    assert literal_prefix(NamespacePattern(("a", "b"))) == "a/b/"
    assert literal_prefix(NamespacePattern((), ("b",))) == ""


def test_a_namespace_is_cut_to_a_depth() -> None:
    assert truncate(("a", "b", "c"), 2) == ("a", "b")
    assert truncate(("a",), 2) == ("a",)
    assert truncate(("a", "b"), None) == ("a", "b")
