"""Drafting rules: a version based on another, its content replaced, a draft thrown away.

A roll-back is a draft based on an old version: it goes the same way as any other.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction

from memoryhub.errors import Invalid
from policies.cases import case_as_wire, parse_cases
from policies.models import RuleSet
from policies.parsing import parse_rules, rule_as_wire
from policies.strictness import refuse_loosening
from policies.versions import (
    State,
    find_active,
    find_version,
    hash_of,
    lock_tenant,
    record_step,
    require_state,
    rules_of,
)
from tenants.authorising import require
from tenants.context import now
from tenants.models import Tenant
from tenants.roles import Action

NOTE_CHARACTERS = 2000


def draft_rules(*, based_on: int | None, note: str = "") -> RuleSet:
    """A new draft with the content of version `based_on`, None: of the one in force. Missing."""
    actor = require(Action.DRAFT_RULES)
    _check_note(note)
    with transaction.atomic():
        tenant = lock_tenant()
        base = find_active() if based_on is None else find_version(based_on)
        rules, cases = (base.rules, base.cases) if base is not None else ([], [])
        tenant.last_ruleset += 1
        Tenant.objects.filter(id=tenant.id).update(last_ruleset=tenant.last_ruleset)
        version: RuleSet = RuleSet.objects.create(
            n=tenant.last_ruleset, based_on=None if base is None else base.n, note=note,
            rules=rules, cases=cases, hash=hash_of(rules, cases), created_at=now(),
            created_by=actor.id, created_by_name=actor.name, written_by=actor.id,
        )  # fmt: skip
        record_step("rules.draft", version, based_on=version.based_on)
    return version


def write_rules(n: int, *, rules: Any, cases: Any, note: str | None = None) -> RuleSet:
    """Replace a version's content; it is a draft again.

    Raises Invalid with a path for each fault, Conflict `invalid_state` or `rule_locked`, Missing.
    """
    actor = require(Action.DRAFT_RULES)
    _check_note(note or "")
    with transaction.atomic():
        tenant = lock_tenant()
        version = find_version(n)
        require_state(version, State.DRAFT, State.SIMULATED, State.APPROVED)
        parsed, examples = parse_rules(rules), parse_cases(cases)
        refuse_loosening(rules_of(find_active()), parsed)
        version.rules = [rule_as_wire(rule) for rule in parsed]
        version.cases = [case_as_wire(case) for case in examples]
        version.hash = hash_of(version.rules, version.cases)
        version.note = version.note if note is None else note
        version.written_by = actor.id
        version.state = State.DRAFT
        version.simulation, version.staged, version.approvals = None, None, []
        version.save()
        _unstage(tenant, version)
        record_step("rules.write", version)
    return version


def delete_draft(n: int) -> None:
    """Throw a draft away; one that is not there is gone already. Conflict `invalid_state`."""
    require(Action.DRAFT_RULES)
    with transaction.atomic():
        tenant = lock_tenant()
        version: RuleSet | None = RuleSet.objects.all().numbered(n).first()
        if version is None and n <= tenant.last_ruleset:
            return
        version = version or find_version(n)
        require_state(version, State.DRAFT)
        RuleSet.objects.all().numbered(n).delete()
        _unstage(tenant, version)
        record_step("rules.delete", version)


def _unstage(tenant: Tenant, version: RuleSet) -> None:
    """Dates that were computed for other content are good for nothing any more."""
    if tenant.staged_ruleset == version.n:
        tenant.staged_ruleset = 0
        tenant.save(update_fields=["staged_ruleset"])


def _check_note(note: str) -> None:
    if len(note) > NOTE_CHARACTERS:
        detail = f"A note has at most {NOTE_CHARACTERS} characters."
        raise Invalid.at("note", "too_long", detail)
