"""`manage.py up` as a person at a terminal sees it, and its processes by name."""

from __future__ import annotations

import http.client
import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import psutil

from memoryhub import embedded
from memoryhub.embedded.processes import wait_until
from memoryhub.supervising.claiming import find_free_port
from tests.starting.neighbours import ROOT, environment

PATIENCE = 120.0


class Up:
    """A started `up`. Processes are found below it or by the data folder: never another's."""

    def __init__(
        self, data: Path, *, port: int | None = None, demo: bool = False, **more: str
    ) -> None:
        self.data = data
        self.port = port or find_free_port("127.0.0.1")
        self.lines: queue.Queue[str | None] = queue.Queue()
        self.said: list[str] = []
        words = ["up", "--port", str(self.port), "--data", str(data)]
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", *words, *([] if demo else ["--no-demo"])],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=ROOT,
            env=environment(data, GRANIAN_WORKERS="1", WORKER_CONCURRENCY="1", **more),
        )
        threading.Thread(target=self._listen, daemon=True).start()

    def wait_for_line(self, part: str) -> str:
        """The next line that contains `part`."""
        while (line := self.lines.get(timeout=PATIENCE)) is not None:
            if part in line:
                return line
        raise AssertionError(f"{part!r} was not said:\n{''.join(self.said)}")

    def wait_until_up(self) -> Up:
        self.wait_for_line("MemoryHub is up")
        return self

    def end(self, number: int) -> int:
        """Sends a signal and waits for the end; the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def descendants(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def pids(self) -> list[int]:
        """All that works for it: below it, and for its data folder, whoever started that.

        A start right after a kill may find the servers and their reaper still there and keep them.
        """
        servers = [pid for name in embedded.SERVERS if (pid := self.pid_of(name)) is not None]
        there = [process.pid for process in self.descendants()] + servers
        for pid in servers:
            there += [process.pid for process in psutil.Process(pid).children(recursive=True)]
        for process in psutil.process_iter(["cmdline"]):
            words = process.info["cmdline"] or []
            if str(self.data) in words and any(sign in " ".join(words) for sign in _REAPER_SIGNS):
                there.append(process.pid)
        return list(dict.fromkeys(there))

    def pid_of(self, name: str) -> int | None:
        """The process a name stands for; None while it is not there."""
        if name in embedded.SERVERS:
            return embedded.find_servers(self.data)[name]
        words, parent = _SIGNS[name]
        wanted = self.process.pid if parent is None else self.pid_of(parent)
        for process in self.descendants():
            try:
                if process.ppid() == wanted and words in " ".join(process.cmdline()):
                    return process.pid
            except psutil.Error:
                continue  # it ended while we looked
        return None

    def ready(self) -> dict[str, Any]:
        """What `/readyz` says; `{"status": "silent"}` when nobody answers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", "/readyz")
            return dict(json.loads(connection.getresponse().read()))
        except (OSError, http.client.HTTPException, ValueError):
            return {"status": "silent"}
        finally:
            connection.close()

    def is_whole(self) -> bool:
        """Every process there, and able to serve."""
        return all(self.pid_of(name) for name in NAMES) and self.ready()["status"] == "ok"

    def wait_until_whole(self) -> None:
        assert wait_until(self.is_whole, PATIENCE, step=0.2), (self.ready(), "".join(self.said))

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line)
            self.lines.put(line)
        self.lines.put(None)


# Words of a command line, and whose child it is (None: the supervisor's).
_SIGNS: dict[str, tuple[str, str | None]] = {
    "web": ("-m granian", None),
    "web's worker": ("-m granian", "web"),
    "worker": ("memoryhub.celery worker", None),
    "worker's child": ("memoryhub.celery worker", "worker"),
    "beat": ("memoryhub.celery beat", None),
    "minder": ("minding.py", None),
}
_REAPER_SIGNS = ("reaping.py", "memoryhub.embedded.stopping")
NAMES = (*_SIGNS, *embedded.SERVERS)


def manage(data: Path, *words: str) -> str:
    """Runs one of our commands on the data folder; what it prints."""
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=environment(data),
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def is_living(pid: int) -> bool:
    """Whether a process runs; one that ended and was not collected yet does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def living(pids: list[int]) -> list[int]:
    return [pid for pid in pids if is_living(pid) and pid != os.getpid()]
