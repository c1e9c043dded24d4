"""The roles' random passwords, kept in `<data>/secrets/`, readable by the owner alone."""

from __future__ import annotations

import secrets
import stat
from pathlib import Path

from memoryhub.embedded.failures import explaining
from memoryhub.embedded.places import Places, create_once, make_folder


def role_password(places: Places, role: str) -> str:
    """The password of a database role; made on first use. URL-safe characters only."""
    with explaining(places.secrets):
        make_folder(places.secrets)
        _close_to_others(places.secrets, 0o700)
        path = places.secrets / f"postgres-{role}"
        password = create_once(path, secrets.token_urlsafe(32))
        _close_to_others(path, 0o600)
    return password.strip()


def _close_to_others(path: Path, mode: int) -> None:
    """These are ours, and somebody may have copied them with looser permissions."""
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        path.chmod(mode)
