"""Which holds a memory is under: pure, and quick however many there are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.holding import Holdings, StandingHold, kept_holds, prefixes_of

AT = datetime(2026, 1, 1, tzinfo=UTC)
MEMORY = uuid4()


def hold(number: int = 0, **scope: object) -> StandingHold:
    return StandingHold(UUID(int=number), AT + timedelta(days=number), **scope)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("scope", "is_over"),
    [
        ({"subjects": frozenset({"s"})}, True),
        ({"subjects": frozenset({"t"})}, False),
        ({"namespaces": ("a/",)}, True),
        ({"namespaces": ("a/b/",)}, True),
        ({"namespaces": ("a/b/c/",)}, False),
        ({"namespaces": ("a",)}, False),
        ({"namespaces": ("",)}, True),
        ({"memories": frozenset({MEMORY})}, True),
        ({"memories": frozenset({uuid4()})}, False),
    ],
)
def test_any_part_of_a_scope_is_enough(scope: dict[str, object], is_over: bool) -> None:
    found = Holdings([hold(**scope)]).matching(MEMORY, "a/b/", ["s"])
    assert bool(found) is is_over


def test_a_kept_hold_stays_as_long_as_it_stands() -> None:
    standing = hold(1, subjects=frozenset({"s"}))
    assert Holdings([standing]).matching(MEMORY, "a/", [], [standing.id]) == [standing]
    assert Holdings().matching(MEMORY, "a/", [], [standing.id]) == []
    released = hold(2, released_at=AT)
    assert kept_holds([standing, released], []) == [standing.id]


def test_holds_placed_meanwhile_count_for_whoever_destroys() -> None:
    (seen,) = Holdings([hold(5)]).as_seen_at(AT)
    assert seen.placed_at == AT


def test_a_release_is_imagined_without_touching_the_others() -> None:
    holdings = Holdings([hold(1), hold(2)])
    imagined = {one.id: one.released_at for one in holdings.without(UUID(int=1), released_at=AT)}
    assert imagined == {UUID(int=1): AT, UUID(int=2): None}
    assert [one.id for one in holdings.without(UUID(int=1))] == [UUID(int=2)]


@given(st.lists(st.text("ab", min_size=1, max_size=2), min_size=1, max_size=4))
def test_the_prefixes_of_a_path_are_those_it_begins_with(labels: list[str]) -> None:
    path = "".join(f"{label}/" for label in labels)
    assert prefixes_of(path) == [
        "",
        *("".join(f"{one}/" for one in labels[: n + 1]) for n in range(len(labels))),
    ]
