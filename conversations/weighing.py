"""Which candidates have proved stable enough for long-term memory, and what they do there. Pure.

What was said in two sessions or three times, is confirmed, or is marked by the caller, becomes a
memory of its own. What repeats a memory joins its sources; what contradicts one becomes its next
version, at once, if it was said later. Whoever weighs again after each change, until nothing
changes, gets the same from whatever order and however often interrupted.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Literal
from uuid import UUID

from conversations.contradicting import adds_to, contradicts, repeats
from conversations.extracting.statements import Statement, is_single, items_of

SESSIONS_TO_PROMOTE = 2
TIMES_TO_PROMOTE = 3
LEARNED = "learned/"
"""How the keys of learned memories begin, beside which callers have keys of their own."""

Reason = Literal["two_sessions", "three_times", "confirmed", "marked", "repeated", "contradicts"]


@dataclass(frozen=True, slots=True)
class Mention:
    """One candidate: a statement, by whom it came, and when."""

    id: UUID
    session: str
    said_at: datetime
    statement: Statement


@dataclass(frozen=True, slots=True)
class Known:
    """A learned memory as it now is; `told_at` is when its present value was last written."""

    id: UUID
    key: str
    version: int
    attribute: str
    value: str
    text: str
    kind: str
    sources: tuple[UUID, ...]
    told_at: datetime
    place: str = ""
    """The stored path where it lies; empty: the subject's home."""


@dataclass(frozen=True, slots=True)
class Promotion:
    """What is to be written under `key`, from which new sources, why, over which version."""

    key: str
    statement: Statement
    sources: tuple[UUID, ...]
    reason: Reason
    over: Known | None

    @property
    def all_sources(self) -> tuple[UUID, ...]:
        """With those of the memory that it goes on telling."""
        before = self.over.sources if self.over is not None and self.reason == "repeated" else ()
        return tuple(dict.fromkeys((*before, *self.sources)))


@dataclass(frozen=True, slots=True)
class Weighed:
    """What is to be promoted now; who is settled without (told before what replaced it)."""

    promotions: tuple[Promotion, ...]
    outdated: tuple[UUID, ...]


def weigh(
    mentions: Sequence[Mention], known: Sequence[Known], *, marked: Collection[UUID] = ()
) -> Weighed:
    """Decide about one subject's candidates. At most one promotion a memory and attribute."""
    ordered = sorted(mentions, key=lambda one: (one.said_at, one.id))
    outdated = [one.id for one in ordered if _is_outdated(one, known)]
    left = [one for one in ordered if one.id not in set(outdated)]
    promotions: list[Promotion] = []
    for memory in known:
        made, taken = _about(memory, left)
        if made is not None:
            promotions.append(made)
        left = [one for one in left if one.id not in taken]
    busy = {memory.attribute for memory in known} | {one.statement.attribute for one in promotions}
    for group in _groups(left):
        reason = _reason(group, marked)
        attribute = group[-1].statement.attribute
        if reason is None or (is_single(attribute) and attribute in busy):
            continue
        busy.add(attribute)
        promotions.append(_first(group, reason))
    return Weighed(tuple(promotions), tuple(outdated))


def _is_outdated(one: Mention, known: Sequence[Known]) -> bool:
    return any(_opposes(one, memory) and one.said_at <= memory.told_at for memory in known)


def _about(memory: Known, left: Sequence[Mention]) -> tuple[Promotion | None, set[UUID]]:
    """What the mentions about one memory do to it, and who of them is spoken for.

    The first of them decides whether it is repeated or contradicted; those after it that say the
    same come along, the others wait for the next weighing.
    """
    about = [one for one in left if _repeats(one, memory) or _opposes(one, memory)]
    spoken_for = {one.id for one in about}
    if not about:
        return None, spoken_for
    first = about[0]
    if _repeats(first, memory):
        joining = [one for one in about if _repeats(one, memory)]
        if any(_opposes(one, memory) for one in about):
            joining = joining[: next(n for n, one in enumerate(about) if _opposes(one, memory))]
        latest = max(joining, key=lambda one: (len(items_of(one.statement.value)), one.said_at))
        fuller = adds_to(latest.statement.value, memory.value)
        told = latest.statement if fuller else _as_told(memory)
        sources = tuple(one.id for one in joining)
        return Promotion(memory.key, told, sources, "repeated", memory), spoken_for
    same = [one for one in about if _says(one, first)]
    sources = tuple(one.id for one in same)
    return Promotion(memory.key, same[-1].statement, sources, "contradicts", memory), spoken_for


def _as_told(memory: Known) -> Statement:
    return Statement(memory.attribute, memory.value, memory.kind, memory.text)  # type: ignore[arg-type]


def _repeats(one: Mention, memory: Known) -> bool:
    statement = one.statement
    return repeats(statement.attribute, statement.value, memory.attribute, memory.value)


def _opposes(one: Mention, memory: Known) -> bool:
    statement = one.statement
    return contradicts(statement.attribute, statement.value, memory.attribute, memory.value)


def _says(one: Mention, other: Mention) -> bool:
    first, second = one.statement, other.statement
    return repeats(first.attribute, first.value, second.attribute, second.value)


def _groups(left: Sequence[Mention]) -> list[list[Mention]]:
    """Mentions that say the same, the group first that was complete first."""
    groups: list[list[Mention]] = []
    for one in left:
        for group in groups:
            if all(_says(one, other) for other in group):
                group.append(one)
                break
        else:
            groups.append([one])
    return sorted(groups, key=lambda group: (group[-1].said_at, group[-1].id))


def _reason(group: Sequence[Mention], marked: Collection[UUID]) -> Reason | None:
    if any(one.id in marked for one in group):
        return "marked"
    if any(one.statement.is_confirmed for one in group):
        return "confirmed"
    if len({one.session for one in group}) >= SESSIONS_TO_PROMOTE:
        return "two_sessions"
    return "three_times" if len(group) >= TIMES_TO_PROMOTE else None


def _first(group: Sequence[Mention], reason: Reason) -> Promotion:
    fullest = max(group, key=lambda one: (len(items_of(one.statement.value)), one.said_at))
    statement = fullest.statement
    return Promotion(key_of(statement), statement, tuple(one.id for one in group), reason, None)


def key_of(statement: Statement) -> str:
    """The key of what is learned: by the attribute alone, or with a digest of one value of many."""
    if is_single(statement.attribute):
        return f"{LEARNED}{statement.attribute}"
    digest = sha256("\n".join(sorted(items_of(statement.value))).encode()).hexdigest()
    return f"{LEARNED}{statement.attribute}/{digest[:16]}"
