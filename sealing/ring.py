"""The key ring: one root key and versioned keys per tenant, kept outside the database.

Why outside: a dump of the database, old or new, must open nothing by itself, and destroying a
tenant's keys must undo every backup of that tenant's secrets at once (crypto-shredding).

Files, under the directory named by `MEMORYHUB_KEYS` (mode 0700, files 0400):

    root.key               32 random bytes, hex; or the environment's MEMORYHUB_ROOT_KEY
    root.next.key          while the root is being rotated: both open, the last step renames it
    installation.key       what installation-wide purposes derive from, once the root was rotated
    tenants/<uuid>/base.key  what the tenant's hashes derive from: it is never rotated, because
                           equal values must stay equal; it seals nothing
    tenants/<uuid>/<n>.key   version n of the tenant's sealing key; the highest seals, all open

All but the root are wrapped with AES-256-GCM under it, bound to the tenant and the file's name.

What can fail. Two processes make the same key at once: the file appears by `os.link`, which
refuses to overwrite, so both read the winner's. Another process rotates or destroys: the
directory's time changes, which every use looks at, and what was remembered is read again. The root
was rotated: keys that do not open are tried with the roots as they are now. A file that opens
under no root is `KeyRefused`; nothing is ever generated over it.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from sealing.files import locked, write_once

KEY_BYTES = 32
NONCE_BYTES = 12
BASE = "base.key"
FIRST = "1.key"


class KeyRefused(Exception):
    """A key file is missing, damaged, or was wrapped under another root key."""


@dataclass(slots=True)
class _TenantKeys:
    """What this process remembers of a tenant's directory, as of its time `seen_at`."""

    folder: str
    seen_at: int
    versions: tuple[int, ...]
    keys: dict[str, bytes] = field(default_factory=dict)
    ciphers: dict[tuple[int, str], AESGCM] = field(default_factory=dict)
    derived: dict[str, bytes] = field(default_factory=dict)


