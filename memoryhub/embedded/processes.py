"""Processes that are not our children: finding, watching and ending them; and their logs.

A process id on disk is a rumour: after a crash the number may belong to anybody. A process is
one of ours only when it runs the right program with the right working folder (both servers
change into their own), so nothing else is ever waited for or signalled.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any

_LOG_BYTES = 10_000_000
_LOGS_KEPT = 3
_PROC = Path("/proc")


class _Detached(subprocess.Popen[bytes]):
    """A process that outlives us by design, so its object may go without a warning."""

    def __del__(self, *_: object) -> None:
        return


# Collected now and then, so that those which ended before us stay no zombies.
_started: list[_Detached] = []


def launch(command: list[str], log: Path, **options: Any) -> subprocess.Popen[bytes]:
    """Starts a process in a session of its own, so that Ctrl-C does not reach it."""
    _collect()
    with open_log(log) as output:
        process = _Detached(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            umask=0o077,
            **({"cwd": "/", "env": plain_environment()} | options),
        )
    _started.append(process)
    return process


def plain_environment() -> dict[str, str]:
    """No PG* variable and no locale of the caller reaches a server."""
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}


def is_serving(pid: int, *, program: str, folder: Path) -> bool:
    """Whether this living process is `program` working in `folder`."""
    _collect()
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return False  # another user's, so not one of ours
    if not _PROC.joinpath("self").exists():
        return _is_serving_by_ps(pid, program, folder)
    try:
        name = (_PROC / str(pid) / "comm").read_text().strip()
        return name == program[:15] and os.path.samefile(_PROC / str(pid) / "cwd", folder)
    except OSError:
        return False  # it ended while we looked, or it is another user's


def find_serving(*, program: str, folder: Path) -> list[int]:
    """All living processes of `program` working in `folder` (where there is a /proc)."""
    if not _PROC.joinpath("self").exists():
        return []
    pids = [int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if is_serving(pid, program=program, folder=folder)]


def end(
    pids: Iterable[int], alive: Callable[[int], bool], steps: dict[signal.Signals, float]
) -> bool:
    """Sends each signal in turn and waits its seconds; True when nobody is left."""
    everyone = list(pids)

    def left() -> list[int]:
        return [pid for pid in everyone if alive(pid)]

    for number, seconds in steps.items():
        for pid in left():
            _signal(pid, number)
        if wait_until(lambda: not left(), seconds):
            return True
    return False


def wait_until(condition: Callable[[], bool], seconds: float, *, step: float = 0.02) -> bool:
    """Polls for what sends no event: the state of processes that are not our children."""
    pause = threading.Event()
    for _ in range(max(1, round(seconds / step))):
        if condition():
            return True
        pause.wait(step)
    return condition()


def open_log(path: Path) -> IO[bytes]:
    """A log of mode 600 opened for appending; a long one is set aside first."""
    rotate_log(path)
    return _open_private(path, os.O_APPEND)


def rotate_log(path: Path) -> None:
    """Sets a long log aside as `.1` and empties it in place, since a process may hold it open
    (appending, so it goes on at the new end)."""
    try:
        if path.stat().st_size < _LOG_BYTES:
            return
    except FileNotFoundError:
        return
    for number in range(_LOGS_KEPT - 1, 0, -1):
        older = path.with_name(f"{path.name}.{number}")
        if older.exists():
            older.replace(path.with_name(f"{path.name}.{number + 1}"))
    aside = path.with_name(f"{path.name}.1")
    with path.open("rb") as source, _open_private(aside, os.O_TRUNC) as copy:
        shutil.copyfileobj(source, copy)
    os.truncate(path, 0)


def read_from(path: Path, start: int) -> str:
    """What a log has gained since it was `start` bytes long."""
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(min(start, file.tell()))
        return file.read().decode("utf-8", "replace")


def size_of(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _collect() -> None:
    _started[:] = [process for process in _started if process.poll() is None]


def _open_private(path: Path, flag: int) -> IO[bytes]:
    return os.fdopen(os.open(path, os.O_CREAT | os.O_WRONLY | flag, 0o600), "wb")


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return  # it ended first


def _is_serving_by_ps(pid: int, program: str, folder: Path) -> bool:
    shown = subprocess.run(  # noqa: S603 - a number, no shell
        ["/bin/ps", "-p", str(pid), "-o", "command="], capture_output=True, text=True, check=False
    ).stdout
    return program in shown and str(folder) in shown
