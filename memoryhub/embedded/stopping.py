"""Stops servers whose users were killed: what reaping.py becomes when there is work.

Run as `python -m memoryhub.embedded.stopping DATA`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from memoryhub.embedded.places import find_places
from memoryhub.embedded.reaping import wait_until_unused
from memoryhub.embedded.sharing import stop_if_unused

if __name__ == "__main__":
    data = Path(sys.argv[1])
    if not (data / "locks").is_dir():
        sys.exit()  # the whole folder was deleted meanwhile, and is not made again
    places = find_places(data)
    while not stop_if_unused(places):  # somebody came in between
        wait_until_unused(places.locks)
