"""8 clients for a minute: get and put a second, and the same of PostgresStore in process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.requests import measure_operations


def measure(data: Path, *, quick: bool) -> list[dict[str, Any]]:
    """A row for get and one for put."""
    seconds = 15 if quick else 60
    return measure_operations(data, clients=(8,), seconds=seconds, only=("get", "put"))
