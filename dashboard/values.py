"""A masked JSON value as text to be shown: tokens with a class, and lines for a difference. Pure.

The templates escape every token. Nothing here makes HTML, so nothing stored can become any.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

from memories.masking import CLOSES, OPENS

Kind = Literal["", "k", "s", "n", "mask"]
_MARKED = re.compile(f"{OPENS}(.*?){CLOSES}", re.DOTALL)
_MARKS = str.maketrans("", "", OPENS + CLOSES)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text and how it is drawn: key, string, number, mask or plain."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a difference: `op` is "", "-" or "+"; `parts` are (changed, text)."""

    op: str
    old: int | None
    new: int | None
    parts: tuple[tuple[bool, str], ...]


def tokens_of(value: Any) -> list[Token]:
    """The value as indented JSON, in tokens."""
    return list(_tokens(value, 0))


def _tokens(value: Any, depth: int) -> Iterator[Token]:
    match value:
        case dict() if value:
            yield Token("", "{\n")
            for number, (key, item) in enumerate(value.items()):
                yield Token("", "  " * (depth + 1))
                yield from _string(key, "k")
                yield Token("", ": ")
                yield from _tokens(item, depth + 1)
                yield Token("", ",\n" if number < len(value) - 1 else "\n")
            yield Token("", "  " * depth + "}")
        case list() if value:
            yield Token("", "[\n")
            for number, item in enumerate(value):
                yield Token("", "  " * (depth + 1))
                yield from _tokens(item, depth + 1)
                yield Token("", ",\n" if number < len(value) - 1 else "\n")
            yield Token("", "  " * depth + "]")
        case str():
            yield from _string(value, "s")
        case _:
            yield Token("n", json.dumps(value, ensure_ascii=False))


def _string(text: str, kind: Kind) -> Iterator[Token]:
    yield Token(kind, '"')
    for marked, piece in pieces_of(text):
        inside = json.dumps(piece, ensure_ascii=False)[1:-1]
        yield Token("mask" if marked else kind, inside)
    yield Token(kind, '"')


def pieces_of(text: str) -> Iterator[tuple[bool, str]]:
    """(is a mask, text) for each piece of a marked text."""
    place = 0
    for found in _MARKED.finditer(text):
        if found.start() > place:
            yield False, text[place : found.start()].translate(_MARKS)
        yield True, found[1].translate(_MARKS)
        place = found.end()
    if place < len(text):
        yield False, text[place:].translate(_MARKS)


def summarise(value: Any, *, longest: int = 260) -> list[tuple[bool, str]]:
    """The words of a value for a list, masks marked, cut to a length."""
    pieces: list[tuple[bool, str]] = []
    left = longest
    for leaf in _leaves(value):
        if pieces:
            pieces.append((False, " · "))
        for marked, text in pieces_of(leaf):
            pieces.append(
                (marked, text if len(text) <= left else text[: max(left, 0)].rstrip() + "…")
            )
            left -= len(text)
            if left <= 0:
                return pieces
    return pieces


def _leaves(value: Any) -> Iterator[str]:
    match value:
        case dict():
            for item in value.values():
                yield from _leaves(item)
        case list():
            for item in value:
                yield from _leaves(item)
        case str() if value.strip():
            yield value
        case bool() | None:
            return
        case int() | float():
            yield str(value)


def lines_of(value: Any) -> list[str]:
    """The value as indented JSON, by line."""
    return json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True).split("\n")


def compare(old: Any, new: Any) -> list[DiffLine]:
    """What changed between two values, line by line; the changed middle of a line is marked."""
    before, after = lines_of(old), lines_of(new)
    found: list[DiffLine] = []
    for op, a1, a2, b1, b2 in SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes():
        if op == "equal":
            pairs = zip(range(a1, a2), range(b1, b2), strict=True)
            found += [DiffLine("", i + 1, j + 1, ((False, before[i]),)) for i, j in pairs]
            continue
        paired = list(zip(range(a1, a2), range(b1, b2), strict=False))
        marks = {i: _middle(before[i], after[j]) for i, j in paired}
        found += [
            DiffLine("-", i + 1, None, marks[i][0] if i in marks else ((True, before[i]),))
            for i in range(a1, a2)
        ]
        of_new = {j: marks[i][1] for i, j in paired}
        found += [
            DiffLine("+", None, j + 1, of_new.get(j, ((True, after[j]),))) for j in range(b1, b2)
        ]
    return found


Parts = tuple[tuple[bool, str], ...]


def _middle(old: str, new: str) -> tuple[Parts, Parts]:
    """Both lines in parts: what they begin and end with alike is unchanged."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return _cut(old, head, tail), _cut(new, head, tail)


def _cut(line: str, head: int, tail: int) -> Parts:
    end = len(line) - tail
    parts = ((False, line[:head]), (True, line[head:end]), (False, line[end:]))
    return tuple(part for part in parts if part[1])
