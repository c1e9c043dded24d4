"""The processes a supervisor keeps: web, worker and beat; each in a process group of its own.

A child that ends is started again, at once the first time and then after longer and longer
pauses. What a killed child leaves behind (web's and the worker's own processes) is ended first:
it would hold the port, or work on unsupervised.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from memoryhub.embedded.processes import open_log
from memoryhub.supervising import minding

ROOT = Path(__file__).resolve().parents[2]

_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 30.0
_STEADY_SECONDS = 60.0  # after so long a life the next death counts as the first


class Minder:
    """Our end of the process that ends the children should we be killed (minding.py)."""

    def __init__(self, lock: int, log: Path) -> None:
        self._lock = lock
        self._log = log
        self._groups: set[int] = set()
        self._process = self._launch()

    def add(self, group: int) -> None:
        self._groups.add(group)
        self._write(f"+{group}\n")

    def remove(self, group: int) -> None:
        self._groups.discard(group)
        self._write(f"-{group}\n")

    def ensure(self) -> None:
        """Starts it again when it was killed."""
        if self._process.poll() is not None:
            self._process = self._launch()
            for group in self._groups:
                self._write(f"+{group}\n")

    def close(self) -> None:
        """Says that we end by ourselves; it then ends what it still knows of."""
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        self._process.wait()

    def _launch(self) -> subprocess.Popen[bytes]:
        # The lock stays held for as long as the minder is at work: the next start waits for it.
        with open_log(self._log) as log:
            return subprocess.Popen(  # noqa: S603 - our own script, no shell
                [sys.executable, "-S", "-E", minding.__file__],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=(self._lock,),
            )

    def _write(self, line: str) -> None:
        if self._process.stdin is None:
            return
        with contextlib.suppress(BrokenPipeError):  # killed; `ensure` repeats everything
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()


@dataclass
class Child:
    """One supervised process and how it has fared. Times are monotonic seconds."""

    name: str
    command: list[str]
    log: Path
    environment: dict[str, str]
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    due_at: float = 0.0
    failures: int = 0

    def start(self, minder: Minder, now: float) -> None:
        with open_log(self.log) as output:
            self.process = subprocess.Popen(  # noqa: S603 - our own programs, no shell
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=ROOT,
                env=self.environment,
                process_group=0,  # Ctrl-C reaches the supervisor alone
                umask=0o077,
            )
        minder.add(self.process.pid)
        self.started_at = now

    def tend(self, minder: Minder, now: float, say: Callable[[str], None]) -> None:
        """Notices a death, and starts the child when its pause is over."""
        if self.process is not None and self.process.poll() is not None:
            self._bury(minder, now, say)
        if self.process is None and now >= self.due_at:
            self.start(minder, now)

    def ask_to_end(self) -> None:
        if self.process is not None:
            self.process.terminate()

    def is_living(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def finish(self, minder: Minder) -> None:
        """Ends at once whatever is left of it."""
        if self.process is not None:
            minding.kill_group(self.process.pid)
            self.process.wait()
            minder.remove(self.process.pid)
            self.process = None

    def _bury(self, minder: Minder, now: float, say: Callable[[str], None]) -> None:
        ending = describe_ending(self.process.returncode if self.process else None)
        self.finish(minder)
        if now - self.started_at > _STEADY_SECONDS:
            self.failures = 0
        self.failures += 1
        pause = min(_FIRST_PAUSE * 2 ** (self.failures - 1), _LONGEST_PAUSE)
        self.due_at = now + pause
        say(f"{self.name} {ending}; starting it again in {pause:g} s (log: {self.log})")


def describe_ending(code: int | None) -> str:
    """A return code in words."""
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return f"was ended by {signal.Signals(-code).name}"
    return f"ended with code {code}"


def web(*, host: str, port: int) -> list[str]:
    """The command line of the web server. Its numbers come from GRANIAN_* (`web_defaults`)."""
    return [
        *(sys.executable, "-m", "granian", "--interface", "wsgi"),
        *("--host", host, "--port", str(port), "--no-ws", "memoryhub.wsgi:application"),
    ]


def web_defaults() -> dict[str, str]:
    """What web runs with unless the environment says otherwise; made for two cores.

    Somebody waits for a text that web embeds, and a second core takes a third off it where one is
    free; threads that spin while they wait for each other would cost the other process its core.
    """
    return {
        "OMP_NUM_THREADS": str(min(2, os.cpu_count() or 1)),
        "OMP_WAIT_POLICY": "passive",
        "GRANIAN_WORKERS": str(max(1, min(4, (os.cpu_count() or 1)))),
        "GRANIAN_BLOCKING_THREADS": "16",
        "GRANIAN_BACKLOG": "1024",
        "GRANIAN_RESPAWN_FAILED_WORKERS": "true",
        "GRANIAN_RESPAWN_INTERVAL": "0.5",
        "GRANIAN_WORKERS_KILL_TIMEOUT": "8",
    }


def worker(concurrency: str) -> list[str]:
    """The command line of the Celery worker."""
    return [
        *(sys.executable, "-m", "celery", "-A", "memoryhub.celery", "worker"),
        *("--concurrency", concurrency, "--without-gossip", "--without-mingle"),
        *("--loglevel", "INFO"),
    ]


def beat(schedule: Path) -> list[str]:
    """The command line of Celery's clock."""
    return [
        *(sys.executable, "-m", "celery", "-A", "memoryhub.celery", "beat"),
        *("--schedule", str(schedule), "--loglevel", "INFO"),
    ]
