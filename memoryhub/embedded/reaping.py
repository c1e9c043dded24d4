"""Stops the servers after users that were killed.

One of these sleeps beside the servers for as long as they run, so it is a script of the standard
library only: `reaping.py LOCKS DATA PID_FILE...`. It wakes when the last user is gone. After an
orderly leave the servers' pid files are gone too and so is its work; else it becomes
`python -m memoryhub.embedded.stopping`.
"""

from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path


def hold_alone(locks: Path) -> bool:
    """Whether this is the only reaper. The lock lives on in what this process becomes."""
    lock = os.open(locks / "reaper.lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    os.set_inheritable(lock, True)
    return True


def wait_until_unused(locks: Path) -> None:
    """Sleeps in the kernel until the last user is gone, however it went."""
    users = os.open(locks / "users.lock", os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(users, fcntl.LOCK_EX)
    os.close(users)


def reap(locks: Path, data: str, pid_files: list[str]) -> None:
    """Returns when there is nothing to stop, or another reaper to do it; else it never returns."""
    if not hold_alone(locks):
        return
    wait_until_unused(locks)
    if any(map(os.path.exists, pid_files)):
        command = [sys.executable, "-m", "memoryhub.embedded.stopping", data]
        os.execv(sys.executable, command)  # noqa: S606 - ourselves, no shell


if __name__ == "__main__":
    reap(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
