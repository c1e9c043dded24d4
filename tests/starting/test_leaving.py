"""Who is the last to leave, while the reaper wakes at the same moment."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memoryhub.embedded.sharing import _is_last


@pytest.fixture
def locks(folder: Path) -> Iterator[tuple[int, int]]:
    """One lock file as two processes hold it: another's, and ours."""
    handles = [os.open(folder / "users.lock", os.O_CREAT | os.O_RDWR) for _ in range(2)]
    yield handles[0], handles[1]
    for handle in handles:
        os.close(handle)


def test_whoever_is_alone_is_the_last(locks: tuple[int, int]) -> None:
    assert _is_last(locks[1])


def test_another_user_makes_us_not_the_last(locks: tuple[int, int]) -> None:
    fcntl.flock(locks[0], fcntl.LOCK_SH)
    assert not _is_last(locks[1])


def test_a_reaper_that_was_faster_is_waited_for(locks: tuple[int, int]) -> None:
    fcntl.flock(locks[0], fcntl.LOCK_EX)
    with ThreadPoolExecutor() as pool:
        leaving = pool.submit(_is_last, locks[1])
        fcntl.flock(locks[0], fcntl.LOCK_UN)
        assert leaving.result(10)
