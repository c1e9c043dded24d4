"""Rotating and destroying keys. Every step may be killed and run again.

A tenant's new version seals at once, in every process (each looks at the directory). Old versions
go on opening until nothing is sealed with them any more *and* they were retired for `GRACE`: a
writer that sealed just before the new version may commit just after.

The root: the new one appears beside the old, every file is wrapped again, then it takes the old
one's name. Killed in between, both open, and the next run goes on.
"""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from sealing.files import destroy, locked, write_once, write_over
from sealing.ring import BASE, FIRST, KEY_BYTES, KeyRing, ring

MOST_USES = 2**30
MOST_AGE_SECONDS = 90 * 86_400.0
GRACE_SECONDS = 3600.0
BLOCK = 65_536
"""Uses are counted in blocks, so that the count on disk is never too low and seldom written."""


@dataclass(frozen=True, slots=True)
class KeyState:
    """One version of a tenant's key."""

    version: int
    made_at: float
    uses: int
    is_current: bool

    def is_due(self, at: float) -> bool:
        """Whether the version has sealed for long enough. `at` in seconds since 1970."""
        return self.uses >= MOST_USES or at >= self.retires_at

    @property
    def retires_at(self) -> float:
        """When its age ends its service, in seconds since 1970; its uses may do so sooner."""
        return self.made_at + MOST_AGE_SECONDS


@dataclass(frozen=True, slots=True)
class RootState:
    """The installation's root key: since when, in seconds since 1970; None from the environment."""

    made_at: float | None
    is_rotating: bool


def root_state() -> RootState:
    """What may be said of the root key."""
    keys = ring()
    path = keys.directory / "root.key"
    by_file = path.exists() and not keys.is_from_environment
    is_rotating = (keys.directory / "root.next.key").exists()
    return RootState(path.stat().st_mtime if by_file else None, is_rotating)


_left: dict[tuple[UUID, int], int] = {}
_counting = threading.Lock()


def count_use(tenant_id: UUID, version: int) -> None:
    """One more value is sealed with this version; reserves a block on disk when needed."""
    with _counting:
        left = _left.get((tenant_id, version), 0)
        if left == 0:
            _reserve(ring(), tenant_id, version)
            left = BLOCK
        _left[tenant_id, version] = left - 1


def _uses_file(keys: KeyRing, tenant_id: UUID, version: int) -> Path:
    return keys.directory / "uses" / f"{tenant_id}.{version}"


def _uses(keys: KeyRing, tenant_id: UUID, version: int) -> int:
    target = _uses_file(keys, tenant_id, version)
    return int(target.read_text()) if target.exists() else 0


def _reserve(keys: KeyRing, tenant_id: UUID, version: int) -> None:
    with locked(keys.directory):
        used = _uses(keys, tenant_id, version)
        write_over(_uses_file(keys, tenant_id, version), str(used + BLOCK))


def list_keys(tenant_id: UUID) -> list[KeyState]:
    """The tenant's versions, ascending. Raises KeyRefused when there is none."""
    keys = ring()
    versions = keys.versions(tenant_id)
    return [
        KeyState(
            version=version,
            made_at=(keys.folder(tenant_id) / f"{version}.key").stat().st_mtime,
            uses=_uses(keys, tenant_id, version),
            is_current=version == versions[-1],
        )
        for version in versions
    ]


def add_tenant_key(tenant_id: UUID) -> int:
    """A new version, which seals from now on; its number."""
    keys = ring()
    with locked(keys.directory):
        keys.forget()
        newest = keys.versions(tenant_id)[-1]
        _keep_base(keys, tenant_id)
        name = f"{newest + 1}.key"
        write_once(keys.folder(tenant_id) / name, keys.wrap(os.urandom(KEY_BYTES), tenant_id, name))
    keys.forget()
    return newest + 1


def _keep_base(keys: KeyRing, tenant_id: UUID) -> None:
    """Tenants of before `base.key`: their hashes derive from version 1, which may now go."""
    folder = keys.folder(tenant_id)
    if not (folder / BASE).exists():
        first = keys.unwrap((folder / FIRST).read_text(), tenant_id, FIRST)
        write_once(folder / BASE, keys.wrap(first, tenant_id, BASE))


def retired_for(tenant_id: UUID, version: int) -> float:
    """Seconds since a newer version took over; 0 for the current one."""
    newer = [one for one in list_keys(tenant_id) if one.version > version]
    return max(0.0, time.time() - newer[0].made_at) if newer else 0.0


def destroy_version(tenant_id: UUID, version: int) -> None:
    """End a version that is not the current one; nothing sealed with it opens any more."""
    keys = ring()
    if version == keys.versions(tenant_id)[-1]:
        raise ValueError("the current version cannot be destroyed alone")
    with locked(keys.directory):
        destroy(keys.folder(tenant_id) / f"{version}.key")
        _uses_file(keys, tenant_id, version).unlink(missing_ok=True)
    keys.forget()


def destroy_tenant(tenant_id: UUID) -> list[int]:
    """End every key of a tenant (crypto-shredding); the versions that were destroyed."""
    keys = ring()
    folder = keys.folder(tenant_id)
    with locked(keys.directory):
        names = sorted(os.listdir(folder)) if folder.exists() else []
        for name in names:
            destroy(folder / name)
        if folder.exists():
            folder.rmdir()
        for used in (keys.directory / "uses").glob(f"{tenant_id}.*"):
            used.unlink()
    keys.forget()
    return [int(name[:-4]) for name in names if name[:-4].isdecimal() and name.endswith(".key")]


def rotate_root() -> Iterator[tuple[int, int]]:
    """Wrap every key under a new root; yields (done, total). With the root from the environment,
    under the one named now, after the former was named MEMORYHUB_ROOT_KEY_PREVIOUS.

    The lock of the ring is taken for each file anew: with many tenants this takes minutes, and
    meanwhile tenants are made and values sealed.
    """
    keys = ring()
    by_file = (keys.directory / "root.key").exists() and not keys.is_from_environment
    with locked(keys.directory, "rotation.lock"):
        with locked(keys.directory):
            installation = keys.installation()
            if by_file:
                write_once(keys.directory / "root.next.key", secrets.token_hex(KEY_BYTES))
            keys.forget()
            target = keys.directory / "installation.key"
            write_over(target, keys.wrap(installation, None, target.name))
        # What is made from here on is wrapped under the new root already: whoever makes a key
        # reads the roots again under the lock.
        files = sorted((keys.directory / "tenants").glob("*/*.key"))
        for done, path in enumerate(files, start=1):
            with locked(keys.directory):
                _wrap_again(keys, path)
            yield done, len(files)
        with locked(keys.directory):
            if by_file:
                os.replace(keys.directory / "root.next.key", keys.directory / "root.key")
    keys.forget()


def _wrap_again(keys: KeyRing, path: Path) -> None:
    """The same key under the first root; the time of the file stays that of the key."""
    if not path.exists():
        return  # destroyed since the files were listed
    tenant_id = UUID(path.parent.name)
    made = path.stat()
    key = keys.unwrap(path.read_text(), tenant_id, path.name)
    write_over(path, keys.wrap(key, tenant_id, path.name))
    os.utime(path, ns=(made.st_atime_ns, made.st_mtime_ns))
