"""What a figure was measured on, and how figures are written."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def describe_machine() -> dict[str, Any]:
    """Cores, memory, load before the run, versions."""
    info = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    models = [line.partition(":")[2].strip() for line in info.splitlines() if "model name" in line]
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "cpu": (models or [platform.machine()])[0], "cores": os.cpu_count(),
        "memory GiB": round(pages / 2**30, 1), "load before": round(os.getloadavg()[0], 1),
        "python": platform.python_version(), "system": platform.platform(),
    }  # fmt: skip


def as_table(rows: Sequence[Row]) -> str:
    """Rows as a Markdown table; a column for every name that occurs."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = ["| " + " | ".join(names) + " |", "|" + " --- |" * len(names)]
    for row in rows:
        lines.append("| " + " | ".join(_cell(row.get(name)) for name in names) + " |")
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.0f}" if value >= 100 else f"{value:.2f}"
    return str(value)
