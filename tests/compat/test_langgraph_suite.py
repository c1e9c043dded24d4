"""LangGraph's own store tests, with their fixtures replaced, against a running hub."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compat.hubs import Hubs
from tests.compat.suite import run_suite

AT_LEAST = 129  # cases of the pinned sdist that are run; fewer means that some got lost


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_langgraphs_own_store_tests_pass(
    langgraph_tests: Path, hubs: Hubs, embeddings: str
) -> None:
    outcome = run_suite(langgraph_tests, hubs, embeddings=embeddings)
    assert not outcome.bad, outcome.output
    assert outcome.exit_code == 0, outcome.output
    assert outcome.passed >= AT_LEAST
