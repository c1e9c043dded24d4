"""The folder of cases and data that lies beside the repository where we work, and in no clone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
CASES = SHARED / "cases"

ABSENT = "the folder ../shared is not here"
"""Why a test that reads the folder skips; `plugin.py` knows the reason."""


def parameters(file: Path, name: Callable[[int, Any], str]) -> list[Any]:
    """A parameter for each case of a file of cases; a single skipped one where it is absent."""
    if not file.exists():
        return [pytest.param({}, marks=pytest.mark.skip(reason=ABSENT), id=f"no {file.name}")]
    cases = json.loads(file.read_text("utf-8"))
    return [pytest.param(case, id=name(place, case)) for place, case in enumerate(cases)]
