"""Labels of every kind match exactly themselves, over every verb."""

from __future__ import annotations

import pytest

from tests.callers import Caller

STRANGE = [
    "user_1", "userX1", "USER_1", "%", "%%", "_", "\\", "*", "a*", "a/b", "a%2Fb", "a%b", " ",
    " a", "a ", "tab\there", "new\nline", "trailing\n", "a:b", "用户", "é", "e\u0301", "😀", "ß",
    "SS",
    "'", '"', "'; DROP TABLE memories_memory; --", "$", "^", "[a-z]", "(?i)", "{}", "a,b", "null",
    "-1", "0", "\u200b", "\u2028", "a\x7f", "\x01", "~", "\U0010ffff", "x" * 256,
]  # fmt: skip


@pytest.fixture
def filled(agent: Caller) -> Caller:
    """One item in the namespace of each label, and one below it."""
    ops = [
        {"op": "put", "namespace": namespace, "key": label, "value": {}, "index": False}
        for label in STRANGE
        for namespace in (["root", label], ["root", label, "below"])
    ]
    assert agent.batch(*ops).status_code == 200
    return agent


@pytest.mark.slow
def test_every_label_matches_exactly_itself(filled: Caller) -> None:
    for label in STRANGE:
        assert filled.get(["root", label], label).status_code == 200, label
        found = filled.search(["root", label], limit=100).json()["items"]
        assert {tuple(item["namespace"]) for item in found} == {
            ("root", label), ("root", label, "below"),
        }, label  # fmt: skip


def test_every_label_lists_exactly_itself_and_the_star_lists_all(filled: Caller) -> None:
    every = {("root", label) for label in STRANGE}
    for label in STRANGE:
        listed = {tuple(ns) for ns in filled.namespaces(prefix=["root", label])}
        expected = every if label == "*" else {("root", label)}
        assert listed == expected | {(*one, "below") for one in expected}, label


def test_namespaces_are_sorted_by_their_stored_path(filled: Caller) -> None:
    listed = filled.namespaces(prefix=["root"], max_depth=2, limit=1000)
    assert [ns[1] for ns in listed] == sorted(STRANGE, key=stored)


def stored(label: str) -> str:
    escaped = [f"%{ord(c):02X}" if c in "%/" or ord(c) < 32 else c for c in label]
    return "".join(escaped) + "/"


def test_deleting_below_one_label_leaves_all_others(filled: Caller) -> None:
    for label in ("%", "_", "user_1", "a/b", "*", "\\", "new\nline"):
        body = {"namespace_prefix": ["root", label], "dry_run": False}
        assert filled.call("DELETE", "/store/namespaces", body).json()["deleted"] == 2
    left = filled.namespaces(prefix=["root"], max_depth=2, limit=1000)
    assert len(left) == len(STRANGE) - 7


def test_keys_of_every_kind_are_themselves_too(agent: Caller) -> None:
    keys = [*STRANGE, "a.b", "..", "x" * 512]
    for key in keys:
        assert agent.put(["keys"], key, {"key": key}, index=False).json()["outcome"] == "created"
    for key in keys:
        assert agent.get(["keys"], key).json()["value"] == {"key": key}
    assert agent.delete(["keys"], "%").status_code == 204
    assert len(agent.keys(["keys"], limit=1000)) == len(keys) - 1


def test_twelve_labels_and_a_thousand_bytes_are_allowed(agent: Caller) -> None:
    for namespace in (["x"] * 12, ["x" * 255] * 4):
        assert agent.put(namespace, "k", {}, index=False).status_code == 200
        assert agent.get(namespace, "k").status_code == 200
