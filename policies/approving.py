"""Approving rules: by a person who did not write them, two where the law itself is changed."""

from __future__ import annotations

from django.db import transaction

from memoryhub.errors import Conflict, Denied, Invalid
from policies.comparing import compare_rules
from policies.models import RuleSet
from policies.parsing import parse_rules
from policies.strictness import refuse_loosening
from policies.versions import (
    State,
    find_active,
    find_version,
    lock_tenant,
    record_step,
    refuse_author,
    require_state,
    rules_of,
)
from tenants.authorising import require
from tenants.clock import instant_as_wire
from tenants.context import current_tenant_id, now
from tenants.models import Membership
from tenants.roles import Action, roles_that_may

REASON_CHARACTERS = 1000


def approve_rules(n: int, *, reason: str) -> RuleSet:
    """One person's approval of a simulated version; with the last that is needed it is approved.

    Raises Denied (`second_person_required`, `people_only`), Conflict (`invalid_state`,
    `rule_locked`), Invalid, Missing.
    """
    actor = require(Action.APPROVE_RULES)
    reason = _check_reason(reason)
    with transaction.atomic():
        lock_tenant()
        version = find_version(n)
        refuse_author(version, actor)
        require_state(version, State.SIMULATED)
        if any(one["id"] == actor.id for one in version.approvals):
            raise Denied("You approved it already.", code="second_person_required")
        active = find_active()
        refuse_loosening(rules_of(active), parse_rules(version.rules))
        approval = {"id": actor.id, "by": actor.name, "at": instant_as_wire(now())}
        version.approvals = [*version.approvals, {**approval, "reason": reason}]
        if len(version.approvals) >= approvals_needed(version, active):
            version.state = State.APPROVED
        version.save()
        record_step("rules.approve", version, reason=reason, approvals=len(version.approvals))
    return version


def approvals_needed(version: RuleSet, active: RuleSet | None) -> int:
    """Two where a statutory rule comes, goes or changes, else one."""
    changes = compare_rules([] if active is None else active.rules, version.rules)
    touched = [*changes["added"], *changes["removed"]]
    for change in changes["changed"]:
        touched += [change["before"], change["after"]]
    return 2 if any(rule.get("statutory") for rule in touched) else 1


def find_approvers(version: RuleSet) -> list[str]:
    """Names of the people who may approve this version, by name. Inside a transaction."""
    require(Action.SEE_FIGURES)
    done = {version.created_by, version.written_by, *(one["id"] for one in version.approvals)}
    members = Membership.objects.effective().of_tenant(current_tenant_id())
    able = members.filter(role__in=roles_that_may(Action.APPROVE_RULES))
    return sorted(one.user.get_short_name() for one in able if str(one.user_id) not in done)


def check_approvals(version: RuleSet, active: RuleSet | None) -> None:
    """Raises Conflict `invalid_state` when what is in force now asks for one approval more."""
    if len(version.approvals) < approvals_needed(version, active):
        raise Conflict("A second approval is needed.", state=version.state)


def _check_reason(reason: str) -> str:
    if not reason.strip():
        raise Invalid.at("reason", "required", "Say why.")
    if len(reason) > REASON_CHARACTERS:
        detail = f"A reason has at most {REASON_CHARACTERS} characters."
        raise Invalid.at("reason", "too_long", detail)
    return reason.strip()
