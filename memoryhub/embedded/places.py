"""Where everything of a data folder is: servers' files, sockets, secrets, logs, locks.

Every process that names the same data folder must find the same places, whether the servers run
or not, so all of this is computed from the folder and the user, never from `TMPDIR` or a start.

As root the servers run as a system user of their own. When that user cannot reach the data
folder (under a home of mode 700, say), we do not open anybody's folder: the servers' files go to
`/var/lib/memoryhub/<name>` instead and a pointer file in the data folder remembers it.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from memoryhub.embedded.failures import StartFailure, explaining

SHARED_HOME = Path("/var/lib/memoryhub")
POINTER = "servers-are-elsewhere.txt"

# macOS allows 103 bytes for a socket's name, Linux 107; the longest of ours adds this much.
_SOCKET_BYTES = 103 - len("/.s.PGSQL.5432")
# libpq splits hosts at commas and URLs quote the rest: anything unusual goes to the short place.
_PLAIN = re.compile(r"[A-Za-z0-9._/+~-]+")


@dataclass(frozen=True, slots=True)
class Places:
    """The places of one data folder. `home` is `data`, or a folder of ours under /var/lib."""

    data: Path
    home: Path
    sockets: Path

    @property
    def postgres(self) -> Path:
        return self.home / "postgres"

    @property
    def valkey(self) -> Path:
        return self.home / "valkey"

    @property
    def valkey_socket(self) -> Path:
        return self.sockets / "valkey.sock"

    @property
    def secrets(self) -> Path:
        return self.data / "secrets"

    @property
    def log(self) -> Path:
        return self.data / "log"

    @property
    def locks(self) -> Path:
        return self.data / "locks"


def find_places(data: Path) -> Places:
    """The places of a data folder, which is created when absent."""
    folder = Path(os.path.realpath(data.expanduser()))
    with explaining(folder):
        make_folder(folder, mode=0o711 if is_root() else 0o700)
        home = _find_home(folder)
    return Places(data=folder, home=home, sockets=_find_sockets(folder, home))


def is_root() -> bool:
    return os.geteuid() == 0


def make_folder(folder: Path, *, mode: int = 0o700) -> None:
    """Creates a folder of ours with exactly this mode; one that exists is left as it is."""
    if folder.is_dir():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir(mode=mode)
    except FileExistsError:
        if folder.is_dir():
            return  # another process made it a moment ago
        raise
    folder.chmod(mode)  # whatever the umask took away


def is_reachable(path: Path) -> bool:
    """Whether any user may walk to `path`: every folder on the way has its x bit for others."""
    return all(stat.S_IMODE(step.stat().st_mode) & 0o001 for step in (path, *path.parents))


def create_once(path: Path, content: str) -> str:
    """Writes a small file of mode 600 unless it exists; returns what the file says.

    Many processes may do this at once and all get the same answer: a hard link either appears
    whole or fails because somebody else's did.
    """
    if not path.exists():
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            os.unlink(draft)
    return path.read_text(encoding="utf-8")


def _find_home(data: Path) -> Path:
    if not is_root() or (data / "postgres").exists():
        return data
    pointer = data / POINTER
    if not pointer.exists() and is_reachable(data):
        return data
    # A random name: a data folder that was deleted and made again must not find the old rows.
    name = f"{_digest(data)}-{secrets.token_hex(4)}"
    home = Path(create_once(pointer, _pointer_text(data, SHARED_HOME / name)).splitlines()[0])
    if not home.is_absolute():
        raise StartFailure(f"{pointer} does not name a folder in its first line.")
    return home


def _pointer_text(data: Path, home: Path) -> str:
    return (
        f"{home}\n\n"
        "The folder above holds the files of the Postgres and Valkey that belong to this data\n"
        "folder. Postgres does not run as root, and its own user cannot reach this place;\n"
        "MemoryHub does not change the permissions of folders that are not its own.\n"
        f"Keep both together. To start afresh, delete {data} and the folder above.\n"
    )


def _find_sockets(data: Path, home: Path) -> Path:
    inside = home / "run"
    if len(os.fsencode(inside)) <= _SOCKET_BYTES and _PLAIN.fullmatch(str(inside)):
        return inside
    # Not tempfile's folder: it follows TMPDIR, which differs between shells. Its owner and mode
    # are checked before use (accounts.own_folder), since anybody may create names here.
    return Path("/tmp") / f"memoryhub-{os.geteuid()}-{_digest(data)}"  # noqa: S108


def _digest(data: Path) -> str:
    return hashlib.sha256(os.fsencode(data)).hexdigest()[:8]
