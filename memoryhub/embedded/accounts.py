"""As whom the servers run: ourselves, or as root a system user made for them.

Postgres refuses to run as root. Nothing here widens a permission of a folder that is not ours.
"""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memoryhub.embedded.failures import StartFailure
from memoryhub.embedded.places import is_root, make_folder

USER = "memoryhub"

# shadow-utils (Debian, Red Hat), then BusyBox (Alpine).
_USERADD = "useradd --system --user-group --no-create-home --home-dir /nonexistent"
_WAYS = (
    (f"{_USERADD} --shell /usr/sbin/nologin {USER}",),
    (f"addgroup -S {USER}", f"adduser -S -D -H -s /sbin/nologin -G {USER} {USER}"),
)


@dataclass(frozen=True, slots=True)
class Account:
    """The user a server runs as; `switch` says whether that is somebody else than we are."""

    uid: int
    gid: int
    switch: bool

    def popen_options(self) -> dict[str, Any]:
        """What subprocess needs to become this user, with no group of ours left."""
        if not self.switch:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


def server_account() -> Account:
    """The account for the servers; as root the system user `memoryhub`, made when absent."""
    if not is_root():
        return Account(os.geteuid(), os.getegid(), switch=False)
    entry = _look_up()
    if entry is None:
        _create_user()
        entry = _look_up()
    if entry is None:
        raise StartFailure(
            f"Postgres does not run as root, and the system user '{USER}' could not be created. "
            f"Create it (useradd --system {USER}), or start MemoryHub as an ordinary user."
        )
    return Account(entry.pw_uid, entry.pw_gid, switch=True)


def own_folder(folder: Path, account: Account) -> None:
    """Makes a folder for the servers' account alone, and refuses one that somebody else made."""
    if not folder.is_symlink():
        if not folder.exists():
            make_folder(folder)
            os.chown(folder, account.uid, account.gid)
        found = folder.lstat()
        if found.st_uid == os.geteuid() and account.switch and not any(folder.iterdir()):
            os.chown(folder, account.uid, account.gid)  # killed between mkdir and chown
            found = folder.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == account.uid:
            if stat.S_IMODE(found.st_mode) & 0o077:
                folder.chmod(0o700)
            return
    raise StartFailure(
        f"{folder} belongs to another user than the one the servers would run as"
        f"{' (' + USER + ')' if account.switch else ''}. Start MemoryHub as the user who "
        "started it here before, or choose another folder: make run DATA=..."
    )


def _look_up() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(USER)
    except KeyError:
        return None


def _create_user() -> None:
    for commands in _WAYS:
        for command in commands:
            name, *words = command.split()
            program = shutil.which(name, path="/usr/sbin:/sbin:/usr/bin:/bin")
            if program is None:
                break
            # The outcome is read from the user database: another start may have won the race.
            subprocess.run([program, *words], capture_output=True, check=False)  # noqa: S603
        if _look_up() is not None:
            return
