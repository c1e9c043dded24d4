"""Wild requests to sessions: never a 5xx, and every answer as the OpenAPI schema says."""

from __future__ import annotations

from typing import Any

import pytest

from tests.callers import Caller
from tests.conversations.conftest import Talk
from tests.fuzzing.test_random_requests import run
from tests.fuzzing.wild import Drawing


@pytest.mark.slow
def test_wild_requests_are_answered_as_promised(agent: Caller, monkeypatch: Any) -> None:
    talk = Talk(agent)
    paths = {
        "/sessions": ["POST"],
        talk.path: ["GET", "PATCH", "PATCH"],
        f"{talk.path}/messages": ["POST"],
        f"{talk.path}/recall": ["POST"],
        "/sessions/nonsense": ["GET", "PATCH", "DELETE"],
        "/context": ["POST"],
    }

    def good(drawing: Drawing, path: str) -> dict[str, Any]:
        text = drawing.text
        match path.rpartition("/")[2]:
            case "sessions":
                return {"subject": text(), **drawing.some({"channel": text(), "ttl_seconds": 600})}
            case "messages":
                more = {"message_id": text(), "metadata": {text(): drawing.value(2)}}
                return {"role": "user", "content": f"帮我订 {text()}", **drawing.some(more)}
            case "recall":
                return {"query": text(), **drawing.some({"limit": 3})}
            case "context":
                whose = drawing.random.choice([{"session_id": talk.id}, {"subject": text()}])
                return {"query": text(), **whose, **drawing.some({"budget_tokens": 100})}
        return {"state": {text(): drawing.value(2)}}

    monkeypatch.setattr(Drawing, "good", good)
    assert run([agent], 7, 100, paths) == []
    assert talk.get().status_code == 200
