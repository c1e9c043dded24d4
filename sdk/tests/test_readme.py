"""The README's examples run as they stand."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from fake_hub import KEY, FakeHub

README = Path(__file__).parents[1] / "README.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_runs(fake: FakeHub, example: str) -> None:
    environ = {"PYTHONPATH": str(README.parent / "src"), "PYTHONIOENCODING": "utf-8"}
    environ |= {"MEMORYHUB_URL": fake.url, "MEMORYHUB_KEY": KEY}
    ran = subprocess.run(
        [sys.executable, "-c", example], env=environ, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout
    assert fake.requests


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 3
