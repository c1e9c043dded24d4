"""Gathering what is known of a memory at one instant: its history, and who wins among the rules.

The steps 1 to 6 of the algorithm in RETENTION.md; `policies.engine` says why they are as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from policies.facts import ENDS, Kind, MemoryFacts, Rule, Settings
from policies.matching import Dated, Matches, match_rules, past
from policies.outcomes import Choice, Expiry, Findings, Floors, History, UseEnd

_NO_CHOICE: Final = Choice(None, False)
_NO_FLOORS: Final = Floors()
_ENDLESS: Final = UseEnd(None, None, None)


def gather(
    rules: Sequence[Rule], memory: MemoryFacts, settings: Settings, at: datetime
) -> Findings:
    """Everything the two dates depend on; `at` is in UTC."""
    history = read_history(memory, at)
    matches = match_rules(rules, memory, at, settings.zone)
    choices: dict[Kind, Choice] = {
        "expire": _choose(matches.expire, memory),
        "archive": _choose(matches.archive, memory),
        "anonymise": _choose(matches.anonymise, memory),
        "degrade": _choose(matches.degrade, memory),
    }
    expiry = _earlier_ttl(_rule_expiry(choices), memory, history)
    is_delete_counted = _counts_delete(rules, memory, settings, at)
    return Findings(
        memory=memory,
        settings=settings,
        at=at,
        history=history,
        matches=matches,
        choices=choices,
        floors=_find_floors(matches.keep),
        cap=_earliest_cap(matches, memory),
        expiry=_earlier_delete(expiry, memory) if is_delete_counted else expiry,
        is_delete_counted=is_delete_counted,
    )


def read_history(memory: MemoryFacts, at: datetime) -> History:
    """The past of a memory. A decision to destroy before a restore is no decision any more."""
    approved = past(memory.erasure_approved_at, at)
    of_source = past(memory.source_erased_at, at)
    if approved is None or (of_source is not None and of_source < approved):
        approved = of_source
    restored, reviewed = past(memory.restored_at, at), past(memory.reviewed_at, at)
    if restored is not None and reviewed is not None and reviewed <= restored:
        reviewed = None
    released, is_held = None, False
    for hold in memory.holds:
        if hold.placed_at > at:
            continue
        if hold.released_at is None or hold.released_at > at:
            is_held = True
        elif released is None or hold.released_at > released:
            released = hold.released_at
    return History(
        approved=approved,
        requested=past(memory.erasure_verified_at, at),
        restricted=past(memory.restricted_at, at),
        restored=restored,
        reviewed=reviewed,
        moved=past(memory.dates_moved_at, at),
        released=released,
        is_held=is_held,
    )


def counted_ttl(memory: MemoryFacts, restored: datetime | None) -> datetime | None:
    """The agent's TTL, unless it had run out when somebody restored the memory."""
    ttl = memory.ttl_expires_at
    return None if ttl is None or (restored is not None and ttl <= restored) else ttl


def end_of_use(found: Findings) -> UseEnd:
    """The earliest of erasure, request or restriction, cap, expiry; the first of equals."""
    history, expiry, end = found.history, found.expiry, _ENDLESS
    if history.approved is not None:
        end = UseEnd(history.approved, "erasure", None)
    if history.requested is not None and _is_before(history.requested, end.date):
        end = UseEnd(history.requested, "request", None)
    if history.restricted is not None and _is_before(history.restricted, end.date):
        end = UseEnd(history.restricted, "restriction", None)
    if found.cap is not None and _is_before(found.cap, end.date):
        keys = [dated.rule.key for dated in found.matches.cap if dated.date == found.cap]
        end = UseEnd(found.cap, "cap", min(keys, default=None))
    if expiry is not None and _is_before(expiry.date, end.date):
        end = UseEnd(expiry.date, expiry.cause, expiry.rule.key if expiry.rule else None)
    return end


def list_waiting(found: Findings) -> list[Rule]:
    """The rules of a top level that wait for their event and block broader ones."""
    waiting = []
    for kind, choice in found.choices.items():
        matching: Sequence[Dated] = getattr(found.matches, kind) if choice.is_waiting else ()
        top = max((dated.rule.level for dated in matching), default=None)
        waiting += [d.rule for d in matching if d.date is None and d.rule.level == top]
    return waiting


def _is_before(date: datetime, other: datetime | None) -> bool:
    return other is None or date < other


def _choose(matching: Sequence[Dated], memory: MemoryFacts) -> Choice:
    """Only the top level counts; in it the shortest wins, and a waiting rule blocks the others."""
    if not matching:
        return _NO_CHOICE
    top = max(dated.rule.level for dated in matching)
    level = [dated for dated in matching if dated.rule.level == top]
    with_date = [dated for dated in level if dated.date is not None]
    winner = min(with_date, key=lambda dated: _precedence(dated, memory), default=None)
    return Choice(winner, len(with_date) < len(level))


def _precedence(dated: Dated, memory: MemoryFacts) -> tuple[object, ...]:
    rule = dated.rule
    since = max(rule.active_since or memory.created_at, memory.created_at)
    return (dated.date, ENDS.index(rule.end), rule.weight, since, rule.key)


def _rule_expiry(choices: Mapping[Kind, Choice]) -> Expiry | None:
    """The date of the winning expire rule; one that archives gives no expiry."""
    winner = choices["expire"].winner
    if winner is None or winner.date is None or winner.rule.end == "archive":
        return None
    return Expiry(winner.date, winner.rule.end, "expire", winner.rule)


def _earlier_ttl(expiry: Expiry | None, memory: MemoryFacts, history: History) -> Expiry | None:
    ttl = counted_ttl(memory, history.restored)
    if ttl is None or (expiry is not None and ttl >= expiry.date):
        return expiry
    return Expiry(ttl, "trash", "ttl", None)


def _earlier_delete(expiry: Expiry | None, memory: MemoryFacts) -> Expiry | None:
    """The delete, also in the instant of a rule that became active since: trash comes first."""
    deleted = memory.deleted_at
    if deleted is None or (expiry is not None and deleted > expiry.date):
        return expiry
    return Expiry(deleted, "trash", "delete", None)


def _counts_delete(
    rules: Sequence[Rule], memory: MemoryFacts, settings: Settings, at: datetime
) -> bool:
    """An agent's delete counts when it was not undone and met a memory still in use.

    Judged at its own instant, by the rules and facts known then.
    """
    deleted = memory.deleted_at
    if deleted is None or deleted > at:
        return False
    restored = past(memory.restored_at, at)
    if restored is not None and deleted < restored:
        return False
    then = gather(rules, replace(memory, deleted_at=None), settings, deleted)
    return _is_before(deleted, end_of_use(then).date)


def _find_floors(keeps: Sequence[Dated]) -> Floors:
    """The longest keep wins, whatever its scope; an open one has no date."""
    if not keeps:
        return _NO_FLOORS
    statutory = [dated.date for dated in keeps if dated.rule.statutory]
    every = [dated.date for dated in keeps]
    return Floors(_latest(every), None in every, _latest(statutory), None in statutory)


def _latest(dates: Sequence[datetime | None]) -> datetime | None:
    return max((date for date in dates if date is not None), default=None)


def _earliest_cap(matches: Matches, memory: MemoryFacts) -> datetime | None:
    if not matches.cap and not memory.source_caps:
        return None
    own = [dated.date for dated in matches.cap if dated.date is not None]
    return min((*own, *memory.source_caps), default=None)
