"""Index paths: the same texts as LangGraph's own, under names of their own."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from langgraph.store.base import get_text_at_path, tokenize_path

from memories.paths import Limits, check_index, extract_texts, split_path
from memoryhub.errors import Invalid

VALUE: dict[str, Any] = {
    "a": {"b": "deep", "n": 1, "none": None},
    "list": [{"c": "one"}, {"c": "two"}, {"d": "three"}],
    "words": ["x", "y"],
    "flag": True,
    "f": 1.5,
    "名": "字",
}


@pytest.mark.parametrize(
    ("path", "texts"),
    [
        ("a.b", [("a.b", "deep")]),
        ("a.n", [("a.n", "1")]),
        ("a.none", []),
        ("a", [("a", '{"b": "deep", "n": 1, "none": null}')]),
        ("words[0]", [("words[0]", "x")]),
        ("words[-1]", [("words[-1]", "y")]),
        ("words[2]", []),
        ("words[-3]", []),
        ("words[x]", []),
        ("words", [("words", '["x", "y"]')]),
        ("list[*].c", [("list[*].c.0", "one"), ("list[*].c.1", "two")]),
        ("list[*].d", [("list[*].d", "three")]),
        ("a.*", [("a.*.0", "deep"), ("a.*.1", "1")]),
        ("{f,a.b}", [("{f,a.b}.0", "1.5"), ("{f,a.b}.1", "deep")]),
        ("flag", [("flag", "True")]),
        ("名", [("名", "字")]),
        ("missing.b", []),
        ("flag.b", []),
    ],
)
def test_a_path_gives_its_texts(path: str, texts: list[tuple[str, str]]) -> None:
    assert extract_texts(VALUE, [path]) == texts


def test_the_whole_value_is_sorted_json_with_its_own_letters() -> None:
    assert extract_texts({"b": 1, "a": "名"}, ["$"]) == [("$", '{"a": "名", "b": 1}')]


def test_duplicate_paths_are_dropped() -> None:
    assert extract_texts(VALUE, ["f", "a.b", "f"]) == [("f", "1.5"), ("a.b", "deep")]


def test_names_stay_unique() -> None:
    assert extract_texts({"a": {"0": "z"}, "b": "w"}, ["*", "*.0"]) == [
        *[("*.0", '{"0": "z"}'), ("*.1", "w")],
        ("*.0.0", "z"),
    ]


def test_a_large_list_is_capped() -> None:
    value = {"n": list(range(100_000)), "s": "x"}
    assert len(extract_texts(value, ["n[*]", "s"])) == 256
    assert extract_texts(value, ["n[*].x", "n[0]", "s"], limits=Limits(steps=9)) == []
    limits = Limits(characters=3)
    assert extract_texts({"a": "xx", "b": "yy", "c": "z"}, ["a", "b", "c"], limits=limits) == [
        ("a", "xx")
    ]


def test_exact_numbers_become_text() -> None:
    value = {"d": Decimal("1.10"), "l": [Decimal("0.5"), Decimal("1e400")]}
    assert extract_texts(value, ["d", "l"]) == [("d", "1.10"), ("l", '[0.5, "1E+400"]')]


# --- LangGraph's own ------------------------------------------------------------------------------

keys = st.sampled_from(["a", "b", "0", "*", "[0]", "名", "a b"])
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=12,
)
documents = st.dictionaries(keys, json_values, max_size=4)
steps = st.sampled_from(
    [
        *("a", "b", "0", "名", ".", "..", "*", "[0]", "[-1]", "[1]", "[*]", "[x]", "[ 1 ]"),
        *("[[0]]", "{a,b}", "{a.b, 0}", "{}", "{a,{b}}", "[", "]", "{", "}", "$", "[0", "{a"),
    ]
)
joined = st.lists(steps, min_size=1, max_size=5).flatmap(
    lambda parts: st.sampled_from(["".join(parts), ".".join(parts)])
)


@given(joined)
def test_a_path_is_split_as_langgraph_does(path: str) -> None:
    assert split_path(path) == tokenize_path(path)


@pytest.mark.slow
@given(documents, joined)
@example({"a": [1, 2]}, "a[-2]")
def test_the_texts_are_those_of_langgraph(value: dict[str, Any], path: str) -> None:
    theirs = get_text_at_path(value, path)
    ours = extract_texts(value, [path])
    assert [text for _, text in ours] == theirs
    if len(theirs) > 1:
        assert [name for name, _ in ours] == [f"{path}.{n}" for n in range(len(theirs))]


# --- what is refused ------------------------------------------------------------------------------


def test_good_paths_are_returned_once_each() -> None:
    assert check_index(["a.b", "$", "a.b"]) == ("a.b", "$")
    assert check_index(("a[*].c", "{x,y.z}", "*")) == ("a[*].c", "{x,y.z}", "*")
    assert check_index(False) == check_index([]) == ()


@pytest.mark.parametrize(
    ("index", "path", "code"),
    [
        (True, "index", "invalid_index"),
        (None, "index", "invalid_index"),
        ("a", "index", "invalid_index"),
        ({"a": 1}, "index", "invalid_index"),
        (["a"] * 65, "index", "too_many_paths"),
        (["a", "$", 1], "index[2]", "invalid_index_path"),
        (["a", ""], "index[1]", "invalid_index_path"),
        (["."], "index[0]", "invalid_index_path"),
        (["a[0"], "index[0]", "invalid_index_path"),
        (["{a,b"], "index[0]", "invalid_index_path"),
        (["a\x00"], "index[0]", "invalid_index_path"),
        (["\udfff"], "index[0]", "invalid_index_path"),
        (["x" * 513], "index[0]", "path_too_long"),
    ],
)
def test_a_bad_index_is_refused_with_path_and_code(index: object, path: str, code: str) -> None:
    with pytest.raises(Invalid) as caught:
        check_index(index)
    assert [(error.path, error.code) for error in caught.value.errors] == [(path, code)]
