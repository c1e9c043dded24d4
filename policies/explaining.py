"""From an Evaluation to the API's Explanation: one function for the API, the page and the PDF.

The same clauses and dates in both languages; only the words differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TypedDict
from zoneinfo import ZoneInfo

from policies.clauses import Clause, list_clauses
from policies.durations import LAST
from policies.facts import Rule
from policies.narrating import narrate, tell_why
from policies.outcomes import Evaluation
from policies.wording import (
    CLASS_NAMES,
    KIND_NAMES,
    REASONS,
    Lang,
    pick,
    show_cause,
    show_instant,
    show_number,
    show_path,
)
from tenants.clock import instant_as_wire


class ExplainedClause(TypedDict):
    """One ground: its date (RFC 3339 or null), what became of it, and why in words."""

    key: str
    kind: str
    date: str | None
    role: str
    because: str


class NextStep(TypedDict):
    """What happens next: `what` is leaves_use, archived, anonymised, degraded or destroyed."""

    at: str
    what: str
    because: str


class Explanation(TypedDict):
    """The answer of `/memories/{id}/explain` and `/policies/evaluate`."""

    memory_id: str | None
    at: str
    ruleset: int | None
    state: str
    visible_until: str | None
    purge_at: str | None
    archive_at: str | None
    flags: list[str]
    clauses: list[ExplainedClause]
    next: list[NextStep]
    text: str


def explain(
    evaluation: Evaluation,
    lang: Lang = "en",
    *,
    memory_id: str | None = None,
    ruleset: int | None = None,
) -> Explanation:
    """What happens to a memory, when, and on which grounds, the strongest first."""
    clauses = list_clauses(evaluation)
    return Explanation(
        memory_id=memory_id,
        at=instant_as_wire(evaluation.at),
        ruleset=ruleset,
        state=evaluation.state,
        visible_until=_wire(evaluation.visible_until),
        purge_at=_wire(evaluation.purge_at),
        archive_at=_wire(evaluation.archive_at),
        flags=list(evaluation.flags),
        clauses=[_explain_clause(clause, evaluation, lang) for clause in clauses],
        next=_list_next(evaluation, lang),
        text=narrate(evaluation, lang),
    )


def explain_clause(clause: Clause, evaluation: Evaluation, lang: Lang) -> str:
    """Why a clause has its role, in words."""
    facts = dict(clause.facts)
    rule = facts.pop("rule", None)
    if isinstance(rule, Rule):
        facts |= {
            "namespace": show_path(rule.namespace),
            "kind": _name(rule.memory_kind, KIND_NAMES, lang),
            "data_class": _name(rule.data_class, CLASS_NAMES, lang),
            "label": rule.label,
            "active_since": rule.active_since,
            "unless_accessed": rule.unless_accessed,
        }
    if "depth" in facts:
        facts["labels"] = "1 label" if facts["depth"] == 1 else f"{facts['depth']} labels"
    if "cause" in facts:
        other = facts["other"]
        key = other if isinstance(other, str) else None
        facts["cause"] = show_cause(str(facts["cause"]), key, lang)
    zone = evaluation.found.settings.zone
    shown = {name: _show(value, zone, lang) for name, value in facts.items()}
    joint = "；" if lang == "zh" else "; "
    reasons = (clause.reason, *clause.also)
    return joint.join(pick(REASONS[reason], lang).format(**shown) for reason in reasons)


def _explain_clause(clause: Clause, evaluation: Evaluation, lang: Lang) -> ExplainedClause:
    return ExplainedClause(
        key=clause.key,
        kind=clause.kind,
        date=_wire(clause.date),
        role=clause.role,
        because=explain_clause(clause, evaluation, lang),
    )


def _list_next(evaluation: Evaluation, lang: Lang) -> list[NextStep]:
    """What is still to come, in order; nothing that an earlier end makes moot."""
    until, purge_at = evaluation.visible_until or LAST, evaluation.purge_at or LAST
    steps = (
        (evaluation.archive_at, "archived", until),
        (evaluation.degrade_at, "degraded", until),
        (evaluation.anonymise_at, "anonymised", purge_at),
        (evaluation.visible_until, "leaves_use", LAST),
        (evaluation.purge_at, "destroyed", LAST),
    )
    due = [
        (date, what)
        for date, what, before in steps
        if date is not None and evaluation.at < date and (date < before or before is LAST)
    ]
    due.sort(key=lambda step: step[0])
    return [
        NextStep(at=instant_as_wire(date), what=what, because=tell_why(what, evaluation, lang))
        for date, what in due
    ]


def _show(value: object, zone: ZoneInfo, lang: Lang) -> object:
    if isinstance(value, datetime):
        return show_instant(value, zone, lang)
    return show_number(value) if isinstance(value, int | float) else value


def _name(word: str | None, names: Mapping[str, str], lang: Lang) -> str:
    """A kind or class as people read it; a tenant's own stays as it is."""
    shown = word or ""
    return names.get(shown, shown) if lang == "zh" else shown


def _wire(instant: datetime | None) -> str | None:
    return None if instant is None else instant_as_wire(instant)
