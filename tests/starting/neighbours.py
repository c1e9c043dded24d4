"""Other processes that use the embedded servers, and ways to wait for the end of any process."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

OURS = {
    "MEMORYHUB_KEYS", "MEMORYHUB_LEDGER", "MEMORYHUB_ANCHORS", "DATABASE_URL",
    "DATABASE_OWNER_URL", "REDIS_URL", "PORT",
}  # fmt: skip
"""Settings of these tests that a hub of its own must not take over: its keys are others."""

_STAY = """
import sys
from pathlib import Path
from memoryhub import embedded

with embedded.running(Path(sys.argv[1]), lambda line: print(line, file=sys.stderr)):
    print("ready", flush=True)
    sys.stdin.readline()
"""


class Neighbour:
    """A process inside `embedded.running(data)`, there when this returns."""

    def __init__(self, data: Path, **options: Any) -> None:
        options.setdefault("env", environment(data))
        python = options.pop("python", sys.executable)
        self.process = subprocess.Popen(
            [python, "-c", _STAY, str(data)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            **options,
        )
        assert self.process.stdout is not None
        if self.process.stdout.readline() != "ready\n":
            raise AssertionError(self.process.communicate()[1])

    def leave(self) -> None:
        """An orderly end."""
        self.process.communicate("\n")
        assert self.process.returncode == 0

    def kill(self) -> None:
        """An end that nobody can prepare for."""
        self.process.kill()
        self.process.communicate()


def environment(data: Path, **more: str) -> dict[str, str]:
    """Ours, but for the folders that tests/plugin.py chose and any server named outside."""
    ours = {name: value for name, value in os.environ.items() if name not in OURS}
    paths = os.pathsep.join([str(ROOT), sysconfig.get_paths()["purelib"]])
    return ours | {"MEMORYHUB_DATA": str(data), "PYTHONPATH": paths} | more


def python_for_anybody(data: Path, **identity: Any) -> str | None:
    """A Python that an ordinary user may run, with our packages; ours may lie in a closed home."""
    ours = f"{sys.version_info.major}.{sys.version_info.minor}"
    for python in (sys.executable, f"/usr/bin/python{ours}", f"/usr/local/bin/python{ours}"):
        with suppress(OSError):
            tried = subprocess.run(
                [python, "-c", "import memoryhub.embedded"],
                env=environment(data),
                cwd="/",
                capture_output=True,
                check=False,
                **identity,
            )
            if tried.returncode == 0:
                return python
    return None


def wait_for_end(pid: int, seconds: float = 30.0) -> bool:
    """Sleeps until a process that need not be our child has ended."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], seconds)[0])
    finally:
        os.close(handle)


def kill(pid: int | None) -> None:
    """Ends a process with -9 and waits until it is gone."""
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert wait_for_end(pid)
