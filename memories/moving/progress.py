"""A progress bar, where somebody looks: on a terminal, at most ten times a second."""

from __future__ import annotations

import time
from typing import TextIO

WIDTH = 30
EVERY_SECONDS = 0.1


class Progress:
    """`done` of `total` in whatever unit; silent when the stream is no terminal."""

    def __init__(self, stream: TextIO, what: str, total: int | None) -> None:
        self._stream, self._what, self._total = stream, what, total
        self._shown_at = 0.0
        self._is_seen = stream.isatty()

    def show(self, position: int, items: int, *, last: bool = False) -> None:
        """Draw the bar anew."""
        at = time.monotonic()
        if not self._is_seen or (not last and at - self._shown_at < EVERY_SECONDS):
            return
        self._shown_at = at
        share = 1.0 if not self._total else min(1.0, position / self._total)
        bar = ("█" * int(share * WIDTH)).ljust(WIDTH, "·")
        self._stream.write(f"\r{self._what} {bar} {share:4.0%}  {items:,} memories")
        if last:
            self._stream.write("\n")
        self._stream.flush()
