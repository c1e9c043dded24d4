"""What stands for a tenant: the rules in force, those staged to come after them, and the holds.

Rules are kept by the tenant's settings version, which `hub_act` returns with each transaction, so
that a change by another process is seen by the very next transaction and nothing is read twice.
Holds are kept by a count of their changes, which stands among the settings, and which whoever
destroys asks for anew under a lock: a hold placed meanwhile is never missed.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import connection

from policies.facts import Rule
from policies.holding import NO_HOLDS, Holdings, StandingHold
from policies.models import Hold, HoldMember, RuleSet
from policies.versions import rules_of
from tenants.context import now
from tenants.snapshots import TenantSettings


@dataclass(frozen=True, slots=True)
class Standing:
    """Rules in force (`active` is the number of their version, 0: none) and those staged."""

    version: int
    active: int
    rules: tuple[Rule, ...] = ()
    staged: int = 0
    coming: tuple[Rule, ...] = ()
    staged_at: datetime | None = None


_kept: dict[UUID, Standing] = {}


def standing_rules(tenant: TenantSettings) -> Standing:
    """What stands for the tenant; read anew when its settings version has moved."""
    if not tenant.active_ruleset and not tenant.staged_ruleset:
        return Standing(tenant.version, 0)
    kept = _kept.get(tenant.tenant_id)
    if kept is not None and kept.version == tenant.version:
        return kept
    numbers = [tenant.active_ruleset, tenant.staged_ruleset]
    found = {one.n: one for one in RuleSet.objects.filter(n__in=numbers)}
    active, staged = (found.get(number) for number in numbers)
    _kept[tenant.tenant_id] = standing = Standing(
        tenant.version,
        tenant.active_ruleset,
        rules_of(active),
        tenant.staged_ruleset,
        () if staged is None else coming_rules(staged),
        None if staged is None else _instant(staged.staged["at"]),
    )
    return standing


def coming_rules(staged: RuleSet) -> tuple[Rule, ...]:
    """A staged version's rules, new ones as if put into force when the staging began."""
    since = {key: _instant(at) for key, at in (staged.staged or {}).get("since", {}).items()}
    return tuple(replace(rule, active_since=since.get(rule.key)) for rule in rules_of(staged))


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


# --- holds ----------------------------------------------------------------------------------------

RELEASE_MATTERS: Final = timedelta(days=366)
"""A release delays a purge by the notice, which is 365 days at most."""

_GUARD = "SELECT hub_guard_destruction(%s)"
_kept_holds: dict[UUID, tuple[int, Holdings]] = {}


def standing_holds(tenant_id: UUID, changes: int) -> Holdings:
    """Open holds, and those released so lately that it matters; `changes` counts their changes."""
    if not changes:
        return NO_HOLDS
    kept = _kept_holds.get(tenant_id)
    if kept is None or kept[0] != changes:
        kept = _kept_holds[tenant_id] = changes, _read_holds()
    return kept[1]


def guarded_holds(tenant_id: UUID) -> Holdings:
    """The holds of this very moment; until the transaction ends nobody places one.

    Called with the rows to be destroyed locked already: who places a hold never waits for rows, so
    the two cannot wait in a circle.
    """
    with connection.cursor() as cursor:
        cursor.execute(_GUARD, [tenant_id])
        (changes,) = cursor.fetchone()
    return standing_holds(tenant_id, changes)


def _read_holds() -> Holdings:
    rows = list(Hold.objects.all().standing(now() - RELEASE_MATTERS))
    named = [row.id for row in rows if row.names_memories]
    members: dict[UUID, list[UUID]] = defaultdict(list)
    if named:
        pairs = HoldMember.objects.filter(hold_id__in=named).values_list("hold_id", "memory_id")
        for hold, memory in pairs.iterator(chunk_size=10_000):
            members[hold].append(memory)
    return Holdings(as_standing(row, frozenset(members[row.id])) for row in rows)


def as_standing(row: Hold, memories: frozenset[UUID] = frozenset()) -> StandingHold:
    """A hold's row as it is matched."""
    return StandingHold(
        id=row.id,
        placed_at=row.placed_at,
        released_at=row.released_at,
        matter=row.matter,
        subjects=frozenset(row.subjects),
        namespaces=tuple(row.namespaces),
        memories=memories,
    )
