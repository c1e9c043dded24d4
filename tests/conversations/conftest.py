"""Conversations in tests: a session with its verbs at hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.callers import Caller


class Talk:
    """One session of a caller."""

    def __init__(self, caller: Caller, subject: str = "u1", **options: Any) -> None:
        self.caller = caller
        answer = caller.call("POST", "/sessions", {"subject": subject, **options})
        assert answer.status_code == 201, answer.content
        self.opened = answer.json()
        self.id: str = self.opened["session_id"]
        self.path = f"/sessions/{self.id}"

    def say(self, content: str, role: str = "user", **options: Any) -> Any:
        body = {"role": role, "content": content, **options}
        return self.caller.call("POST", f"{self.path}/messages", body)

    def recall(self, query: str, **options: Any) -> Any:
        return self.caller.call("POST", f"{self.path}/recall", {"query": query, **options})

    def context(self, query: str, **options: Any) -> Any:
        body = {"session_id": self.id, "query": query, **options}
        return self.caller.call("POST", "/context", body)

    def get(self) -> Any:
        return self.caller.call("GET", self.path)

    def patch(self, state: Any) -> Any:
        return self.caller.call("PATCH", self.path, {"state": state})

    def end(self) -> Any:
        return self.caller.call("DELETE", self.path)


@pytest.fixture
def talk(agent: Caller) -> Talk:
    """A session of `u1`."""
    return Talk(agent)


@pytest.fixture
def make_talk() -> Callable[..., Talk]:
    """Makes a session of any caller."""
    return Talk
