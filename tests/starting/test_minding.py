"""Children end with their supervisor, however it ends; and come back while it lives."""

from __future__ import annotations

import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memoryhub.supervising import minding
from memoryhub.supervising.children import Child, Minder, describe_ending
from tests.starting.neighbours import kill, wait_for_end

_STUBBORN = """
import signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
inner = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
print(inner.pid, flush=True)
signal.pause()
"""


@pytest.fixture
def stubborn() -> subprocess.Popen[str]:
    """A group of two that does not listen to SIGTERM."""
    return subprocess.Popen(
        [sys.executable, "-c", _STUBBORN], stdout=subprocess.PIPE, text=True, process_group=0
    )


def test_groups_that_ended_are_not_followed() -> None:
    assert minding.follow(["+10\n", "+11\n", "-10\n", "+12\n"]) == {11, 12}


def test_a_whole_group_ends_even_if_it_does_not_listen(stubborn: subprocess.Popen[str]) -> None:
    assert stubborn.stdout is not None
    inner = int(stubborn.stdout.readline())
    minding.end_groups({stubborn.pid}, grace=0.1)
    assert stubborn.wait(10) == -signal.SIGKILL
    assert wait_for_end(inner)
    stubborn.stdout.close()


def test_the_minder_ends_the_children_when_the_pipe_closes() -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", "import signal; signal.pause()"], process_group=0
    )
    minder = subprocess.Popen(
        [sys.executable, "-S", "-E", minding.__file__], stdin=subprocess.PIPE, text=True
    )
    assert minder.stdin is not None
    minder.stdin.write(f"+{child.pid}\n")
    minder.stdin.close()
    assert child.wait(10) == -signal.SIGTERM
    assert minder.wait(10) == 0


@pytest.fixture
def child(folder: Path) -> Child:
    """Something that runs until it is ended."""
    waiting = [sys.executable, "-c", "import signal; signal.pause()"]
    return Child("thing", waiting, folder / "thing.log", {})


@pytest.fixture
def minder(folder: Path) -> Minder:
    lock = (folder / "lock").open("w")
    return Minder(lock.fileno(), folder / "minder.log")


def test_a_child_that_dies_comes_back_after_longer_and_longer_pauses(
    child: Child, minder: Minder
) -> None:
    said: list[str] = []
    now = 100.0
    for pause in (0.5, 1.0, 2.0, 4.0):
        child.tend(minder, now, said.append)
        assert child.process is not None
        kill(child.process.pid)
        child.tend(minder, now, said.append)
        child.tend(minder, now + pause * 0.9, said.append)
        assert child.process is None
        now += pause
    child.tend(minder, now, said.append)
    child.finish(minder)
    minder.close()
    assert said[0].startswith("thing was ended by SIGKILL; starting it again in 0.5 s (log: ")


def test_a_long_life_forgives_earlier_deaths(child: Child, minder: Minder) -> None:
    child.failures = 5
    child.tend(minder, 0.0, print)
    assert child.process is not None
    kill(child.process.pid)
    child.tend(minder, 61.0, print)
    assert child.due_at == 61.5
    child.tend(minder, 62.0, print)
    child.finish(minder)
    minder.close()


def test_a_killed_minder_is_replaced_and_told_everything(child: Child, minder: Minder) -> None:
    child.start(minder, 0.0)
    assert child.process is not None
    kill(minder._process.pid)
    minder.ensure()
    with ThreadPoolExecutor() as pool:  # as init would, we collect it while the minder waits
        ending = pool.submit(child.process.wait)
        minder.close()  # as if we had ended without ending the child
        assert ending.result(10) == -signal.SIGTERM


@pytest.mark.parametrize(
    ("code", "words"), [(1, "ended with code 1"), (-9, "was ended by SIGKILL"), (-15, "SIGTERM")]
)
def test_an_ending_is_said_in_words(code: int, words: str) -> None:
    assert words in describe_ending(code)
