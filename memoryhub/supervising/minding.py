"""Ends the children of a supervisor that was killed with -9.

Run as a script, with the standard library only. It reads process groups from its standard input,
`+123` when one starts and `-123` when one has ended. A pipe reports the death of its writer on
every system, whatever killed it: at the end of the input the groups that are left are ended,
politely first.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterable

GRACE_SECONDS = 10.0
_STEP = 0.05


def follow(lines: Iterable[str]) -> set[int]:
    """The groups still running when the input ends."""
    groups: set[int] = set()
    for line in lines:
        change = groups.add if line.startswith("+") else groups.discard
        change(int(line[1:]))
    return groups


def end_groups(groups: set[int], grace: float = GRACE_SECONDS) -> None:
    """SIGTERM to the leaders, who end their own workers; SIGKILL to whoever is left."""
    for group in groups:
        with contextlib.suppress(ProcessLookupError):
            os.kill(group, signal.SIGTERM)
    pause = threading.Event()
    for _ in range(round(grace / _STEP)):
        if not any(map(is_living, groups)):
            return
        pause.wait(_STEP)
    for group in groups:
        kill_group(group)


def is_living(group: int) -> bool:
    """Whether any process of the group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def kill_group(group: int) -> None:
    """Ends whatever is left of a group at once."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    end_groups(follow(sys.stdin))
