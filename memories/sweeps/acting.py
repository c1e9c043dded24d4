"""What a sweep does beside hiding and destroying: archive, lower a weight, anonymise, unseal.

Archived is what its date says, for every read at once; here it is noted, counted and recorded. A
weight is lowered here and comes back as soon as the dates of the memory are decided again (an
access, an event, other rules). Personal data is masked here (`memories.anonymising`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.conf import settings
from django.db import transaction

from audit.recording import Facts, Target, append, draft
from memories.anonymising import anonymise_rows, unseal_rows
from memories.dating import Regime, evaluate_row, regime_of, regime_to_destroy_by, with_dates
from memories.falling_due import FULL_WEIGHT, Act, list_acts
from memories.rows import StoredMemory
from memories.statements import sweep, upsert
from memories.statements.sweep import BEGINNING, Area
from memories.statements.together import Together
from memories.sweeps.evidence import PUSH_FORWARD, close_failures, digest_of, note_failure
from memories.sweeps.plans import Plan
from memories.sweeps.purging import Chunk
from policies.outcomes import Evaluation
from tenants.snapshots import tenant_settings

ACT_CHUNK = 500
"""Rows a transaction at most: masking a chunk takes longer than destroying one."""
COUNTED: Mapping[Act, str] = {
    "archive": "archived", "degrade": "degraded", "lift": "lifted", "anonymise": "anonymised",
    "unseal": "unsealed",
}  # fmt: skip
EVENTS: Mapping[Act, str] = {
    "archive": "sweep.archive", "degrade": "sweep.degrade", "lift": "sweep.lift",
    "anonymise": "sweep.anonymise", "unseal": "sweep.unseal",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Judged:
    """A row with what is due to be done about it now; `found` is None when it cannot be judged."""

    row: StoredMemory
    found: Evaluation | None
    acts: frozenset[Act] = frozenset()


def act_chunk(plan: Plan, area: Area, *, since: datetime = BEGINNING) -> Chunk | None:
    """One chunk of rows with something due, the longest due first; None when nothing is left."""
    with transaction.atomic():
        at = plan.instant()
        limit = min(settings.SWEEP_CHUNK, ACT_CHUNK)
        rows = sweep.lock_due("acts_at", area, at=at, limit=limit, since=since)
        if not rows:
            return None
        regime = regime_to_destroy_by(tenant_settings(), at)
        judged = [_judge(row, regime, at) for row in rows]
        judged = _apply(judged, regime, at)
        counts = Counter(COUNTED[act] for one in judged for act in one.acts)
        counts["failed"] = sum(one.found is None for one in judged)
        _record(judged, area, regime)
        close_failures([one.row.id for one in judged if one.found is not None], at=at)
        return Chunk(counts, max(row.acts_at or since for row in rows))


def _judge(row: StoredMemory, regime: Regime, at: datetime) -> Judged:
    try:
        found = evaluate_row(row, regime, at)
        due = list_acts(found, row)
        return Judged(row, found, frozenset(act for act, date in due.items() if date <= at))
    except Exception as error:  # a poisoned row must not stop the others
        note_failure(row, error, at=at)
        return Judged(row, None)


def _apply(judged: Sequence[Judged], regime: Regime, at: datetime) -> list[Judged]:
    """The same rows with what was done; those that could not be masked are failed ones."""
    doing = {one.row.id: one for one in judged if one.found is not None}
    masked = anonymise_rows(
        [(one.row, one.found) for one in doing.values() if one.found and "anonymise" in one.acts],
        regime, at=at,
    )  # fmt: skip
    unseal_rows([one.row for one in doing.values() if "unseal" in one.acts])
    done, dated = [], []
    for one in judged:
        error = masked.failed.get(one.row.id)
        if error is not None:
            note_failure(one.row, error, at=at)
            one = Judged(one.row, None)
        if one.found is None:
            dated.append(replace(one.row, acts_at=at + PUSH_FORWARD))
        else:
            kept = masked.kept.get(one.row.id)
            dated.append(with_dates(_marked(one, one.found, kept, at), regime, at))
        done.append(one)
    together = Together()
    upsert.update_dates(together, dated)
    together.run()
    return done


def _marked(judged: Judged, found: Evaluation, kept: bool | None, at: datetime) -> StoredMemory:
    """The row with the marks of what was done; `kept`: whether originals of it stay sealed."""
    row, acts = judged.row, judged.acts
    if "archive" in acts:
        row = replace(row, archive_noted_at=at)
    if "degrade" in acts and found.degrade_weight is not None:
        row = replace(row, weight=found.degrade_weight)
    if "lift" in acts:
        row = replace(row, weight=FULL_WEIGHT)
    if "unseal" in acts:
        row = replace(row, original_kept_at=None)
    if "anonymise" in acts:
        row = replace(row, anonymised_at=at, original_kept_at=at if kept else None)
    return row


def _record(judged: Sequence[Judged], area: Area, regime: Regime) -> None:
    """One event for each kind of act, with a digest of the ids."""
    events = []
    for act, action in EVENTS.items():
        rows = [one.row for one in judged if act in one.acts]
        if rows:
            facts = Facts(
                ruleset=regime.ruleset, counts={"n": len(rows)}, links={"digest": digest_of(rows)}
            )
            events.append(draft(action, Target("namespace", namespace=area.covered), facts))
    append(events)


def rehearse_acts(plan: Plan, area: Area) -> Counter[str]:
    """What the sweep would do; nothing is locked or written."""
    counts: Counter[str] = Counter()
    with transaction.atomic():
        ids = sweep.due_ids("acts_at", area, at=plan.instant())
    for start in range(0, len(ids), ACT_CHUNK):
        with transaction.atomic():
            at, regime = plan.instant(), regime_of(tenant_settings())
            for row in sweep.rows_by_ids(ids[start : start + ACT_CHUNK]):
                try:
                    due = list_acts(evaluate_row(row, regime, at), row)
                except Exception:  # a real sweep would find it and go on
                    counts["failed"] += 1
                    continue
                counts.update(COUNTED[act] for act, date in due.items() if date <= at)
    return counts
