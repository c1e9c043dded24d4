"""The dialogues of thirty people over ten days as sessions: chatter skipped, facts promoted with
their sources, and the memory that answers in the context block for 36 of our 40 questions.

Reads ../shared/data (MemoryBank, MIT) and copies nothing from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from bench.replaying import ask, read_questions, replay
from tenants.models import Tenant
from tests.ageing import let_pass
from tests.callers import Caller

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

WANTED = 36


@pytest.fixture
def call(agent: Caller) -> Callable[..., Mapping[str, Any]]:
    """Calls the API as `bench.replaying` wants it."""

    def send(method: str, path: str, body: Any) -> Mapping[str, Any]:
        answer = agent.call(method, path, body)
        assert answer.status_code < 300, (method, path, answer.content)
        found: Mapping[str, Any] = answer.json() if answer.content else {}
        return found

    return send


def test_the_answering_memory_is_in_the_context_block(
    shared: Path,
    tenant: Tenant,
    owner_url: str,
    agent: Caller,
    call: Callable[..., Mapping[str, Any]],
) -> None:
    for language in ("zh", "en"):
        replayed = replay(call, language, next_day=lambda: let_pass(owner_url, tenant, days=1))
        messages = replayed.messages
        assert messages["stored"] > 100
        assert messages["chatter"] > 50
        assert replayed.promoted.total() > 100
        assert replayed.sources >= replayed.promoted.total()
    questions = read_questions()
    assert len(questions) == 40
    missed = [one["question"] for one in questions if not ask(call, one)]
    assert len(questions) - len(missed) >= WANTED, missed
    known = agent.search(["users"], limit=1000).json()["items"]
    assert all(item["derived_from"] for item in known)
    assert not [item for item in known if item["value"]["text"] in ("谢谢", "你好", "Thank you")]
