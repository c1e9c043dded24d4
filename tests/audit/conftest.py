"""The log sealed in tests: an anchor file of its own, and rounds run when a test wants them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audit.sealing.rounds import seal


@pytest.fixture(scope="session")
def anchors(hub: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The anchor file of this run's database."""
    return tmp_path_factory.mktemp("anchors") / "audit.jsonl"


@pytest.fixture
def seal_now(anchors: Path, settings: Any) -> Callable[[], int]:
    """Runs the sealer until everything that is final is sealed, and anchors at once."""
    settings.MEMORYHUB_ANCHORS = str(anchors)
    settings.ANCHOR_SECONDS = 0

    return seal
