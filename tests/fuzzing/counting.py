"""How many random requests a run has sent, counted as they are answered.

Workers report theirs to the process that started them, which says the sum at the end. A complete
run that sent fewer than it promises fails: `make test-all` is one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

PROMISED = 10_000
"""Of which none is answered by a 5xx; each test asserts that of its own, too."""

_answered: Counter[str] = Counter()


def count(status: int) -> None:
    """One more random request has this answer."""
    _answered["failed" if status >= 500 else "answered"] += 1


def pytest_testnodedown(node: Any) -> None:
    """What a worker sent is part of the sum."""
    _answered.update(getattr(node, "workeroutput", {}).get("random_requests", {}))


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker tells its number; who started it judges the sum."""
    config = session.config
    if hasattr(config, "workeroutput"):
        config.workeroutput["random_requests"] = dict(_answered)
    elif _is_complete(config) and session.exitstatus == 0 and _answered.total() < PROMISED:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _is_complete(config: pytest.Config) -> bool:
    left_out: Sequence[str] = [
        config.getoption(name) for name in ("markexpr", "keyword", "lf", "collectonly")
    ]
    return not any(left_out) and config.args_source is config.ArgsSource.TESTPATHS


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """One line, where any were sent."""
    if sent := _answered.total():
        line = f"{sent:,} random requests, {_answered['failed']} of them answered by a 5xx"
        terminalreporter.write_line(line)
