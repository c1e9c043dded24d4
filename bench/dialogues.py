"""Thirty people's dialogues of ten days through sessions: is the answer in the context block?

`python -m bench dialogues`: 40 questions of ours (20 a language), asked with budgets of 1,000 and
of 200 tokens after all sessions are over. The embedder is the embedded one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx

from bench.hub import Hub, running_hub, running_servers
from bench.replaying import DATA, Replayed, ask, read_questions, replay

BUDGETS = (1_000, 200)


def measure(data: Path, *, quick: bool) -> list[dict[str, Any]]:
    """Rows: a language, what the replay came to, and how many of its questions found theirs."""
    if not DATA.exists():
        return [{"dialogues": "../shared/data is not here"}]
    with (
        running_servers(data),
        running_hub(data, provider="local") as hub,
        httpx.Client(timeout=60) as client,
    ):
        call = _caller(hub, client)
        return [_measure(call, language, quick=quick) for language in ("zh", "en")]


def _caller(hub: Hub, client: httpx.Client) -> Any:
    headers = {"Authorization": f"Bearer {hub.make_tenant()}"}

    def call(method: str, path: str, body: Any) -> Mapping[str, Any]:
        answer = client.request(
            method, f"http://127.0.0.1:{hub.port}/api/v1{path}", json=body, headers=headers
        )
        answer.raise_for_status()
        found: Mapping[str, Any] = answer.json() if answer.content else {}
        return found

    return call


def _measure(call: Any, language: str, *, quick: bool) -> dict[str, Any]:
    questions = [one for one in read_questions() if one["language"] == language]
    people = sorted({one["person"] for one in questions}) if quick else None
    replayed = replay(call, language, people)
    counts = {
        f"answered of {len(questions)}, {budget} tokens": sum(
            ask(call, one, budget=budget) for one in questions
        )
        for budget in BUDGETS
    }
    return {"language": language, **_told(replayed), **counts}


def _told(replayed: Replayed) -> dict[str, Any]:
    messages = replayed.messages
    return {
        "user messages": messages.total() - messages["not_user"],
        "kept": messages["stored"],
        "skipped": messages.total() - messages["not_user"] - messages["stored"],
        "promoted": replayed.promoted.total(),
        "repeated or contradicted": replayed.promoted["repeated"]
        + replayed.promoted["contradicts"],
        "sources": replayed.sources,
    }
