"""Runs one of our commands to its end, saying now and then that it is still at work."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from memoryhub.embedded.failures import StartFailure
from memoryhub.embedded.processes import open_log, read_from, size_of
from memoryhub.supervising.children import ROOT, describe_ending

_TELL_EVERY = 5.0
_STEP = 0.25

# The line of a trace that names the error; what follows it are hints of the database.
_ERROR = re.compile(r"^(?:[\w.]*(?:Error|Exception|Failure|Refused)|CommandError): .+")


def run_command(
    *words: str,
    log: Path,
    environment: dict[str, str],
    say: Callable[[str], None],
    pause: Callable[[float], None],
) -> str:
    """What `manage.py <words>` prints. What it says on stderr goes to the log, its last line to
    `say` every few seconds. `pause` waits, and raises when somebody asked to stop."""
    before = size_of(log)
    with open_log(log) as errors:
        process = subprocess.Popen(  # noqa: S603 - our own command, no shell
            [sys.executable, str(ROOT / "manage.py"), *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=ROOT,
            env=environment,
            process_group=0,
        )
    try:
        output = _read_all(process, words[0], lambda: read_from(log, before), say, pause)
    finally:
        if process.poll() is None:
            process.terminate()
        code = process.wait()
    if code:
        reason = find_reason(read_from(log, min(before, size_of(log))))
        raise StartFailure(
            f"manage.py {words[0]} {describe_ending(code)}: {reason} (log: {log})",
            code="command_failed",
        )
    return output


def find_reason(said: str) -> str:
    """The line of a log that says why a process ended."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    named = [line for line in lines if _ERROR.match(line)]
    return (named or lines or ["it said nothing"])[-1]


def _read_all(
    process: subprocess.Popen[bytes],
    name: str,
    errors: Callable[[], str],
    say: Callable[[str], None],
    pause: Callable[[float], None],
) -> str:
    assert process.stdout is not None
    pipe = process.stdout.fileno()
    chunks: list[bytes] = []
    silent = total = 0.0
    while True:
        while select.select([pipe], [], [], 0)[0]:
            chunk = os.read(pipe, 65536)
            if not chunk:
                return b"".join(chunks).decode("utf-8", "replace")
            chunks.append(chunk)
        pause(_STEP)
        silent, total = silent + _STEP, total + _STEP
        if silent >= _TELL_EVERY:
            silent = 0.0
            progress = errors().strip().splitlines()
            say(f"  {name} is at work ({total:.0f} s){': ' + progress[-1] if progress else ''}")
