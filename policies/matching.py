"""Which rules speak about a memory, and on what date each of them falls.

Instants later than `at` are ignored here, once: what has not happened does not count, whether it
is an event, an access, a restore or the activation of a rule.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from policies.durations import end_of, end_of_strength
from policies.facts import MemoryFacts, Rule


class Dated(NamedTuple):
    """A matching rule and its date; None while its event has not come."""

    rule: Rule
    date: datetime | None


@dataclass(frozen=True, slots=True)
class Matches:
    """The matching rules by kind, in the order of the rule set."""

    keep: list[Dated]
    expire: list[Dated]
    cap: list[Dated]
    archive: list[Dated]
    anonymise: list[Dated]
    degrade: list[Dated]


def past(instant: datetime | None, at: datetime) -> datetime | None:
    """The instant when it has come by `at`, else None. The boundary has come."""
    return instant if instant is not None and instant <= at else None


def match_rules(
    rules: Iterable[Rule], memory: MemoryFacts, at: datetime, zone: ZoneInfo
) -> Matches:
    """The rules that apply to the memory at that instant, each with its date."""
    found: dict[str, list[Dated]] = {
        "keep": [],
        "expire": [],
        "cap": [],
        "archive": [],
        "anonymise": [],
        "degrade": [],
    }
    for rule in rules:
        if why_not(rule, memory, at) is None:
            found[rule.kind].append(Dated(rule, date_of(rule, memory, at, zone)))
    return Matches(**found)


def why_not(rule: Rule, memory: MemoryFacts, at: datetime) -> str | None:
    """None when the rule matches, else the first condition that fails, as a code."""
    if rule.depth and rule.namespace != memory.namespace[: rule.depth]:
        return "other_namespace"
    if rule.memory_kind is not None and rule.memory_kind != memory.kind:
        return "other_kind"
    if rule.data_class is not None and rule.data_class not in memory.classes:
        return "other_class"
    if rule.label is not None and rule.label != memory.label:
        return "other_label"
    if rule.active_since is not None and rule.active_since > at:
        return "not_active"
    if rule.unless_accessed is not None and memory.access_count >= rule.unless_accessed:
        return "accessed_enough"
    if rule.strength_below is not None and memory.decay >= 1:
        return "does_not_fade"
    return None


def date_of(rule: Rule, memory: MemoryFacts, at: datetime, zone: ZoneInfo) -> datetime | None:
    """The date of a rule that matches; None while it waits for its event."""
    anchor = anchor_of(rule, memory, at)
    if anchor is None:
        if rule.fallback is None:
            return None
        return end_of(rule.fallback, _not_before_restore(rule, memory.created_at, memory, at), zone)
    anchor = _not_before_restore(rule, anchor, memory, at)
    if rule.after is not None:
        return end_of(rule.after, anchor, zone)
    assert rule.strength_below is not None
    return end_of_strength(rule.strength_below, anchor, memory.decay)


def anchor_of(rule: Rule, memory: MemoryFacts, at: datetime) -> datetime | None:
    """From when the rule counts, restores apart: never before the creation; None: event to come."""
    created = memory.created_at
    if rule.anchor == "created":
        return created
    if rule.event is not None:
        instant = past(memory.events.get(rule.event), at)
        return instant if instant is None or instant > created else created
    instant = past(memory.updated_at if rule.anchor == "updated" else memory.accessed_at, at)
    return instant if instant is not None and instant > created else created


def _not_before_restore(
    rule: Rule, anchor: datetime, memory: MemoryFacts, at: datetime
) -> datetime:
    """Expire and archive rules count from a restore when their anchor is earlier."""
    restored = memory.restored_at
    if restored is None or restored > at or rule.kind not in ("expire", "archive"):
        return anchor
    return max(anchor, restored)
