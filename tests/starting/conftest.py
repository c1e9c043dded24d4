"""Data folders that start empty and servers that end with their test."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryhub import embedded
from memoryhub.embedded.places import find_places
from memoryhub.embedded.processes import find_serving
from memoryhub.embedded.sharing import stop_if_unused


@pytest.fixture
def folder() -> Iterator[Path]:
    """An empty folder that every user can reach; pytest's own is closed to others."""
    path = Path(tempfile.mkdtemp(prefix="hub-starting-"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def data(folder: Path) -> Iterator[Path]:
    """A data folder that is not there yet. What still runs on it afterwards is stopped."""
    path = folder / "data"
    yield path
    if (path / "locks").exists():
        assert stop_if_unused(find_places(path)), "the test left a user behind"
        assert embedded.find_servers(path) == {"postgres": None, "valkey": None}
        assert _processes(path) == [], "a server is not found any more and lives on"


def _processes(data: Path) -> list[int]:
    """Whatever works in the data folder, found without any file of the servers'."""
    places = find_places(data)
    return [
        *find_serving(program="postgres", folder=places.postgres),
        *find_serving(program="valkey-server", folder=places.valkey),
    ]
