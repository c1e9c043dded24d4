"""What if: one imagined memory under a version's rules, or under rules that come with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.db import transaction

from memoryhub.errors import Invalid
from policies.cases import evaluate_case, parse_case
from policies.explaining import Explanation, explain
from policies.facts import Settings
from policies.versions import find_active, find_version, rules_of
from policies.wording import Lang
from tenants.authorising import require
from tenants.roles import Action
from tenants.snapshots import tenant_settings

LARGEST_NUMBER = 2**31 - 1


def evaluate_what_if(body: Mapping[str, Any], *, lang: Lang = "en") -> Explanation:
    """The explanation of a case, which may name a version as `ruleset` instead of giving rules.

    Without either the rules in force count; without settings the tenant's. Raises Invalid, Missing.
    """
    require(Action.SEE_FIGURES)
    raw = {name: value for name, value in body.items() if name != "ruleset"}
    wanted = _number(body.get("ruleset"))
    case = parse_case(raw)
    with transaction.atomic():
        tenant = tenant_settings()
        if raw.get("settings") is None:
            own = Settings(tenant.trash_days, tenant.notice_days, tenant.timezone)
            case = replace(case, settings=own)
        number = None
        if wanted is not None or case.rules is None:
            version = find_active() if wanted is None else find_version(wanted)
            number = 0 if version is None else version.n
            case = replace(case, rules=rules_of(version))
    return explain(evaluate_case(case), lang, ruleset=number)


def _number(given: Any) -> int | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int):
        raise Invalid.at("ruleset", "invalid_type", "Give the number of a rule set.")
    if not 1 <= given <= LARGEST_NUMBER:
        raise Invalid.at("ruleset", "out_of_range", "Give the number of a rule set.")
    return given
