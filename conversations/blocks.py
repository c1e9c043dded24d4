"""What is known, as a prompt block: chosen by use and budget, nothing twice, in one's language.

Pure. The order of use: the open task, then who the user is (profile facts, in up to half of the
budget), then the rest by how well it fits the question, short and long term in one order. A line
that does not fit the budget any more is left out, and shorter ones after it may still come in.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from conversations.budgeting import estimate_tokens
from memories.filter_sql import to_json

Tier = Literal["session", "short", "long"]
Language = Literal["en", "zh"]

PROFILE_SHARE = 0.5
LINE_TOKENS = 2
"""For the dash before a line and the break after it."""

LONGEST = 1_000
"""Characters of a line; what is longer is cut, and the whole is a recall away."""

_HEADS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "task": "Open task:", "long": "Known about the user:",
        "short": "Said in this conversation:",
    },
    "zh": {"task": "进行中的任务：", "long": "已知用户信息：", "short": "本次对话中提到："},
}  # fmt: skip
_HAN = re.compile(r"[\u3400-\u9fff]")
_MARKS = re.compile(r"[\W_]+")
_LATIN = re.compile(r"[A-Za-z]{2}")
_LEAST_CONTAINED = 4
"""Letters from which a text inside another one is the same said shorter."""


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that is known. `memory_id` is None for the task state; `sources` are memories that
    it was made from; `is_profile`: it comes whatever is asked."""

    tier: Tier
    memory_id: str | None
    text: str
    score: float | None
    is_profile: bool = False
    sources: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Block:
    """The prompt, the lines in it, most useful first, and its estimated tokens."""

    prompt: str
    lines: tuple[Line, ...]
    tokens: int


def build_block(lines: Iterable[Line], *, budget: int, language: Language) -> Block:
    """The most useful lines that fit into `budget` tokens, headings included."""
    ordered = _in_order(lines)
    has_others = any(not line.is_profile and line.memory_id is not None for line in ordered)
    chosen: list[Line] = []
    known = _Known()
    sections: set[str] = set()
    spent = 0
    for line in ordered:
        folded = _folded(line.text)
        if known.has(line, folded):
            continue
        section = _section_of(line)
        cost = estimate_tokens(line.text) + LINE_TOKENS
        cost += 0 if section in sections else estimate_tokens(_HEADS[language][section]) + 2
        if spent + cost > (budget * PROFILE_SHARE if line.is_profile and has_others else budget):
            continue
        chosen.append(line)
        known.add(line, folded)
        sections.add(section)
        spent += cost
    prompt = write_prompt(chosen, language)
    return Block(prompt, tuple(chosen), estimate_tokens(prompt))


class _Known:
    """What the chosen lines say, and which memories they are and were made from."""

    def __init__(self) -> None:
        self._memories: set[str | None] = set()
        self._sources: set[str] = set()
        self._texts: set[str] = set()
        self._said = ""

    def has(self, line: Line, folded: str) -> bool:
        """Whether one of them is this memory, was made from it, or it from that, or says the same,
        alone or among other things."""
        if line.memory_id is not None and (
            line.memory_id in self._memories
            or line.memory_id in self._sources
            or not line.sources.isdisjoint(self._memories)
        ):
            return True
        return folded in (self._texts if len(folded) < _LEAST_CONTAINED else self._said)

    def add(self, line: Line, folded: str) -> None:
        """One more."""
        self._memories.add(line.memory_id)
        self._sources |= line.sources
        self._texts.add(folded)
        self._said += f"{folded}\n"  # never inside a folded text


def write_prompt(lines: Sequence[Line], language: Language) -> str:
    """Lines under their headings, the lasting ones first; "" for none."""
    heads = _HEADS[language]
    parts = []
    for name in ("long", "short", "task"):
        mine = [line.text for line in lines if _section_of(line) == name]
        if mine:
            parts.append("\n".join([heads[name], *(f"- {text}" for text in mine)]))
    return "\n\n".join(parts)


def language_of(texts: Iterable[str], otherwise: Language) -> Language:
    """The language of the first of these texts that shows one."""
    for text in texts:
        if _HAN.search(text):
            return "zh"
        if _LATIN.search(text):
            return "en"
    return otherwise


def text_of(value: Mapping[str, Any]) -> str:
    """A memory's value as one line: its text where it has one, else its entries."""
    for name in ("text", "content", "memory", "fact"):
        if isinstance(value.get(name), str) and value[name].strip():
            return _line(value[name])
    return _line("; ".join(f"{name}: {_plain(entry)}" for name, entry in value.items()))


def _plain(entry: Any) -> str:
    return entry if isinstance(entry, str) else spelled(entry)


def spelled(entry: Any) -> str:
    """The JSON of it as people write it; numbers that a float would change keep all digits."""
    try:
        return json.dumps(entry, ensure_ascii=False)
    except TypeError:
        return to_json(entry)


def _line(text: str) -> str:
    whole = " ".join(text.split())
    return whole if len(whole) <= LONGEST else whole[: LONGEST - 1] + "…"


def _section_of(line: Line) -> str:
    if line.memory_id is None:
        return "task"
    return "long" if line.tier == "long" else "short"


def _in_order(lines: Iterable[Line]) -> list[Line]:
    def use(line: Line) -> tuple[int, float]:
        first = 0 if line.memory_id is None else 1 if line.is_profile else 2
        return first, -(line.score or 0.0)

    return sorted(lines, key=use)


def _folded(text: str) -> str:
    """Letters and digits alone, in one spelling."""
    return _MARKS.sub("", unicodedata.normalize("NFKC", text).casefold())
