"""Sealing everything there is, beside the tests of other workers."""

from __future__ import annotations

import time

from audit.sealing.lagging import read_lag
from audit.sealing.rounds import seal

PATIENCE_SECONDS = 30.0


def seal_all() -> int:
    """Seal until nothing waits; how many events it were.

    An event is final when every transaction that began before it is over, whoever's it is on this
    server: those of other workers' tests are waited for.
    """
    sealed, end = seal(), time.monotonic() + PATIENCE_SECONDS
    while read_lag().seconds > 0 and time.monotonic() < end:
        sealed += seal()
    return sealed
