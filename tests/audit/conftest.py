"""The log sealed in tests: an anchor file of its own, and rounds run when a test wants them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audit.sealing.rounds import seal
from tests.audit.sealing_all import seal_all


@pytest.fixture(scope="session")
def anchors(hub: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The anchor file of this run's database."""
    return tmp_path_factory.mktemp("anchors") / "audit.jsonl"


@pytest.fixture
def seal_once(anchors: Path, settings: Any) -> Callable[[], int]:
    """Runs the sealer once, and anchors at once."""
    settings.MEMORYHUB_ANCHORS = str(anchors)
    settings.ANCHOR_SECONDS = 0
    return seal


@pytest.fixture
def seal_now(seal_once: Callable[[], int]) -> Callable[[], int]:
    """Seals everything there is, and anchors at once."""
    return seal_all
