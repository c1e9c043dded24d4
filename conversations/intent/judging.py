"""Whether a message goes to short-term memory, and if not, why. Pure.

Rules first: what requests something with an object, names an attribute of an entity, tells a fact
in the first person, or says what must or must not be is kept; what is nothing but small talk is
not. An open task keeps what answers it, however short. What no rule speaks about is judged by its
likeness to prototypes, when there are vectors; without them only a clause with some content of its
own is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from conversations.intent import chinese, english
from conversations.intent.clauses import Clause, clauses_of, fold
from conversations.intent.marks import Marks

Reason = Literal["chatter", "question_only", "too_short", "not_user", "pii_rejected"]
Likeness = Literal["matters", "chatter", "question_only"]

CLOSED = frozenset(
    {"done", "closed", "completed", "cancelled", "canceled", "finished", "完成", "取消"}
)
ENOUGH_ZH, ENOUGH_EN = 6, 4
"""Characters or words of content from which a statement counts as one without any likeness."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Kept, or skipped for a reason. `by`: the rule or likeness that decided."""

    kept: bool
    reason: Reason | None
    by: str


def has_open_task(state: Mapping[str, Any]) -> bool:
    """Whether the session waits for something: a state that does not say that it is over."""
    status = str(state.get("status", "")).casefold()
    return bool(state) and status not in CLOSED


def judge_by_rules(text: str, *, open_task: bool = False) -> Verdict | None:
    """The verdict of the rules, None where they have none."""
    marked = [(clause, _marks_of(clause)) for clause in clauses_of(fold(text))]
    if not marked:
        return Verdict(False, "too_short", "nothing said")
    marks = [one for _, one in marked]
    for name in ("requests", "names_attribute", "tells", "binds"):
        if any(getattr(one, name) for one in marks):
            return Verdict(True, None, name)
    said = [(clause, one) for clause, one in marked if not one.chats]
    if not said:
        sounds = all(one.is_sound for one in marks)
        return Verdict(False, "too_short" if sounds else "chatter", "small talk")
    if open_task and not any(one.asks for _, one in said):
        return Verdict(True, None, "open_task")
    if all(one.asks for _, one in said):
        return Verdict(False, "question_only", "question")
    if all(_is_scrap(clause, one) for clause, one in said):
        return Verdict(False, "too_short", "a scrap")
    return None


def judge(text: str, likeness: Likeness | None = None, *, open_task: bool = False) -> Verdict:
    """The verdict: of the rules, else of the likeness, else by how much is said."""
    ruled = judge_by_rules(text, open_task=open_task)
    if ruled is not None:
        return ruled
    if likeness is not None:
        kept = likeness == "matters"
        return Verdict(kept, None if likeness == "matters" else likeness, "likeness")
    said = [(clause, _marks_of(clause)) for clause in clauses_of(fold(text))]
    enough = any(
        one.content >= (ENOUGH_ZH if clause.is_chinese else ENOUGH_EN) and not one.asks
        for clause, one in said
    )
    return Verdict(enough, None if enough else "chatter", "content")


def _marks_of(clause: Clause) -> Marks:
    return chinese.marks_of(clause) if clause.is_chinese else english.marks_of(clause)


def _is_scrap(clause: Clause, marks: Marks) -> bool:
    return marks.content <= 1 and len(clause.content) <= 2
