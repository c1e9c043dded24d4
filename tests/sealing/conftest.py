"""A key ring of its own for each test, in a fresh folder; no database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from sealing import hashing, rotating
from sealing.ring import KeyRing, ring
from tenants.ids import uuid7


@pytest.fixture
def keys(tmp_path: Path, settings: Any) -> Iterator[KeyRing]:
    """The ring of an installation that was made for this test."""
    settings.MEMORYHUB_KEYS, settings.MEMORYHUB_ROOT_KEY = str(tmp_path), ""
    forget()
    yield ring()
    forget()


def forget() -> None:
    """As a process that just started."""
    ring.cache_clear()
    hashing._of_installation.cache_clear()
    rotating._left.clear()


@pytest.fixture
def tenant_id(keys: KeyRing) -> UUID:
    """A tenant with a key."""
    identifier = uuid7()
    keys.create_tenant_key(identifier)
    return identifier
