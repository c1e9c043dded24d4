"""What both files of the suite need: LangGraph's tests, their embeddings, and hubs."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.compat.embeddings import serving_character_embeddings
from tests.compat.hubs import ROOT, Hubs, running_hubs
from tests.compat.sdist import fetch_tests

sys.path.insert(0, str(ROOT / "sdk" / "src"))
CACHE = ROOT / ".data" / "compat"


@pytest.fixture(scope="session")
def langgraph_tests() -> Path:
    return fetch_tests(CACHE)


@pytest.fixture(scope="session")
def embeddings(langgraph_tests: Path) -> Iterator[str]:
    with serving_character_embeddings(langgraph_tests) as url:
        yield url


@pytest.fixture(scope="session")
def hubs(embeddings: str) -> Iterator[Hubs]:
    """The data go when the suite ends; the logs stay until the next run."""
    data, logs = CACHE / f"hub-{os.getpid()}", CACHE / "logs"
    shutil.rmtree(logs, ignore_errors=True)
    try:
        with running_hubs(data, logs=logs, embeddings=embeddings) as hubs:
            yield hubs
    finally:
        if (data / "log").is_dir():
            shutil.copytree(data / "log", logs / "supervised", dirs_exist_ok=True)
        shutil.rmtree(data, ignore_errors=True)
