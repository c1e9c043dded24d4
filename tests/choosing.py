"""Which modules a run reads, and which worker runs what.

Both workers of a run read every module, so a module whose every test the run leaves out is not
read at all: Playwright alone takes a second. And a file's tests stay with one worker, as do those
of a folder with a server of its own: what they share is made once.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

SERVED = "tests/end_to_end"
"""Its tests share one hub over HTTP, which takes seconds to start."""

_LEFT_OUT = re.compile(r"not \w+( and not \w+)*")
_PYTESTMARK = re.compile(r"^pytestmark = (.+)$", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """True for what is marked as a whole with something that the run's `-m` leaves out."""
    chosen = config.getoption("markexpr")
    if not _LEFT_OUT.fullmatch(chosen) or collection_path.suffix not in ("", ".py"):
        return None
    left_out = set(chosen.split()) - {"not", "and"}
    folder = collection_path.is_dir()
    modules = list(collection_path.rglob("test_*.py")) if folder else [collection_path]
    return True if modules and all(_marks_of(path) & left_out for path in modules) else None


def _marks_of(module: Path) -> set[str]:
    """The marks of a whole module, from its text."""
    marked = _PYTESTMARK.search(module.read_text(encoding="utf-8"))
    return set(re.findall(r"pytest\.mark\.(\w+)", marked[1])) if marked else set()


class ByFile(LoadFileScheduling):
    """A file to a worker, the largest first; the files of `SERVED` together."""

    def _split_scope(self, nodeid: str) -> str:
        return SERVED if nodeid.startswith(SERVED) else super()._split_scope(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByFile | None:
    """For `--dist loadfile`, which the quick run asks for."""
    return ByFile(config, log) if config.getoption("dist") == "loadfile" else None
