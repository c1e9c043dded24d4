"""The retention engine: rules and one memory in, its dates and state out. Pure and total.

The invariant. Every memory has two dates. `visible_until` ends use and may move at once, whoever
moved it. `purge_at` ends the bytes, and nothing that somebody other than the writer does (a rule,
a setting, a label, a class, an event, a release) brings it nearer than the notice period; only an
approved erasure does, because a person asked for it and two people agreed. Protection (floors,
holds, open requests) moves the second date only, never the first: what is kept is not used.

What can fail, and why the code is as it is.

- *One reading of time.* Instants later than `at` are dropped where facts are read
  (`finding.read_history`, `matching`), so that a forecast, a replay and a sweep cannot disagree.
  The state is then a function of `at` and the dates; intervals are half open.
- *Two candidates, not one.* The ordinary end (E) and the caps (C) are followed separately, each
  with its own floors and notices, and the earlier one counts. Merging them first would let a new
  cap, which brings a notice, postpone what an old rule or an old cap already promised. So C is
  the minimum over caps *with* their notices, never the notice of the minimum.
- *A delete is judged by its own moment.* It counts when the memory was in use at that instant by
  what was known then. A cap that becomes active later with an earlier date must not undo it.
- *A notice is a difference.* The flag is raised by computing the date again without notices and
  comparing, so it never claims a delay that another ground causes anyway. The same holds for "a
  floor keeps it" (RETAINED): without floors the bytes would go earlier.
- *Suspension is not a date.* Under a hold or an open request there is no purge date, and no
  notice; `due_at` keeps what would be due, for the preview of a release.

Where RETENTION.md is silent:

- A TTL that ran out before a restore no longer counts, like an earlier delete: the restore would
  otherwise restore nothing. Nor does an earlier decision to destroy: the next review is a new one.
- A delete at the very instant of a restore counts (one batch may read and then delete).
- Quarantine has no instant, so it never decides whether a delete counts.
- Rules of one level with the same date and end: for degrade the lowest weight wins, then the
  earliest notice (so that a copy of an old rule delays nothing), then the smaller key. A delete in
  the instant of a rule that became active since wins over it, as trash comes first.
- `archive_at` is the earlier of the winning archive rule's and an archiving expire winner's.
- `waiting_for_event` is raised by all four kinds that choose by level ("choose alike").
- An erasure of the source decides an open request too.
- "Hidden" includes quarantined, so a quarantined memory under a hold is HELD.
- RETAINED means that a floor decides: in the trash, a floor that ends before the trash does, or
  yields to a cap, leaves it TRASH.
- Accesses, edits and `dates_moved_at` later than `at` are ignored like the instants named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from policies.facts import MemoryFacts, Rule, Settings, in_utc
from policies.finding import counted_ttl, end_of_use, gather
from policies.matching import past
from policies.outcomes import BytesEnd, Evaluation, Findings, State, UseEnd
from policies.purging import end_of_bytes


def evaluate(
    rules: Sequence[Rule], memory: MemoryFacts, settings: Settings, at: datetime
) -> Evaluation:
    """The dates and state of one memory at `at` (aware) under one rule-set version."""
    return _decide(gather(rules, memory, settings, in_utc(at)), tuple(rules))


def evaluate_moved(evaluation: Evaluation, moved_at: datetime) -> Evaluation:
    """The same, had somebody other than the writer moved the purge earlier at `moved_at`.

    It is what `evaluate` says of the memory with that `dates_moved_at`: only the history knows of
    it, and no rule is matched by it.
    """
    found = evaluation.found
    memory = replace(found.memory, dates_moved_at=moved_at)
    history = found.history._replace(moved=past(memory.dates_moved_at, found.at))
    return _decide(replace(found, memory=memory, history=history), evaluation.rules)


def _decide(found: Findings, rules: tuple[Rule, ...]) -> Evaluation:
    """The two dates, the state and the flags, from what is known."""
    use, bytes_end = end_of_use(found), end_of_bytes(found)
    is_suspended = found.history.is_held or found.history.is_request_open
    purge_at = None if is_suspended else bytes_end.date
    anonymise, degrade = found.choices["anonymise"].winner, found.choices["degrade"].winner
    archive_at = archive_date(found)
    is_over = use.date is not None and found.at >= use.date
    is_hidden = is_over or found.memory.quarantined
    hidden_state = _hidden_state(found, use, bytes_end)
    if purge_at is not None and found.at >= purge_at:
        state: State = "PURGED"
    elif is_hidden:
        state = hidden_state
    else:
        state = "ARCHIVED" if archive_at is not None and found.at >= archive_at else "ACTIVE"
    return Evaluation(
        at=found.at,
        state=state,
        hidden_state=hidden_state,
        visible=not is_hidden,
        visible_until=use.date,
        cause=use.cause,
        winner=use.winner if use.date is not None else _archiver(found),
        purge_at=purge_at,
        due_at=bytes_end.date,
        archive_at=archive_at,
        anonymise_at=anonymise.date if anonymise else None,
        degrade_at=degrade.date if degrade else None,
        degrade_weight=degrade.rule.weight if degrade else None,
        flags=_flags(found, bytes_end),
        floor_keeps=bytes_end.floor_keeps,
        rules=rules,
        found=found,
    )


def archive_date(found: Findings) -> datetime | None:
    """When it leaves ordinary search: by an archive rule, or by an expire rule that archives."""
    by_rule, expire = found.choices["archive"].winner, found.choices["expire"].winner
    date = by_rule.date if by_rule else None
    if expire is None or expire.date is None or expire.rule.end != "archive":
        return date
    return expire.date if date is None else min(date, expire.date)


def reconsider_at(rules: Sequence[Rule], memory: MemoryFacts, at: datetime) -> datetime | None:
    """The next instant already recorded that lies after `at`, when dates may move by themselves.

    Stored dates are right until then: it is a future event, release, activation or the like.
    """
    holds = (instant for hold in memory.holds for instant in (hold.placed_at, hold.released_at))
    instants = (
        memory.updated_at,
        memory.accessed_at,
        memory.deleted_at,
        memory.restored_at,
        memory.reviewed_at,
        memory.erasure_verified_at,
        memory.erasure_approved_at,
        memory.restricted_at,
        memory.source_erased_at,
        memory.dates_moved_at,
        *holds,
        *memory.events.values(),
        *(rule.active_since for rule in rules),
    )
    return min((instant for instant in instants if instant and instant > at), default=None)


def _hidden_state(found: Findings, use: UseEnd, bytes_end: BytesEnd) -> State:
    """The state of what agents do not see and is not purged: the first that fits."""
    history, expiry = found.history, found.expiry
    if history.is_held:
        return "HELD"
    if found.memory.quarantined:
        return "QUARANTINED"
    is_by_review = use.cause == "expire" and expiry is not None and expiry.end == "review"
    if is_by_review and history.reviewed is None:
        return "IN_REVIEW"
    if history.approved is not None or history.is_request_open:
        return "RESTRICTED"
    return "RETAINED" if bytes_end.floor_keeps else "TRASH"


def _archiver(found: Findings) -> str | None:
    """The expire rule that archives, when nothing ends use."""
    winner = found.choices["expire"].winner
    return winner.rule.key if winner is not None else None


def _flags(found: Findings, bytes_end: BytesEnd) -> tuple[str, ...]:
    history, floors, cap, matches = found.history, found.floors, found.cap, found.matches
    ttl = counted_ttl(found.memory, history.restored)
    is_suspended = history.is_held or history.is_request_open
    flags = set(bytes_end.flags - {"notice"} if is_suspended else bytes_end.flags)
    if history.is_held:
        flags.add("held")
    if history.is_request_open:
        flags.add("request_open")
    if any(choice.is_waiting for choice in found.choices.values()):
        flags.add("waiting_for_event")
    if cap is not None and (floors.is_open or (floors.latest is not None and floors.latest > cap)):
        flags.add("policy_conflict")
    if not (matches.keep or matches.expire or cap is not None or ttl is not None):
        flags.add("uncovered")
    if _is_clamped(found, ttl):
        flags.add("ttl_clamped")
    return tuple(sorted(flags))


def _is_clamped(found: Findings, ttl: datetime | None) -> bool:
    """The agent's TTL is later than the date of the rule that expires the memory."""
    winner = found.choices["expire"].winner
    if ttl is None or winner is None or winner.date is None or winner.rule.end == "archive":
        return False
    return ttl > winner.date
