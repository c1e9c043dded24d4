"""The rules that stand for a tenant: those in force, and those staged to come after them.

Kept by the tenant's settings version, which `hub_act` returns with each transaction, so that a
change by another process is seen by the very next transaction and nothing is read twice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import UUID

from policies.facts import Rule
from policies.models import RuleSet
from policies.versions import rules_of
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
