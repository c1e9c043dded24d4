"""Turns: a few places, given in the order in which they were asked for.

A semaphore of the standard library wakes one who waits and lets whoever comes by at that moment go
first; under load somebody waits for ever. Here a place that gets free is handed to the first who
waits. And who would come too late anyway is told at once: those before it are known, and how long
one usually takes.
"""

from __future__ import annotations

import threading
from collections import deque


class Turns:
    """`places` at once, the others in line."""

    def __init__(self, places: int) -> None:
        self._places = self._free = places
        self._line: deque[threading.Lock] = deque()
        self._lock = threading.Lock()

    def take(self, patience: float, *, usual: float) -> bool:
        """Whether a place was given. A free one always is; else one waits if what takes `usual`
        seconds a turn can be expected to end within `patience` seconds from now, oneself included.
        """
        with self._lock:
            if self._free:
                self._free -= 1
                return True
            rounds = 2 + len(self._line) // self._places
            if patience <= 0 or rounds * usual > patience:
                return False
            mine = threading.Lock()
            mine.acquire()
            self._line.append(mine)
        return mine.acquire(timeout=max(0.0, patience - usual)) or self._leave(mine)

    def give(self) -> None:
        """The place is free again: of the first in line, if anybody waits."""
        with self._lock:
            if self._line:
                self._line.popleft().release()
            else:
                self._free += 1

    def _leave(self, mine: threading.Lock) -> bool:
        """Out of the line, unless the place was given just now."""
        with self._lock:
            if mine not in self._line:
                return True
            self._line.remove(mine)
            return False
