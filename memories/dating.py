"""From a row to the policy engine and back: the two dates of a memory, and why.

The engine decides over frozen facts; it never sees a table. Whatever changes a memory asks here,
and the purge asks again under the row lock.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from operator import attrgetter

from memories.falling_due import lifted_weight, next_act_at, review_date
from memories.namespaces import decode
from memories.rows import Dates, StoredMemory
from policies.engine import evaluate, evaluate_moved
from policies.facts import Hold, MemoryFacts, Rule, Settings
from policies.holding import NO_HOLDS, Holdings, StandingHold
from policies.matching import why_not
from policies.outcomes import Evaluation
from policies.standing import guarded_holds, standing_holds, standing_rules
from tenants.snapshots import TenantSettings


@dataclass(frozen=True, slots=True)
class Regime:
    """What decides a tenant's dates: rules in force, settings, holds, and the rule set's version.

    `coming` is the regime that is staged to follow: every write computes its dates too. Its
    `staged_at` stands for the instant at which it will come into force.
    """

    rules: tuple[Rule, ...]
    settings: Settings
    ruleset: int
    coming: Regime | None = None
    staged_at: datetime | None = None
    holds: Holdings = NO_HOLDS


def regime_of(tenant: TenantSettings) -> Regime:
    """The regime a tenant is under, exact for the current transaction."""
    return _regime(tenant, standing_holds(tenant.tenant_id, tenant.holds))


def regime_to_destroy_by(tenant: TenantSettings, at: datetime) -> Regime:
    """The regime with the holds of this very moment; nobody places one until the transaction ends.

    Asked for right before something is destroyed, after its row was locked. A hold that was placed
    since the transaction began counts as one of its instant `at`.
    """
    return _regime(tenant, guarded_holds(tenant.tenant_id).as_seen_at(at))


def _regime(tenant: TenantSettings, holds: Holdings) -> Regime:
    settings = settings_for(tenant.trash_days, tenant.notice_days, tenant.timezone)
    standing = standing_rules(tenant)
    coming = None
    if standing.staged:
        coming = Regime(
            standing.coming, settings, standing.staged, staged_at=standing.staged_at, holds=holds
        )
    return Regime(standing.rules, settings, standing.active, coming, holds=holds)


def settings_for(trash_days: int, notice_days: int, timezone: str) -> Settings:
    """The settings that move dates, made once for each combination."""
    key = (trash_days, notice_days, timezone)
    found = _kept_settings.get(key)
    if found is None:
        found = _kept_settings[key] = Settings(trash_days, notice_days, timezone)
    return found


_kept_settings: dict[tuple[int, int, str], Settings] = {}


def holds_matching(row: StoredMemory, regime: Regime) -> list[StandingHold]:
    """The standing holds that a row is under, open ones and those released lately."""
    if not regime.holds:
        return []
    return regime.holds.matching(row.id, row.namespace, row.subjects, row.hold_ids)


def holds_over(row: StoredMemory, regime: Regime) -> tuple[Hold, ...]:
    """The same as facts for the engine."""
    return tuple(hold.as_fact() for hold in holds_matching(row, regime))


def facts_of(row: StoredMemory, holds: tuple[Hold, ...] = ()) -> MemoryFacts:
    """A row as the engine takes it."""
    return MemoryFacts(
        namespace=decode(row.namespace),
        kind=row.kind,
        created_at=row.created_at,
        updated_at=row.updated_at,
        accessed_at=row.accessed_at,
        access_count=row.access_count,
        decay=row.decay,
        classes=frozenset(row.classes),
        label=row.label,
        ttl_expires_at=row.ttl_expires_at,
        deleted_at=row.deleted_at,
        restored_at=row.restored_at,
        reviewed_at=row.reviewed_at,
        events=_events_of(row),
        erasure_verified_at=row.erasure_verified_at,
        erasure_approved_at=row.erasure_approved_at,
        restricted_at=row.restricted_at,
        source_erased_at=row.source_erased_at,
        holds=holds,
        quarantined=row.quarantined_at is not None,
        source_caps=tuple(row.source_caps),
        dates_moved_at=row.dates_moved_at,
    )


def _events_of(row: StoredMemory) -> dict[str, datetime]:
    if row.events == "{}":
        return {}
    return {name: datetime.fromisoformat(at) for name, at in json.loads(row.events).items()}


def moved_by_others(
    before: StoredMemory, after: StoredMemory, regime: Regime, at: datetime
) -> StoredMemory:
    """`after`, with `dates_moved_at` when its purge comes earlier than that of `before`."""
    old, new = (evaluate_row(row, regime, at).due_at for row in (before, after))
    return replace(after, dates_moved_at=at) if is_earlier(new, old) else after


_OCCURRED = attrgetter(
    "updated_at", "accessed_at", "deleted_at", "restored_at", "reviewed_at",
    "erasure_verified_at", "erasure_approved_at", "restricted_at", "source_erased_at",
)  # fmt: skip
"""What the hub itself did to a memory, by its clock."""
BEHIND = timedelta(minutes=10)
"""How far the clock of a transaction may be behind the facts of a row: how long it may have waited.
What lies further ahead is a clock that went wrong, and nothing is dated by it."""


def evaluate_row(row: StoredMemory, regime: Regime, now: datetime) -> Evaluation:
    """One row under the regime, now: not before what has just happened to it.

    A transaction's `now` is that of its beginning. One that waits for a row, or finds it changed by
    somebody who began later, would take its newest facts for something yet to come, and date it
    from its creation.
    """
    ahead = (fact for fact in _OCCURRED(row) if fact is not None and now < fact <= now + BEHIND)
    return evaluate_then(row, regime, max(ahead, default=now))


def evaluate_then(row: StoredMemory, regime: Regime, at: datetime) -> Evaluation:
    """One row under the regime at an instant of the past: what came later does not count."""
    return evaluate(regime.rules, facts_of(row, holds_over(row, regime)), regime.settings, at)


def with_dates(row: StoredMemory, regime: Regime, at: datetime) -> StoredMemory:
    """The row with the dates that its facts give under the regime, and under the coming one."""
    found = evaluate_row(row, regime, at)
    weight = lifted_weight(found, row.weight)
    if weight != row.weight:
        row = row.but(weight=weight)
    dates = dates_of(found, row, regime)
    return row.but(
        visible_until=dates.visible_until,
        purge_at=dates.purge_at,
        archived_at=dates.archived_at,
        rule=dates.rule,
        flags=dates.flags,
        ruled=dates.ruled,
        ruleset=dates.ruleset,
        due_at=dates.due_at,
        hidden_as=dates.hidden_as,
        acts_at=dates.acts_at,
        review_at=dates.review_at,
        coming=None if regime.coming is None else dates_to_come(row, regime.coming, found).dates,
    )


@dataclass(frozen=True, slots=True)
class Coming:
    """What a staged regime decides about a row, and the evaluation that says so."""

    evaluation: Evaluation
    dates: Dates


def dates_to_come(row: StoredMemory, coming: Regime, current: Evaluation) -> Coming:
    """What the staged regime decides about the row, beside the evaluation under the current one.

    Where the purge would come earlier, somebody other than the writer moves it: notice is due.
    The facts are those of `current`: a million rows are dated twice, and read once.
    """
    found = evaluate(coming.rules, current.found.memory, coming.settings, current.at)
    if is_earlier(found.due_at, current.due_at) and coming.staged_at is not None:
        moved = max(row.dates_moved_at or coming.staged_at, coming.staged_at)
        found = evaluate_moved(found, moved)
    return Coming(found, dates_of(found, row, coming))


def is_earlier(date: datetime | None, than: datetime | None) -> bool:
    """Whether a purge date comes before another; no date comes last."""
    return date is not None and (than is None or date < than)


def dates_of(found: Evaluation, row: StoredMemory, regime: Regime) -> Dates:
    """An evaluation as it is stored; when others moved the purge is what it was evaluated with."""
    facts = found.found.memory
    return Dates(
        visible_until=found.visible_until,
        purge_at=found.purge_at,
        archived_at=found.archive_at,
        rule=found.winner,
        flags=list(found.flags),
        ruled=_is_ruled(row, regime, facts),
        ruleset=regime.ruleset,
        dates_moved_at=facts.dates_moved_at,
        due_at=found.due_at if found.kept_by in ("held", "request_open") else None,
        hidden_as=found.hidden_state,
        acts_at=next_act_at(found, row),
        review_at=review_date(found),
    )


def _is_ruled(row: StoredMemory, regime: Regime, facts: MemoryFacts) -> bool:
    """Whether a read moves dates by more than the TTL, so that it must ask the engine.

    A rule whose scope the memory is not in never speaks about it; one that is in scope matters to a
    read when it counts reads, or when it and a TTL decide together.
    """
    if row.source_caps or facts.dates_moved_at or row.restored_at or is_requested(row):
        return True
    if facts.holds:
        return True
    if not regime.rules:
        return False
    return any(
        rule.anchor == "accessed" or rule.unless_accessed is not None or row.ttl is not None
        for rule in regime.rules
        if why_not(rule, facts, _LATEST) in (None, "accessed_enough")
    )


def is_requested(row: StoredMemory) -> bool:
    """Whether a subject request has anything to do with it."""
    instants = (
        row.erasure_verified_at, row.erasure_approved_at, row.restricted_at, row.source_erased_at,
    )  # fmt: skip
    return any(instant is not None for instant in instants)


_LATEST = datetime.max.replace(tzinfo=UTC)


def ttl_of(minutes: float | None) -> timedelta | None:
    """A TTL in minutes as a length of time."""
    return None if minutes is None else timedelta(minutes=minutes)
