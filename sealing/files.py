"""Key files: written whole or not at all, mode 0400, never over a winner, under one lock."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def write_once(target: Path, text: str) -> None:
    """Create `target` with this text; keep one that exists (the first process wins)."""
    temporary = _write_beside(target, text)
    try:
        os.link(temporary, target)
    except FileExistsError:
        return  # another process was first; its key is the one
    finally:
        os.unlink(temporary)
    _sync_directory(target.parent)  # what is sealed under a key must not outlive its name


def write_over(target: Path, text: str) -> None:
    """Put this text in the place of `target` in one step."""
    os.replace(_write_beside(target, text), target)
    _sync_directory(target.parent)


def destroy(target: Path) -> None:
    """Overwrite and remove a key file; missing is no error."""
    with suppress(FileNotFoundError):
        os.chmod(target, 0o600)
        with target.open("r+b") as stream:
            stream.write(os.urandom(target.stat().st_size))
            stream.flush()
            os.fsync(stream.fileno())
        target.unlink()


@contextmanager
def locked(directory: Path, name: str = "ring.lock") -> Iterator[None]:
    """One process at a time makes, wraps again or destroys keys (or does what `name` says)."""
    _make_private(directory)
    with (directory / name).open("a") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def _write_beside(target: Path, text: str) -> str:
    _make_private(target.parent)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".")
    with os.fdopen(handle, "w") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    os.chmod(temporary, 0o400)
    return temporary


def _make_private(directory: Path) -> None:
    """The directory and those above it that are missing, each for its owner only."""
    if not directory.exists():
        _make_private(directory.parent)
        directory.mkdir(exist_ok=True, mode=0o700)
        _sync_directory(directory.parent)


def _sync_directory(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
