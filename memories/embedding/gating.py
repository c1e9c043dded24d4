"""The gate before a provider: who may ask it, and when it is left alone.

Two dangers. A provider that is down costs every request its timeout: after three failures in a row
it is left alone for ten seconds, then one call tries whether it is back. A provider that is slow
fills the server's threads with requests that wait, so that reads which need no vector wait too: a
few calls of a process go to it at once, and while it is slow the others do not queue. Who is not
let through stores as pending or answers by text, at once; the worker embeds later.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from memories.embedding.providers import EmbeddingUnavailable

FAILURES_TO_OPEN = 3
OPEN_SECONDS = 10.0

CALLS_AT_ONCE = 6
"""Of one process; about a third of a web process's threads."""

QUICK_SECONDS = 0.25
PATIENCE_SECONDS = 1.0
"""How long to wait for one's turn at a provider that usually answers within QUICK_SECONDS."""

SMOOTHING = 0.2


class Gate:
    """The gate of one profile in this process."""

    def __init__(self) -> None:
        self._turns = threading.BoundedSemaphore(CALLS_AT_ONCE)
        self._failures = 0
        self._shut_until = 0.0
        self._usual = 0.0

    @contextmanager
    def passing(self) -> Iterator[None]:
        """Make one call inside. Raises EmbeddingUnavailable instead when none is to be made."""
        self._check_open()
        patience = PATIENCE_SECONDS if self._usual < QUICK_SECONDS else 0.0
        if not self._turns.acquire(timeout=patience):
            raise EmbeddingUnavailable("busy")
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
            self._turns.release()

    def _check_open(self) -> None:
        if self._shut_until > time.monotonic():
            raise EmbeddingUnavailable("left alone after repeated failures")
        if self._failures >= FAILURES_TO_OPEN:  # this call tries it, the others go on without
            self._shut_until = time.monotonic() + OPEN_SECONDS


_gates: dict[int, Gate] = {}


def gate_of(profile: int) -> Gate:
    """The gate of the profile with this number."""
    return _gates.setdefault(profile, Gate())


def forget_gates() -> None:
    """Open all (tests)."""
    _gates.clear()
