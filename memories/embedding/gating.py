"""The gate before a provider: who may ask it, in which order, and when it is left alone.

Three dangers. A provider that is down costs every request its timeout: after three failures in a
row it is left alone for ten seconds, then one call tries whether it is back. A provider that is
slow fills the server's threads with requests that wait, so that reads which need no vector wait
too: a few calls of a process go to it at once, and while it is slow the others do not queue. And
the local model is bound by the processor, some 25 ms of a core for a short text: many at once would
all end late and starve what else the process does, so short calls go one after another, in the
order in which they came. Long ones go beside them, or short ones would wait for them.

Who is not let through stores as pending or answers by text, at once; the worker embeds later. How
long one waits for the local model is the caller's affair (`waiting`): a search of the store rather
waits than misses what only a vector finds, a conversation's turn has milliseconds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from memories.embedding.profiles import Profile
from memories.embedding.providers import EmbeddingUnavailable
from memories.embedding.turns import Turns

FAILURES_TO_OPEN = 3
OPEN_SECONDS = 10.0

CALLS_AT_ONCE = 6
"""Of one process; about a third of a web process's threads."""

QUICK_SECONDS = 0.25
PATIENCE_SECONDS = 1.0
"""How long to wait for one's turn at an endpoint that usually answers within QUICK_SECONDS."""

SHORT_CHARACTERS = 200
"""Of a call to the local model, up to which it takes turns: some 10 to 100 ms."""

PRESSED_SECONDS = 0.5
"""How long after it refused somebody who does not give way the local model counts as pressed."""

SMOOTHING = 0.2


class EmbeddingBusy(EmbeddingUnavailable):
    """The provider is well, but this call's turn would come too late."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Until when a vector of the local model is of use, in seconds from now; `gives_way`: it can as
    well come later, so while others are refused it is not asked for."""

    seconds: float
    gives_way: bool = False


PATIENT = Patience(3.0)
"""Of a search or put of the store: longer than all other threads of a pressed process take."""

_patience: ContextVar[Patience] = ContextVar("embedding_patience", default=PATIENT)


@contextmanager
def waiting(patience: Patience) -> Iterator[None]:
    """Inside, calls to the local model are given up on by this patience."""
    token = _patience.set(patience)
    try:
        yield
    finally:
        _patience.reset(token)


class Gate:
    """The gate of one profile in this process."""

    def __init__(self, places: int = CALLS_AT_ONCE, *, is_local: bool = False) -> None:
        self._turns = Turns(places)
        self._is_local = is_local
        self._failures = 0
        self._shut_until = 0.0
        self._pressed_until = 0.0
        self._usual = 0.0

    @contextmanager
    def passing(self) -> Iterator[None]:
        """Make one call inside. Raises EmbeddingUnavailable instead when none is to be made."""
        self._check_open()
        self._take_turn()
        begin = time.monotonic()
        try:
            yield
        except EmbeddingUnavailable:
            self._failures += 1
            if self._failures >= FAILURES_TO_OPEN:
                self._shut_until = time.monotonic() + OPEN_SECONDS
            raise
        else:
            self._failures, self._shut_until = 0, 0.0
        finally:
            self._usual += SMOOTHING * (time.monotonic() - begin - self._usual)
            self._turns.give()

    def _take_turn(self) -> None:
        patience = _patience.get() if self._is_local else _of_endpoint(self._usual)
        if patience.gives_way and self._pressed_until > time.monotonic():
            raise EmbeddingBusy("left to those who cannot wait")
        if not self._turns.take(patience.seconds, usual=self._usual):
            if not patience.gives_way:
                self._pressed_until = time.monotonic() + PRESSED_SECONDS
            raise EmbeddingBusy("busy")

    def _check_open(self) -> None:
        if self._shut_until > time.monotonic():
            raise EmbeddingUnavailable("left alone after repeated failures")
        if self._failures >= FAILURES_TO_OPEN:  # this call tries it, the others go on without
            self._shut_until = time.monotonic() + OPEN_SECONDS


def _of_endpoint(usual: float) -> Patience:
    """No longer than it can answer soon, whoever asks."""
    return Patience(PATIENCE_SECONDS if usual < QUICK_SECONDS else 0.0)


_gates: dict[tuple[int, bool], Gate] = {}


def gate_of(profile: Profile, texts: Sequence[str] = ()) -> Gate:
    """The gate of the profile for a call with these texts."""
    is_local = profile.provider == "local"
    takes_turns = is_local and sum(map(len, texts)) <= SHORT_CHARACTERS
    made = Gate(1 if takes_turns else CALLS_AT_ONCE, is_local=is_local)
    return _gates.setdefault((profile.number, takes_turns), made)


def forget_gates() -> None:
    """Open all (tests)."""
    _gates.clear()
