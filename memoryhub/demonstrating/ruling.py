"""Rules of the demo tenant: one set in force, and a draft that is simulated and waits for somebody.

They go the way that rules go everywhere: one person writes, another approves, the law needs two.
"""

from __future__ import annotations

from typing import Any

from audit.jobs import find_job, run_job
from memories.activating import activate_rules
from memories.staging import simulate_rules
from memoryhub.demonstrating.people import person
from policies.approving import approve_rules
from policies.drafting import draft_rules, write_rules
from policies.models import RuleSet
from tenants.context import acting_as
from tenants.models import Tenant

RULES: list[dict[str, Any]] = [
    {"key": "contracts", "kind": "keep", "after": {"months": 72}, "anchor": "event:contract.ended",
     "fallback": {"months": 84}, "namespace": ["sales", "accounts"], "statutory": True,
     "citation": "HGB § 257 (1) no. 2, (4)", "locked": True, "owner": "Ines Moreau",
     "review_by": "2027-03-31"},
    {"key": "contact-evidence", "kind": "keep", "after": {"months": 3}, "namespace": ["support"]},
    {"key": "personal-data-cap", "kind": "cap", "after": {"months": 36}, "class": "personal",
     "locked": True},
    {"key": "support-tickets", "kind": "expire", "after": {"days": 365}, "anchor": "updated",
     "namespace": ["support", "tickets"], "owner": "Zhang Wei 张伟"},
    {"key": "sales-leads", "kind": "expire", "after": {"months": 18}, "end": "review",
     "namespace": ["sales", "leads"]},
    {"key": "quiet-profiles", "kind": "archive", "after": {"months": 8}, "anchor": "accessed",
     "memory_kind": "profile"},
    {"key": "old-procedures", "kind": "degrade", "after": {"days": 400}, "anchor": "updated",
     "memory_kind": "procedure", "weight": 0.4},
]  # fmt: skip
SHORTER = {"support-tickets": {"days": 270}}


def _case(name: str, at: str, expect: dict[str, Any], because: str) -> dict[str, Any]:
    memory = {
        "namespace": ["support", "tickets", "T-1"], "kind": "episode",
        "created_at": "2026-01-01T00:00:00Z",
    }  # fmt: skip
    return {"name": name, "memory": memory, "at": at, "expect": expect, "because": because}


CASES = [
    _case("A ticket untouched for half a year is in use", "2026-07-01T00:00:00Z",
          {"state": "ACTIVE"}, "A year has to pass."),
    _case("A ticket untouched for two years is gone", "2028-01-01T00:00:00Z",
          {"state": "PURGED"}, "A year in use, thirty days in the trash."),
]  # fmt: skip


def put_rules_into_force(tenant: Tenant, author: str, approvers: tuple[str, str]) -> None:
    """The rules above, written by one and approved by the others; then a shorter draft."""
    with acting_as(person(tenant, author)):
        n = _write("How long what the agents remember lives", RULES)
        result = _simulate(n)
    for email in approvers:
        with acting_as(person(tenant, email)):
            approve_rules(n, reason="Agreed in the data protection review")
    with acting_as(person(tenant, approvers[0])):
        activate_rules(n, confirm_count=result["confirm_count"])
    with acting_as(person(tenant, author)):
        rules = [{**rule, "after": SHORTER.get(rule["key"], rule["after"])} for rule in RULES]
        _simulate(_write("A year is longer than complaints need", rules))


def _write(note: str, rules: list[dict[str, Any]]) -> int:
    version: RuleSet = draft_rules(based_on=None, note=note)
    write_rules(version.n, rules=rules, cases=CASES)
    return int(version.n)


def _simulate(n: int) -> dict[str, Any]:
    job = simulate_rules(n)
    run_job(job.id)
    result = find_job(job.id).result
    if result is None:
        raise RuntimeError("the demo's rules could not be simulated")
    return dict(result)
