"""Replaying ../shared/data's dialogues through the API, as an agent would hold them.

A day is a session: every message of the user and every answer, in order; at the end the agent says
that what was stated is worth keeping (`promote`) and closes the session. Nothing of the data is
copied into the project; the questions are our own.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

QUESTIONS = Path(__file__).with_name("dialogue_questions.jsonl")
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

Call = Callable[[str, str, Any], Mapping[str, Any]]
"""(method, path, body) → the answer's document; raises on a refusal."""


@dataclass
class Replayed:
    """What a replay came to: messages by what became of them, and promotions by their reason."""

    messages: Counter[str] = field(default_factory=Counter)
    promoted: Counter[str] = field(default_factory=Counter)
    sources: int = 0


def read_questions() -> list[dict[str, str]]:
    """Our questions: language, person, question, and a word of the memory that answers it."""
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line]


def read_dialogues(language: str) -> dict[str, dict[str, list[dict[str, str]]]]:
    """{person: {date: [{"query", "response"}]}}, names stripped."""
    people = json.loads((DATA / f"memorybank-{language}.json").read_text(encoding="utf-8"))
    return {name.strip(): person["history"] for name, person in people.items()}


def subject_of(language: str, person: str) -> str:
    """How a person is called as a subject."""
    return f"{language}-{person.replace(' ', '-')}"


def replay(call: Call, language: str, people: Iterable[str] | None = None, *,
           next_day: Callable[[], None] = lambda: None) -> Replayed:  # fmt: skip
    """Hold the dialogues, day by day for all people; `next_day` lets a day pass."""
    dialogues, replayed = read_dialogues(language), Replayed()
    chosen = list(dialogues if people is None else people)
    for day in sorted({day for person in chosen for day in dialogues[person]}):
        for person in chosen:
            turns = dialogues[person].get(day, [])
            if turns:
                _hold(call, subject_of(language, person), turns, replayed)
        next_day()
    return replayed


def _hold(call: Call, subject: str, turns: list[dict[str, str]], replayed: Replayed) -> None:
    session = call("POST", "/sessions", {"subject": subject, "channel": "chat"})["session_id"]
    for turn in turns:
        for role, text in (("user", turn["query"]), ("assistant", turn["response"])):
            if not text.strip():
                continue
            body = {"role": role, "content": text}
            kept = call("POST", f"/sessions/{session}/messages", body)["short_term"]
            replayed.messages["stored" if kept["stored"] else kept["reason"]] += 1
    for one in call("POST", f"/sessions/{session}/promote", {})["promoted"]:
        replayed.promoted[one["reason"]] += 1
        replayed.sources += len(one["from"])
    call("DELETE", f"/sessions/{session}", None)


def ask(call: Call, question: Mapping[str, str], *, budget: int = 1_000) -> bool:
    """Whether the memory that answers stands in the context block."""
    subject = subject_of(question["language"], question["person"])
    body = {"subject": subject, "query": question["question"], "budget_tokens": budget}
    context = call("POST", "/context", body)
    answer = question["answer"].casefold()
    inside = any(
        answer in item["text"].casefold() and item["memory_id"] for item in context["items"]
    )
    return inside and answer in context["prompt"].casefold()
