"""A locked rule only gets stricter: protects longer, ends sooner, covers no less."""

from __future__ import annotations

from typing import Any

import pytest

from memoryhub.errors import Conflict
from policies.parsing import parse_rule
from policies.strictness import list_loosenings, refuse_loosening

KEEP = {"key": "r", "kind": "keep", "after": {"days": 365}, "locked": True}
CAP = {"key": "r", "kind": "cap", "after": {"days": 365}, "locked": True, "namespace": ["a", "b"]}
EXPIRE = {
    "key": "r",
    "kind": "expire",
    "after": {"days": 90},
    "locked": True,
    "namespace": ["a"],
    "end": "review",
    "unless_accessed": 3,
}
EVENT = {"anchor": "event:done", "fallback": {"days": 365}}


@pytest.mark.parametrize(
    ("old", "changes"),
    [
        (KEEP, {}),
        (KEEP, {"owner": "legal", "review_by": "2027-01-01"}),
        (KEEP, {"after": {"days": 366}}),
        (KEEP, {"after": {"months": 13}}),
        (KEEP, {"statutory": True, "citation": "HGB"}),
        ({**KEEP, "namespace": ["a"], "class": "personal"}, {"namespace": [], "class": None}),
        ({**KEEP, **EVENT}, {"fallback": None}),
        ({**KEEP, **EVENT}, {"fallback": {"days": 400}}),
        ({**KEEP, "after": None, "strength_below": 0.1}, {"strength_below": 0.05}),
        (CAP, {"after": {"days": 364}}),
        (CAP, {"after": {"months": 11}}),
        (CAP, {"after": {"hours": 24 * 365}}),
        (CAP, {"namespace": ["a"]}),
        ({**CAP, **EVENT}, {"fallback": {"days": 30}}),
        (EXPIRE, {"after": {"days": 30}}),
        (EXPIRE, {"end": "trash"}),
        (EXPIRE, {"unless_accessed": 5}),
        (EXPIRE, {"unless_accessed": None}),
        ({**EXPIRE, "anchor": "event:done"}, {"fallback": {"days": 30}}),
        (
            {"key": "r", "kind": "degrade", "after": {"days": 9}, "weight": 0.5, "locked": True},
            {"weight": 0.4},
        ),
    ],
)
def test_stricter_or_equal_is_allowed(old: dict[str, Any], changes: dict[str, Any]) -> None:
    assert list_loosenings(parse_rule(old), parse_rule({**old, **changes})) == ()


@pytest.mark.parametrize(
    ("old", "changes", "field"),
    [
        (KEEP, {"after": {"days": 364}}, "after"),
        (KEEP, {"after": {"months": 12}}, "after"),  # some years are a day longer, some an hour
        (KEEP, {"locked": False}, "locked"),
        (KEEP, {"anchor": "updated"}, "anchor"),
        (KEEP, {"namespace": ["a"]}, "namespace"),
        (KEEP, {"memory_kind": "fact"}, "namespace"),
        ({**KEEP, "statutory": True}, {"statutory": False}, "statutory"),
        ({**KEEP, **EVENT}, {"fallback": {"days": 300}}, "fallback"),
        ({**KEEP, "anchor": "event:done"}, {"fallback": {"days": 300}}, "fallback"),
        ({**KEEP, "after": None, "strength_below": 0.1}, {"strength_below": 0.2}, "after"),
        (KEEP, {"after": None, "strength_below": 0.01}, "after"),
        (CAP, {"after": {"days": 366}}, "after"),
        (CAP, {"after": {"months": 12}}, "after"),
        (CAP, {"namespace": ["a", "b", "c"]}, "namespace"),
        (CAP, {"namespace": ["a", "x"]}, "namespace"),
        (CAP, {"label": "contract"}, "namespace"),
        ({**CAP, **EVENT}, {"fallback": {"days": 400}}, "fallback"),
        (EXPIRE, {"after": {"days": 91}}, "after"),
        (EXPIRE, {"namespace": []}, "namespace"),  # broader, and thereby weaker
        (EXPIRE, {"end": "archive"}, "end"),
        (EXPIRE, {"unless_accessed": 2}, "unless_accessed"),
        ({**EXPIRE, **EVENT}, {"fallback": None}, "fallback"),
    ],
)
def test_looser_is_refused(old: dict[str, Any], changes: dict[str, Any], field: str) -> None:
    assert list_loosenings(parse_rule(old), parse_rule({**old, **changes})) == (field,)


def test_another_kind_is_refused() -> None:
    changed = {**KEEP, "kind": "cap"}
    assert list_loosenings(parse_rule(KEEP), parse_rule(changed)) == ("kind",)


def test_a_locked_rule_cannot_be_removed() -> None:
    other = parse_rule({**KEEP, "key": "other"})
    with pytest.raises(Conflict) as caught:
        refuse_loosening([parse_rule(KEEP)], [other])
    assert caught.value.code == "rule_locked"
    assert caught.value.facts == {"key": "r", "looser": ["key"]}


def test_an_open_rule_may_do_as_it_likes() -> None:
    for changed in ([], [parse_rule({**KEEP, "kind": "cap"})]):
        refuse_loosening([parse_rule({**KEEP, "locked": False})], changed)
        with pytest.raises(Conflict):
            refuse_loosening([parse_rule(KEEP)], changed)
    refuse_loosening([parse_rule({**KEEP, "locked": False})], [parse_rule(KEEP)])
