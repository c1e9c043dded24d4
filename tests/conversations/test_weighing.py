"""Weighing candidates: whatever the order and however often interrupted, the same is known."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from conversations.extracting.statements import Statement, kind_of
from conversations.weighing import Known, Mention, Promotion, weigh

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
ATTRIBUTES = ("residence", "likes", "dislikes", "allergy")
VALUES = ("a", "b", "a、b")


def mention(number: int, attribute: str, value: str, session: str, **more: bool) -> Mention:
    statement = Statement(attribute, value, kind_of(attribute), f"{attribute} {value}", **more)
    return Mention(UUID(int=number + 1), session, BEGIN + timedelta(minutes=number), statement)


class Store:
    """Long-term memory as promotion writes it, with the history of each key."""

    def __init__(self) -> None:
        self.known: dict[str, Known] = {}
        self.history: dict[str, list[str]] = {}
        self.times: dict[UUID, int] = {}

    def write(self, promotion: Promotion, mentions: dict[UUID, Mention]) -> None:
        before = self.known.get(promotion.key)
        assert promotion.over == before
        told = [mentions[one].said_at for one in promotion.sources]
        if before is not None and promotion.reason == "repeated":
            told.append(before.told_at)
        for one in promotion.sources:
            self.times[one] = self.times.get(one, 0) + 1
        statement = promotion.statement
        self.history.setdefault(promotion.key, []).append(statement.value)
        self.known[promotion.key] = Known(
            UUID(int=len(self.known) + 1_000), promotion.key,
            1 if before is None else before.version + 1, statement.attribute, statement.value,
            statement.text, statement.kind, promotion.all_sources, max(told),
        )  # fmt: skip


def settle(mentions: list[Mention], store: Store) -> list[Mention]:
    """Weigh and write until nothing changes; what stays open."""
    by_id = {one.id: one for one in mentions}
    still_open = list(mentions)
    for _ in range(100):
        weighed = weigh(still_open, list(store.known.values()))
        if not weighed.promotions and not weighed.outdated:
            return still_open
        taken = set(weighed.outdated)
        for promotion in weighed.promotions:
            store.write(promotion, by_id)
            taken |= set(promotion.sources)
        still_open = [one for one in still_open if one.id not in taken]
    raise AssertionError("does not settle")


said = st.lists(
    st.tuples(st.sampled_from(ATTRIBUTES), st.sampled_from(VALUES), st.sampled_from("xyz")),
    max_size=10,
)


@given(said, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(
    lines: list[tuple[str, str, str]], random: object
) -> None:
    mentions = [mention(number, *line) for number, line in enumerate(lines)]
    shuffled = list(mentions)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one, two = Store(), Store()
    left, also_left = settle(mentions, one), settle(shuffled, two)
    assert {item.id for item in left} == {item.id for item in also_left}
    assert one.history == two.history
    assert one.times == two.times


@given(said)
def test_no_candidate_counts_twice_and_what_is_promoted_was_said_enough(
    lines: list[tuple[str, str, str]],
) -> None:
    mentions = [mention(number, *line) for number, line in enumerate(lines)]
    store = Store()
    settle(mentions, store)
    assert set(store.times.values()) <= {1}
    sessions = {one.id: one.session for one in mentions}
    for known in store.known.values():
        first_sources = known.sources
        assert first_sources
        if len(store.history[known.key]) == 1:
            assert len({sessions[one] for one in first_sources}) >= 2 or len(first_sources) >= 3


@given(said)
def test_a_single_attribute_is_known_once_with_the_value_said_last(
    lines: list[tuple[str, str, str]],
) -> None:
    mentions = [mention(number, *line) for number, line in enumerate(lines)]
    store = Store()
    settle(mentions, store)
    homes = [one for one in store.known.values() if one.attribute == "residence"]
    assert len(homes) <= 1
    told = [one for one in mentions if one.statement.attribute == "residence"]
    if homes:
        assert homes[0].value == told[-1].statement.value


def test_one_mention_waits_and_what_is_confirmed_or_marked_does_not() -> None:
    once = mention(0, "residence", "a", "x")
    assert weigh([once], []) == weigh([], [])
    (marked,) = weigh([once], [], marked=[once.id]).promotions
    assert marked.reason == "marked"
    (confirmed,) = weigh([mention(0, "residence", "a", "x", is_confirmed=True)], []).promotions
    assert confirmed.reason == "confirmed"
    (thrice,) = weigh([mention(n, "likes", "a", "x") for n in range(3)], []).promotions
    assert thrice.reason == "three_times"
    (twice,) = weigh([mention(n, "likes", "a", "xy"[n]) for n in range(2)], []).promotions
    assert twice.reason == "two_sessions"


def test_what_was_said_before_the_present_value_does_not_replace_it() -> None:
    late = mention(5, "residence", "b", "x", is_confirmed=True)
    store = Store()
    settle([late], store)
    weighed = weigh([mention(0, "residence", "a", "y")], list(store.known.values()))
    assert weighed.promotions == ()
    assert weighed.outdated == (UUID(int=1),)
