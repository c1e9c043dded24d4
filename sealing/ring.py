"""The key ring: one root key and one key per tenant, kept outside the database.

Why outside: a dump of the database, old or new, must open nothing by itself, and destroying a
tenant's key must undo every backup of that tenant's secrets at once (crypto-shredding).

Files, under the directory named by `MEMORYHUB_KEYS` (mode 0700, files 0400):

    root.key              32 random bytes, hex; or the environment's MEMORYHUB_ROOT_KEY
    tenants/<uuid>/1.key  the tenant's key, version 1, wrapped with AES-256-GCM under the root key

What can fail: two processes make the same key at once (the file appears by `os.link`, which
refuses to overwrite, so both read the winner's), and a file that does not open under the root key
(`KeyRefused`; nothing is ever generated over it).
"""

from __future__ import annotations

import os
import secrets
import tempfile
from functools import lru_cache
from pathlib import Path
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

KEY_BYTES = 32
NONCE_BYTES = 12


class KeyRefused(Exception):
    """A key file is missing, damaged, or was wrapped under another root key."""


class KeyRing:
    """Root and tenant keys of one installation. Thread-safe; reads each file once."""

    def __init__(self, directory: Path, root_key: str | None = None) -> None:
        self._directory = directory
        self._root = bytes.fromhex(root_key) if root_key else self._read_root()
        if len(self._root) != KEY_BYTES:
            raise KeyRefused("the root key is not 32 bytes in hex")
        self._tenants: dict[UUID, bytes] = {}

    def derive(self, purpose: str, *, tenant_id: UUID | None = None) -> bytes:
        """32 bytes for one purpose, of the tenant or (None) of the whole installation."""
        base = self._root if tenant_id is None else self._tenant_key(tenant_id)
        return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=purpose.encode()).derive(
            base
        )

    def create_tenant_key(self, tenant_id: UUID) -> None:
        """Make version 1 of the tenant's key; does nothing when it exists."""
        target = self._tenant_file(tenant_id)
        if target.exists():
            return
        nonce = os.urandom(NONCE_BYTES)
        wrapped = AESGCM(self._root).encrypt(nonce, os.urandom(KEY_BYTES), tenant_id.bytes)
        _write_once(target, (nonce + wrapped).hex())

    def _tenant_file(self, tenant_id: UUID) -> Path:
        return self._directory / "tenants" / str(tenant_id) / "1.key"

    def _tenant_key(self, tenant_id: UUID) -> bytes:
        key = self._tenants.get(tenant_id)
        if key is None:
            try:
                blob = bytes.fromhex(self._tenant_file(tenant_id).read_text())
                key = AESGCM(self._root).decrypt(
                    blob[:NONCE_BYTES], blob[NONCE_BYTES:], tenant_id.bytes
                )
            except FileNotFoundError as error:
                raise KeyRefused(f"tenant {tenant_id} has no key here") from error
            except (InvalidTag, ValueError) as error:
                raise KeyRefused(f"the key of tenant {tenant_id} does not open") from error
            self._tenants[tenant_id] = key
        return key

    def _read_root(self) -> bytes:
        target = self._directory / "root.key"
        if not target.exists():
            _write_once(target, secrets.token_hex(KEY_BYTES))
        return bytes.fromhex(target.read_text())


def _write_once(target: Path, text: str) -> None:
    """Create `target` with mode 0400 and this text, whole or not at all; keep an existing one."""
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(dir=target.parent)
    try:
        with os.fdopen(handle, "w") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o400)
        try:
            os.link(temporary, target)
        except FileExistsError:
            return  # another process was first; its key is the one
    finally:
        os.unlink(temporary)


@lru_cache(maxsize=1)
def ring() -> KeyRing:
    """The ring of this installation, from the settings."""
    return KeyRing(Path(settings.MEMORYHUB_KEYS), settings.MEMORYHUB_ROOT_KEY or None)
