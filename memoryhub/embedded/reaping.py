"""Stops the servers after users that were killed: `python -m memoryhub.embedded.reaping DATA`.

One of these sleeps beside the servers for as long as they run. It wakes when the last user is
gone; after an orderly leave it finds nothing to do.
"""

from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path

from memoryhub.embedded.places import find_places
from memoryhub.embedded.sharing import stop_if_unused, wait_until_unused


def reap(data: Path) -> None:
    """Returns when the servers are stopped, or at once when another reaper is at work."""
    places = find_places(data)
    lock = os.open(places.locks / "reaper.lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    while True:
        wait_until_unused(places)
        if stop_if_unused(places):
            return


if __name__ == "__main__":
    reap(Path(sys.argv[1]))