class KeyRing:
    """Root and tenant keys of one installation. Thread-safe; reads each file once."""

    def __init__(
        self, directory: Path, root_key: str | None = None, previous_root: str | None = None
    ) -> None:
        self.directory = directory
        self._from_environment = [_from_hex(key) for key in (root_key, previous_root) if key]
        if not root_key:
            self._make_root()
        self._roots = self.read_roots()
        self._tenants: dict[UUID, _TenantKeys] = {}

    def derive(self, purpose: str, *, tenant_id: UUID | None = None) -> bytes:
        """32 bytes for one purpose, of the tenant or (None) of the whole installation.

        Stable over rotations: for hashes and the like. What is sealed uses `cipher`.
        """
        if tenant_id is None:
            return _expand(self.installation(), purpose)
        kept = self._look(tenant_id)
        key = kept.derived.get(purpose)
        if key is None:
            key = kept.derived[purpose] = _expand(self._base(tenant_id, kept), purpose)
        return key

    def cipher(self, tenant_id: UUID, version: int, purpose: str) -> AESGCM:
        """The sealing cipher of one version of a tenant's key, for one purpose."""
        kept = self._look(tenant_id)
        cipher = kept.ciphers.get((version, purpose))
        if cipher is None:
            key = self._key(tenant_id, kept, f"{version}.key")
            cipher = kept.ciphers[version, purpose] = AESGCM(_expand(key, f"seal:{purpose}"))
        return cipher

    def versions(self, tenant_id: UUID) -> tuple[int, ...]:
        """The versions that are there, ascending; the last one seals. Raises KeyRefused."""
        return self._look(tenant_id).versions

    def create_tenant_key(self, tenant_id: UUID) -> None:
        """Make version 1 of the tenant's key and its base; does nothing when they exist."""
        folder = self.folder(tenant_id)
        if (folder / FIRST).exists():
            return
        with locked(self.directory):
            self._roots = self.read_roots()
            for name in (BASE, FIRST):
                write_once(folder / name, self.wrap(os.urandom(KEY_BYTES), tenant_id, name))

    @property
    def is_from_environment(self) -> bool:
        """Whether the root key is named by the environment, not kept in a file."""
        return bool(self._from_environment)

    def folder(self, tenant_id: UUID) -> Path:
        """Where the tenant's keys lie."""
        return self.directory / "tenants" / str(tenant_id)

    def forget(self) -> None:
        """Read everything again at its next use."""
        self._tenants.clear()
        self._roots = self.read_roots()

    # --- wrapping ---------------------------------------------------------------------------------

    def read_roots(self) -> list[bytes]:
        """The root keys that may open something, the one that wraps first."""
        roots = list(self._from_environment)
        if not roots:
            # In this order, and not asked for first: the next one may become the root meanwhile.
            for name in ("root.next.key", "root.key"):
                with suppress(FileNotFoundError):
                    roots.append(_from_hex((self.directory / name).read_text()))
        if not roots or any(len(root) != KEY_BYTES for root in roots):
            raise KeyRefused("the root key is not 32 bytes in hex")
        return roots

    def wrap(self, key: bytes, tenant_id: UUID | None, name: str) -> str:
        """A key under the first root, bound to its place."""
        nonce = os.urandom(NONCE_BYTES)
        return (nonce + AESGCM(self._roots[0]).encrypt(nonce, key, _bound(tenant_id, name))).hex()

    def unwrap(self, text: str, tenant_id: UUID | None, name: str) -> bytes:
        """The key in a file's text, by any root, read again when none opens it."""
        blob = bytes.fromhex(text)
        nonce, wrapped, bound = blob[:NONCE_BYTES], blob[NONCE_BYTES:], _bound(tenant_id, name)
        for root in (*self._roots, *self.read_roots()):
            with suppress(InvalidTag):
                return AESGCM(root).decrypt(nonce, wrapped, bound)
        raise KeyRefused(f"the key {name} of {tenant_id or 'the installation'} does not open")

    # --- what is remembered -----------------------------------------------------------------------

    def _look(self, tenant_id: UUID) -> _TenantKeys:
        """What is remembered of the tenant, if its directory did not change since."""
        kept = self._tenants.get(tenant_id)
        try:
            folder = str(self.folder(tenant_id)) if kept is None else kept.folder
            seen_at = os.stat(folder).st_mtime_ns
            if kept is None or kept.seen_at != seen_at:
                kept = _TenantKeys(folder, seen_at, _versions(os.listdir(folder)))
                self._tenants[tenant_id] = kept
        except FileNotFoundError:
            self._tenants.pop(tenant_id, None)
            raise KeyRefused(f"tenant {tenant_id} has no key here") from None
        if not kept.versions:
            raise KeyRefused(f"tenant {tenant_id} has no key here")
        return kept

    def _key(self, tenant_id: UUID, kept: _TenantKeys, name: str) -> bytes:
        key = kept.keys.get(name)
        if key is None:
            try:
                text = (self.folder(tenant_id) / name).read_text()
                key = kept.keys[name] = self.unwrap(text, tenant_id, name)
            except FileNotFoundError:
                raise KeyRefused(f"the key {name} of tenant {tenant_id} is not here") from None
            except ValueError:
                raise KeyRefused(f"the key {name} of tenant {tenant_id} is damaged") from None
        return key

    def _base(self, tenant_id: UUID, kept: _TenantKeys) -> bytes:
        has_base = (self.folder(tenant_id) / BASE).exists()
        return self._key(tenant_id, kept, BASE if has_base else FIRST)

    def installation(self) -> bytes:
        """The installation's base: its own file once the root was rotated, before that the root."""
        path = self.directory / "installation.key"
        if path.exists():
            return self.unwrap(path.read_text(), None, path.name)
        return self._roots[-1]

    def _make_root(self) -> None:
        target = self.directory / "root.key"
        if not target.exists():
            write_once(target, secrets.token_hex(KEY_BYTES))


def _from_hex(text: str) -> bytes:
    """A root key as written. What is wrong with it is said without it."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise KeyRefused("the root key is not 32 bytes in hex") from None


def _versions(names: list[str]) -> tuple[int, ...]:
    stems = [name.removesuffix(".key") for name in names if name.endswith(".key")]
    return tuple(sorted(int(stem) for stem in stems if stem.isdecimal()))


def _bound(tenant_id: UUID | None, name: str) -> bytes:
    """Associated data of a wrapped key: whose it is, and which."""
    if tenant_id is None:
        return name.encode()
    return tenant_id.bytes if name == FIRST else tenant_id.bytes + name.encode()


def _expand(key: bytes, purpose: str) -> bytes:
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=purpose.encode()).derive(key)


@lru_cache(maxsize=1)
def ring() -> KeyRing:
    """The ring of this installation, from the settings."""
    return KeyRing(
        Path(settings.MEMORYHUB_KEYS),
        settings.MEMORYHUB_ROOT_KEY or None,
        settings.MEMORYHUB_ROOT_KEY_PREVIOUS or None,
    )
