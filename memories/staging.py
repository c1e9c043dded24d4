"""Simulating rules and staging their dates, in one pass over a tenant's memories.

The invariant: when the pass is over, the slot that does not count yet holds for every memory what
the staged rules decide, and stays right while writes go on, because each write since then computes
both. What can fail, and why it is as it is:

- A transaction that began before the staging does not know of it. So the pass first waits until
  all of those are over (as CREATE INDEX CONCURRENTLY does), and only then visits the first row.
- A row that somebody holds is not waited for, or two orders of locks could meet in a circle; its
  holder knows of the staging, and the row is visited again at the end.
- A worker that dies loses one chunk: the job goes on where its cursor stands. Started again, the
  pass visits all rows anew; what it leaves in the other slot means nothing until it is done.
- Somebody writes other content into the version, or simulates another one: the tenant no longer
  stages this version, and the job ends as failed.

Nothing but the slot that does not count is changed: the simulation is read-only to everybody else.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from audit.jobs import Step, begin_job, job_kind
from audit.models import Job
from audit.recording import Facts, Target, record
from memories.dating import Regime, dates_to_come, evaluate_row, regime_of
from memories.namespaces import decode
from memories.rows import Dates
from memories.statements import staging
from memories.tallying import Tally, Visited, add_up, present_tally
from memoryhub.errors import Conflict
from policies.cases import parse_cases, run_examples
from policies.explaining import explain
from policies.models import RuleSet
from policies.narrating import narrate
from policies.versions import (
    State,
    find_active,
    find_version,
    lock_tenant,
    require_state,
    rules_of,
    since_if_active,
)
from tenants.authorising import require
from tenants.clock import instant_as_wire
from tenants.context import now
from tenants.models import Tenant
from tenants.roles import Action
from tenants.snapshots import tenant_settings

JOB = "rules.simulate"
CHUNK = 250
"""Rows a transaction: it holds their locks, and a writer of one of them waits for its end."""


def simulate_rules(n: int) -> Job:
    """Begin to simulate a version and to stage its dates. Conflict `invalid_state`, Missing."""
    require(Action.DRAFT_RULES)
    with transaction.atomic():
        tenant = lock_tenant()
        version = find_version(n)
        require_state(version, State.DRAFT, State.SIMULATED, State.APPROVED)
        active = find_active()
        params = {"n": n, "hash": version.hash}
        job = begin_job(JOB, action=Action.DRAFT_RULES, params=params, total=_count())
        version.simulation = None
        version.staged = {
            "job": str(job.id), "at": instant_as_wire(now()), **under_what(tenant, active),
            "since": dict(since_if_active(rules_of(version), active, now())),
        }  # fmt: skip
        version.save(update_fields=["simulation", "staged"])
        tenant.staged_ruleset = n
        tenant.save(update_fields=["staged_ruleset"])
    return job


def under_what(tenant: Tenant, active: RuleSet | None) -> dict[str, Any]:
    """What else decides dates: staged ones are good only while this stays the same."""
    settings = [tenant.trash_days, tenant.notice_days, tenant.timezone]
    return {"active": 0 if active is None else active.n, "settings": settings}


def _count() -> int:
    return staging.count_memories()


@job_kind(JOB)
def _stage_chunk(job: Job) -> Step:
    """Wait for those who do not know, visit every row, visit again what was held, sum up."""
    version = _require_staged(job)
    cursor = job.cursor
    if not cursor:
        return Step(finished=False, cursor={"barrier": instant_as_wire(staging.read_clock())})
    if "tally" not in cursor:
        if staging.count_older(datetime.fromisoformat(cursor["barrier"])):
            staging.pause()
            return Step(finished=False, cursor=cursor)
        cursor = {"after": str(UUID(int=0)), "again": [], "tally": Tally().as_json()}
    tally, again = Tally.from_json(cursor["tally"]), [UUID(one) for one in cursor["again"]]
    fresh = staging.ids_after(UUID(cursor["after"]), limit=CHUNK) if cursor["after"] else []
    ids = fresh or staging.still_there(again[:CHUNK])
    held = _visit(ids, tally, regime_of(tenant_settings()))
    again = [*(again if fresh else again[CHUNK:]), *held]
    if not fresh and not again:
        result = _sum_up(version, tally)
        return Step(finished=True, done=tally.memories, total=tally.memories, result=result)
    if not fresh and len(held) == len(ids):
        staging.pause()
    after = str(fresh[-1]) if fresh else ""
    following = {
        "after": after, "again": [str(one) for one in again], "tally": tally.as_json(),
    }  # fmt: skip
    return Step(finished=False, done=tally.memories, cursor=following, rests=True)


def _require_staged(job: Job) -> RuleSet:
    version: RuleSet | None = RuleSet.objects.all().numbered(job.params["n"]).first()
    is_ours = version is not None and (version.staged or {}).get("job") == str(job.id)
    if version is None or not is_ours or tenant_settings().staged_ruleset != version.n:
        raise Conflict("Another version is simulated, or this one was written anew.")
    return version


def _visit(ids: Sequence[UUID], tally: Tally, regime: Regime) -> list[UUID]:
    """Stage and count these rows; the ids of those that somebody holds."""
    if not ids or regime.coming is None:
        return []
    at, coming = now(), regime.coming
    staged: list[tuple[UUID, Dates]] = []
    visits: list[Visited] = []
    for row, size in staging.lock_free(ids):
        before = evaluate_row(row, regime, at)
        after = dates_to_come(row, coming, before)
        staged.append((row.id, after.dates))
        visits.append(
            Visited(str(row.id), decode(row.namespace), row.kind, size, before, after.evaluation)
        )
    if staged:
        staging.set_coming(staged)
    add_up(tally, visits)
    found = {identifier for identifier, _ in staged}
    return [identifier for identifier in ids if identifier not in found]


def _explain_samples(tally: Tally) -> tuple[list[dict[str, Any]], list[list[str]]]:
    """The samples that are still there with both explanations, and their texts in Chinese.

    Ids and dates, no values.
    """
    regime, at = regime_of(tenant_settings()), now()
    if regime.coming is None:
        return [], []
    numbers = (regime.ruleset, regime.coming.ruleset)
    rows = {row.id: row for row in staging.rows_of([UUID(one) for one in tally.sampled])}
    samples, texts = [], []
    for name in tally.sampled:
        row = rows.get(UUID(name))
        if row is None:
            continue
        before = evaluate_row(row, regime, at)
        found = (before, dates_to_come(row, regime.coming, before).evaluation)
        told = [
            explain(one, memory_id=name, ruleset=n) for one, n in zip(found, numbers, strict=True)
        ]
        samples.append({"memory_id": name, "before": told[0], "after": told[1]})
        texts.append([narrate(one, "zh") for one in found])
    return samples, texts


def _sum_up(version: RuleSet, tally: Tally) -> dict[str, Any]:
    """The result, kept with the version; a draft is now simulated."""
    tenant = lock_tenant()
    rules = rules_of(version)
    failed = [one for one in run_examples(parse_cases(version.cases), rules) if not one.passed]
    samples, texts = _explain_samples(tally)
    result = {
        "hash": version.hash,
        "at": instant_as_wire(now()),
        **present_tally(tally),
        "samples": samples,
        "confirm_count": _count_to_confirm(version, tally, tenant),
        "failed_cases": [
            {"name": one.name, "expected": one.expected, "got": one.got} for one in failed
        ],
    }
    version.simulation = {**result, "texts_zh": texts}
    if version.state == State.DRAFT:
        version.state = State.SIMULATED
    version.save(update_fields=["simulation", "state"])
    record(
        "rules.simulate",
        Target("ruleset", str(version.n)),
        Facts(ruleset=version.n, counts={"n": tally.memories}, links={"hash": version.hash}),
    )
    return result


def _count_to_confirm(version: RuleSet, tally: Tally, tenant: Tenant) -> int | None:
    """What the activation must be told: how many leave use, or lose all coverage."""
    if tally.newly_hidden > tenant.activation_share * max(tally.visible, 1):
        return tally.newly_hidden
    speaks = any(rule["kind"] in ("keep", "expire", "cap") for rule in version.rules)
    loses_all = not speaks or not tally.covered_after
    return tally.newly_uncovered if loses_all and tally.newly_uncovered else None
