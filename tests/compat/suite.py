"""Runs LangGraph's tests in a pytest of their own and reads what became of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from tests.compat.left_out import LEFT_OUT

ROOT = Path(__file__).resolve().parents[2]
INNER = Path(__file__).resolve().parent / "inner"


@dataclass(frozen=True)
class Outcome:
    """What a run came to; `bad` are the names of what failed or was skipped."""

    exit_code: int
    passed: int
    bad: tuple[str, ...]
    output: str


def run_suite(tests: Path, hubs: dict[str, dict[str, str]], *, embeddings: str) -> Outcome:
    """Run both files against `hubs`; `tests` is the folder of `fetch_tests`."""
    report = tests / "report.xml"
    report.unlink(missing_ok=True)
    where = {"hubs": hubs, "embeddings": embeddings, "left_out": LEFT_OUT}
    path = os.pathsep.join([str(tests), str(INNER), str(ROOT / "sdk" / "src")])
    environ = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    environ |= {"PYTHONPATH": path, "MEMORYHUB_COMPAT": json.dumps(where)}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "replacements",
        "-c",
        str(INNER / "pytest.ini"),
    ]
    command += ["--rootdir", str(tests), f"--junitxml={report}", "tests"]
    ran = subprocess.run(
        command, cwd=tests, env=environ, capture_output=True, text=True, check=False, timeout=1500
    )
    cases = list(_cases(report)) if report.exists() else []
    return Outcome(
        exit_code=ran.returncode,
        passed=sum(not bad for _, bad in cases),
        bad=tuple(name for name, bad in cases if bad),
        output=ran.stdout + ran.stderr,
    )


def _cases(report: Path) -> Iterator[tuple[str, bool]]:
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        yield name, any(child.tag in ("failure", "error", "skipped") for child in case)
