"""Turns at the local model: one after another in the order of asking, or told at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from memories.embedding.calling import embed_query, forget_kept_vectors
from memories.embedding.gating import (
    SHORT_CHARACTERS,
    EmbeddingBusy,
    Gate,
    Patience,
    gate_of,
    waiting,
)
from memories.embedding.profiles import LOCAL
from memories.embedding.turns import Turns
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant


class Line:
    """Threads that wait at one place, each begun once the one before it stands in line."""

    def __init__(self, turns: Turns) -> None:
        self.turns, self.served, self.threads = turns, [], []  # type: ignore[var-annotated]

    def join(self, name: int, patience: float = 30.0) -> None:
        def run() -> None:
            if self.turns.take(patience, usual=0.0):
                self.served.append(name)
                self.turns.give()

        before = len(self.turns._line)
        self.threads.append(threading.Thread(target=run))
        self.threads[-1].start()
        while len(self.turns._line) == before:
            self.threads[-1].join(0.001)

    def end(self) -> None:
        for thread in self.threads:
            thread.join(30)


def test_places_are_given_in_the_order_of_asking_and_to_nobody_who_comes_by() -> None:
    turns = Turns(1)
    assert turns.take(0, usual=0)
    line = Line(turns)
    for name in range(5):
        line.join(name)
    turns.give()
    line.end()
    assert line.served == [0, 1, 2, 3, 4]
    assert turns.take(0, usual=0)


def test_who_would_come_too_late_is_told_at_once_and_who_waited_in_vain_leaves_the_line() -> None:
    turns = Turns(1)
    assert turns.take(0, usual=1.0)
    assert not turns.take(1.9, usual=1.0)
    line = Line(turns)
    line.join(0)
    assert not turns.take(2.9, usual=1.0)
    assert not turns.take(0.01, usual=0.0)
    assert len(turns._line) == 1
    turns.give()
    line.end()
    assert line.served == [0]


@pytest.fixture
def taken() -> Iterator[Gate]:
    """The gate of short calls, with somebody inside who takes long."""
    forget_kept_vectors()
    gate = gate_of(LOCAL, ["short"])
    gate._usual = 60.0
    assert gate._turns.take(0, usual=0)
    yield gate
    gate._turns.give()
    forget_kept_vectors()


def test_a_turn_of_a_conversation_goes_without_and_what_can_wait_gives_way(taken: Gate) -> None:
    other = Gate(1, is_local=True)
    with waiting(Patience(0.1, gives_way=True)), other.passing():
        pass
    other._pressed_until = 1e12
    with waiting(Patience(0.1)), other.passing():
        pass
    with (
        waiting(Patience(0.1, gives_way=True)),
        pytest.raises(EmbeddingBusy, match="left to"),
        other.passing(),
    ):
        pass
    with waiting(Patience(0.1)), pytest.raises(EmbeddingBusy, match="busy"), taken.passing():
        pass
    assert taken._pressed_until > 0
    assert taken._failures == 0


def test_a_long_text_goes_beside_the_short_ones(
    taken: Gate, make_tenant: Callable[..., Tenant]
) -> None:
    with acting_as(operator_actor(make_tenant().id)), waiting(Patience(0.1)):
        with pytest.raises(EmbeddingBusy):
            embed_query(LOCAL, "how to ship")
        assert embed_query(LOCAL, "a" * (SHORT_CHARACTERS + 1))
