"""Random secrets of a data folder, kept in `<data>/secrets/`, readable by the owner alone."""

from __future__ import annotations

import secrets
import stat
from pathlib import Path

from memoryhub.embedded.failures import explaining
from memoryhub.embedded.places import Places, create_once, find_places, make_folder


def secret(data: Path, name: str) -> str:
    """A lasting random text (43 URL-safe characters) of a data folder; made on first use."""
    return read_secret(find_places(data), name)


def role_password(places: Places, role: str) -> str:
    """The password of a database role."""
    return read_secret(places, f"postgres-{role}")


def read_secret(places: Places, name: str) -> str:
    """As `secret`, with the places at hand."""
    with explaining(places.secrets):
        make_folder(places.secrets)
        _close_to_others(places.secrets, 0o700)
        path = places.secrets / name
        text = create_once(path, secrets.token_urlsafe(32))
        _close_to_others(path, 0o600)
    return text.strip()


def _close_to_others(path: Path, mode: int) -> None:
    """These are ours, and somebody may have copied them with looser permissions."""
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        path.chmod(mode)
