"""Where things are: short sockets for long folders, and nobody's folder opened."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from memoryhub import embedded
from memoryhub.embedded import places
from memoryhub.embedded.accounts import Account, own_folder
from memoryhub.embedded.failures import StartFailure, explaining
from memoryhub.embedded.places import find_places, is_reachable, make_folder

OURSELVES = Account(os.geteuid(), os.getegid(), switch=False)


@pytest.mark.parametrize("name", ["x" * 90, "comma, separated", "数据"])
def test_sockets_of_an_unusual_folder_are_in_a_short_plain_one(folder: Path, name: str) -> None:
    sockets = find_places(folder / name / "data").sockets
    assert sockets.parent == Path("/tmp")
    assert len(os.fsencode(sockets / ".s.PGSQL.5432")) <= 103


def test_every_way_of_naming_a_folder_finds_the_same_places(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "link").symlink_to(folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder))
    expected = find_places(folder / "data")
    for name in ("data", "./data/../data", "link/data", "~/data"):
        assert find_places(Path(name)) == expected


def test_the_short_folder_of_somebody_else_is_refused(folder: Path) -> None:
    made = folder / "sockets"
    made.mkdir()
    with pytest.raises(StartFailure, match="belongs to another user"):
        own_folder(made, Account(os.geteuid() + 1, os.getegid(), switch=False))


def test_a_link_in_place_of_the_short_folder_is_refused(folder: Path) -> None:
    (folder / "target").mkdir()
    (folder / "sockets").symlink_to(folder / "target")
    with pytest.raises(StartFailure):
        own_folder(folder / "sockets", OURSELVES)


def test_a_folder_of_ours_that_was_opened_is_closed_again(folder: Path) -> None:
    made = folder / "sockets"
    made.mkdir()
    made.chmod(0o777)
    own_folder(made, OURSELVES)
    assert stat.S_IMODE(made.stat().st_mode) == 0o700


def test_a_new_folder_has_its_mode_whatever_the_umask(folder: Path) -> None:
    before = os.umask(0o077)
    try:
        make_folder(folder / "made", mode=0o711)
    finally:
        os.umask(before)
    assert stat.S_IMODE((folder / "made").stat().st_mode) == 0o711


def test_a_folder_below_a_closed_one_is_not_reachable(folder: Path) -> None:
    inner = folder / "closed" / "open"
    inner.mkdir(parents=True)
    inner.chmod(0o755)
    assert is_reachable(inner)
    inner.parent.chmod(0o700)
    assert not is_reachable(inner)


def test_as_root_a_closed_folder_stays_closed_and_the_servers_go_elsewhere(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "is_root", lambda: True)
    monkeypatch.setattr(places, "SHARED_HOME", folder / "shared")
    closed = folder / "home"
    closed.mkdir(mode=0o700)
    found = find_places(closed / "data")
    assert found.home.parent == folder / "shared"
    assert found.secrets == closed / "data" / "secrets"
    assert find_places(closed / "data") == found
    assert str(found.home) in (closed / "data" / places.POINTER).read_text()
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


def test_a_folder_that_was_deleted_and_made_again_does_not_find_the_old_servers(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "is_root", lambda: True)
    (folder / "home").mkdir(mode=0o700)
    data = folder / "home" / "data"
    first = find_places(data).home
    (data / places.POINTER).unlink()
    data.rmdir()
    assert find_places(data).home != first


def test_a_file_in_place_of_the_folder_is_said_clearly(folder: Path) -> None:
    (folder / "data").write_text("")
    with pytest.raises(StartFailure, match="is not a folder"):
        embedded.locate(folder / "data")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(28, "No space left on device", "/a/b"), "The disk that holds /a/b is full"),
        (OSError(30, "Read-only file system", "/a/b"), "/a/b is on a read-only file system"),
        (PermissionError(13, "Permission denied", "/a/b"), "/a/b may not be written by this user"),
        (OSError(5, "Input/output error", "/a/b"), "/a/b: Input/output error"),
    ],
)
def test_what_the_system_refuses_is_said_in_words(error: OSError, words: str) -> None:
    with pytest.raises(StartFailure, match=words), explaining(Path("/a")):
        raise error


@pytest.mark.slow
def test_an_empty_name_of_the_folder_is_none() -> None:
    ask = "from memoryhub.settings import BASE_DIR, DATA_DIR; print(DATA_DIR == BASE_DIR / '.data')"
    servers = {"DATABASE_URL": "postgresql://nowhere/hub", "REDIS_URL": "redis://nowhere"}
    environ = {**os.environ, **servers, "MEMORYHUB_DATA": "", "SECRET_KEY": "s" * 50}
    done = subprocess.run(
        [sys.executable, "-c", ask], env=environ, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "True"
