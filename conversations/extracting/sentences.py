"""Cutting a message into sentences and clauses, and telling questions from statements. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST = 8_000
"""Characters of a message that are looked at; rules are for what people type."""

MOST_CLAUSES = 60
"""Of one sentence; what comes after is not looked at."""

_SENTENCE = re.compile(r"[^。！？!?\n.]+(?:\.(?=\S)[^。！？!?\n.]*)*[。！？!?\n.]*")
_CLAUSE = re.compile(r"[，,；;：:]\s*")
_QUOTED = re.compile(r"《[^》]*》|“[^”]*”|「[^」]*」|\"[^\"]*\"")
_ASKS_ZH = re.compile(
    r"[吗么]\s*$|什么|怎么|哪[里儿个些位]|为什么|是不是|有没有|能不能|可不可以|会不会|要不要|是否"
    r"|多少|推荐[^。]*(?:吗|呢)|呢\s*$|^(?:你|您)|^请|^可以"
)
_ASKS_EN = re.compile(
    r"^(?:and |but |so )?(?:do|does|did|can|could|would|will|have|has|are|is|was|what|which|who"
    r"|where|when|why|how|any|should|may|please|shall)\b",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(
    r"^(?:如果|要是|假如|假设|万一|即使)|^(?:if|suppose|imagine|unless|what if)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as its clauses; `asks` says of each whether it is a question (or a supposition).

    Quoted titles stay whole in their clause, whatever punctuation they hold.
    """

    clauses: tuple[str, ...]
    asks: tuple[bool, ...]


def split_sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a message, in order."""
    for found in _SENTENCE.finditer(_hide_quoted(text[:LONGEST])):
        raw = found.group()
        is_question = raw.rstrip().endswith(("?", "？"))
        body = raw.strip(" \t\n。！？!?.")
        parts = _CLAUSE.split(body, maxsplit=MOST_CLAUSES)[:MOST_CLAUSES]
        clauses = [_show_quoted(part.strip()) for part in parts if part.strip()]
        if not clauses:
            continue
        asks = [_is_question(clause) for clause in clauses]
        if is_question:
            asks[-1] = True
        if _SUPPOSES.search(clauses[0]):
            asks = [True] * len(clauses)
        yield Sentence(tuple(clauses), tuple(asks))


def _is_question(clause: str) -> bool:
    bare = _QUOTED.sub("", clause)
    return bool(_ASKS_ZH.search(bare) or _ASKS_EN.search(bare))


_MARKS = "。！？!?.，,；;：:"
_STANDINS = "".join(chr(0xE000 + number) for number in range(len(_MARKS)))
_HIDDEN = str.maketrans(_MARKS, _STANDINS)
_SHOWN = str.maketrans(_STANDINS, _MARKS)
"""Punctuation inside a title, in private characters while sentences are cut."""


def _hide_quoted(text: str) -> str:
    return _QUOTED.sub(lambda found: found.group().translate(_HIDDEN), text)


def _show_quoted(text: str) -> str:
    return text.translate(_SHOWN)
