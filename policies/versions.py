"""Finding versions of the rules, and reading what they say.

Whoever changes a version or puts one into force first locks the tenant's row, so that there is one
such change at a time; readers wait for nobody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from audit.recording import Facts, Target, canonical, record
from memoryhub.errors import Conflict, Denied, Missing
from policies.facts import Rule
from policies.models import RuleSet
from policies.parsing import content_of, parse_rules
from tenants.actors import Actor
from tenants.clock import instant_as_wire
from tenants.context import current_tenant_id
from tenants.models import Tenant

State = RuleSet.State


def lock_tenant() -> Tenant:
    """The acting tenant's row, locked: changes of rules happen one after the other."""
    return Tenant.objects.select_for_update().get(id=current_tenant_id())


def find_version(n: int) -> RuleSet:
    """The version with this number. Raises Missing."""
    version: RuleSet | None = RuleSet.objects.all().numbered(n).first()
    if version is None:
        raise Missing("There is no such rule set.")
    return version


def find_active() -> RuleSet | None:
    """The version in force; None before the first."""
    version: RuleSet | None = RuleSet.objects.all().active().first()
    return version


def require_state(version: RuleSet, *states: str) -> None:
    """Raises Conflict `invalid_state` with the state that it is in."""
    if version.state not in states:
        raise Conflict(f"The rule set is {version.state}.", state=version.state)


def rules_of(version: RuleSet | None) -> tuple[Rule, ...]:
    """Its rules, each with the instant since which it has been in force without a gap."""
    if version is None:
        return ()
    since = {key: datetime.fromisoformat(at).astimezone(UTC) for key, at in version.since.items()}
    rules = parse_rules(version.rules)
    return tuple(replace(rule, active_since=since.get(rule.key)) for rule in rules)


def since_if_active(
    rules: Sequence[Rule], active: RuleSet | None, at: datetime
) -> Mapping[str, str]:
    """Since when each of these rules would be in force, were they put into force at `at`.

    A rule goes on when the version in force has one of the same key and content: its owner, its
    citation and the day of its review are not content.
    """
    before = {rule.key: rule for rule in rules_of(active)}
    since = {}
    for rule in rules:
        old = before.get(rule.key)
        goes_on = old is not None and content_of(old) == content_of(rule)
        started = old.active_since if old is not None and goes_on else None
        since[rule.key] = instant_as_wire(started or at)
    return since


def hash_of(rules: Sequence[Mapping[str, Any]], cases: Sequence[Mapping[str, Any]]) -> str:
    """SHA-256 of the content as canonical JSON."""
    document = canonical({"rules": list(rules), "cases": list(cases)})
    return sha256(document.encode()).hexdigest()


def refuse_author(version: RuleSet, actor: Actor) -> None:
    """Raises Denied: machines never decide, and nobody decides about what they wrote themselves."""
    if not actor.is_person:
        raise Denied("Only people may do this.", code="people_only")
    if actor.id in (version.created_by, version.written_by):
        raise Denied("Another person has to do this.", code="second_person_required")


def record_step(action: str, version: RuleSet, **links: Any) -> None:
    """The event of a step in a version's life."""
    facts = Facts(ruleset=version.n, counts={"rules": len(version.rules)},
                  links={"hash": version.hash, **links})  # fmt: skip
    record(action, Target("ruleset", str(version.n)), facts)
