"""From a row to the policy engine and back: the two dates of a memory, and why. Pure.

The engine decides over frozen facts; it never sees a table. Whatever changes a memory asks here,
and the purge asks again under the row lock.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from memories.namespaces import decode
from memories.rows import StoredMemory
from policies.engine import evaluate
from policies.facts import MemoryFacts, Rule, Settings
from policies.outcomes import Evaluation
from tenants.snapshots import TenantSettings


@dataclass(frozen=True, slots=True)
class Regime:
    """What decides a tenant's dates: active rules, settings, and the rule set's version."""

    rules: tuple[Rule, ...]
    settings: Settings
    ruleset: int


def regime_of(tenant: TenantSettings) -> Regime:
    """The regime a tenant is under. Rules come with rule sets; without one there are none."""
    return Regime((), _settings(tenant.trash_days, tenant.notice_days, tenant.timezone), 0)


def _settings(trash_days: int, notice_days: int, timezone: str) -> Settings:
    key = (trash_days, notice_days, timezone)
    found = _kept_settings.get(key)
    if found is None:
        found = _kept_settings[key] = Settings(trash_days, notice_days, timezone)
    return found


_kept_settings: dict[tuple[int, int, str], Settings] = {}


def facts_of(row: StoredMemory) -> MemoryFacts:
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
        quarantined=row.quarantined_at is not None,
        source_caps=tuple(row.source_caps),
        dates_moved_at=row.dates_moved_at,
    )


def evaluate_row(row: StoredMemory, regime: Regime, at: datetime) -> Evaluation:
    """One row under the regime at an instant."""
    return evaluate(regime.rules, facts_of(row), regime.settings, at)


def with_dates(row: StoredMemory, regime: Regime, at: datetime) -> StoredMemory:
    """The row with the dates that its facts give under the regime."""
    found = evaluate_row(row, regime, at)
    return replace(
        row,
        visible_until=found.visible_until,
        purge_at=found.purge_at,
        rule=found.winner,
        flags=list(found.flags),
        ruled=is_ruled(row, regime),
        ruleset=regime.ruleset,
    )


def is_ruled(row: StoredMemory, regime: Regime) -> bool:
    """Whether more than the TTL decides, so that a read must ask the engine again."""
    return bool(regime.rules or row.source_caps or row.dates_moved_at or row.restored_at)


def ttl_of(minutes: float | None) -> timedelta | None:
    """A TTL in minutes as a length of time."""
    return None if minutes is None else timedelta(minutes=minutes)
