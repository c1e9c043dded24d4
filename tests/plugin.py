"""Loaded before Django's settings: tests have embedded servers and a data folder of their own.

And a test may skip only for a reason that is named here.
"""

from __future__ import annotations

import atexit
import gc
import os
import re
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.shared import ABSENT

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MEMORYHUB_TEST_DATA", ROOT / ".data" / "test"))

os.environ["MEMORYHUB_DATA"] = str(DATA)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
if "MEMORYHUB_KEYS" not in os.environ or "PYTEST_XDIST_WORKER" in os.environ:
    # A worker has a database of its own, so it has keys of its own, as an installation would.
    os.environ["MEMORYHUB_KEYS"] = tempfile.mkdtemp(prefix="hub-keys-")
    os.environ["MEMORYHUB_LEDGER"] = os.environ["MEMORYHUB_KEYS"] + "/erasures.jsonl"
    atexit.register(shutil.rmtree, os.environ["MEMORYHUB_KEYS"], ignore_errors=True)


def pytest_collection_finish() -> None:
    """What is loaded by now stays: the collector need not look at a million objects again."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


# --- skips ----------------------------------------------------------------------------------------

SKIPS: dict[str, str] = {
    re.escape(ABSENT): "the shared cases and data are not part of a clone, which has its own",
    r"no Python here that an ordinary user may run": "root's own Python in a folder of root's",
    r"[Cc]hromium": "the browser's tests need a browser, which `make test-all` does not install",
}
"""Which tests may skip, by their reason, and why that is right. Any other skip fails: a check that
no longer runs looks like one that passes."""


def _refuse_unnamed(report: pytest.TestReport | pytest.CollectReport) -> None:
    if not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = str(report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr)
    if not any(re.search(known, reason) for known in SKIPS):
        report.outcome = "failed"
        report.longrepr = f"{reason}: this skip is not named in tests/plugin.py"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that skips for a reason not named fails."""
    report = yield
    _refuse_unnamed(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """So does a whole module."""
    report = yield
    _refuse_unnamed(report)
    return report
