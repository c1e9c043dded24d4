"""Destroying what is due: judged again under its lock by the newest rules, holds and requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.conf import settings
from django.db import transaction

from audit.recording import Facts, Target, append, draft
from memories.dating import Regime, evaluate_row, regime_of, regime_to_destroy_by, with_dates
from memories.rows import StoredMemory
from memories.statements import sweep, upsert
from memories.statements.sweep import BEGINNING, Area
from memories.statements.together import Together
from memories.sweeps.evidence import PUSH_FORWARD, close_failures, digest_of, note_failure
from memories.sweeps.plans import Plan
from memories.sweeps.proving import Prover
from tenants.snapshots import tenant_settings


@dataclass(frozen=True, slots=True)
class Verdict:
    """A row to be purged for a reason, or kept with its dates set right (`moved`, `failed`)."""

    row: StoredMemory
    outcome: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """What one chunk came to, and where the next begins."""

    counts: Counter[str]
    since: datetime


def purge_chunk(plan: Plan, area: Area, *, since: datetime = BEGINNING) -> Chunk | None:
    """One chunk of due rows, the longest due first; None when nothing is left.

    What is due and was not hidden yet is hidden by being destroyed, and counted as both.
    """
    with transaction.atomic():
        at = plan.instant()
        limit = settings.SWEEP_CHUNK
        rows = sweep.lock_due("purge_at", area, at=at, limit=limit, since=since)
        if not rows:
            return None
        regime = regime_to_destroy_by(tenant_settings(), at)
        judged = judge(rows, regime, at)
        doomed = [(one.row, one.reason) for one in judged if one.outcome == "purged"]
        kept = [one.row for one in judged if one.outcome != "purged"]
        counts = Counter(one.outcome for one in judged)
        counts["hidden"] = sum(row.trashed_at is None for row, _ in doomed)
        if kept:
            together = Together()
            upsert.update_dates(together, kept)
            together.run()
        if doomed:
            _destroy(doomed, area, regime, at)
        return Chunk(counts, rows[-1].purge_at or since)


def judge(rows: Sequence[StoredMemory], regime: Regime, at: datetime) -> list[Verdict]:
    """What becomes of each of these rows whose stored date has come. Called under their locks."""
    prover = Prover(regime, at)
    return [_judge(row, regime, at, prover=prover) for row in rows]


def _judge(row: StoredMemory, regime: Regime, at: datetime, *, prover: Prover) -> Verdict:
    try:
        cause = prover.proven_cause(row)
        if cause is not None:
            return Verdict(row, "purged", cause)
        found = evaluate_row(row, regime, at)
        if found.state == "PURGED":
            decided = replace(row, rule=found.winner, ruleset=regime.ruleset)
            return Verdict(decided, "purged", found.cause or "expired")
        return Verdict(with_dates(row, regime, at), "moved")
    except Exception as error:  # a poisoned row must not stop the others
        note_failure(row, error, at=at)
        return Verdict(replace(row, purge_at=at + PUSH_FORWARD), "failed")


def _destroy(
    doomed: Sequence[tuple[StoredMemory, str]], area: Area, regime: Regime, at: datetime
) -> None:
    rows = [row for row, _ in doomed]
    unhidden = [row for row in rows if row.trashed_at is None]
    where = Target("namespace", namespace=area.covered)
    facts = _facts(rows, regime)
    of_hidden = facts if len(unhidden) == len(rows) else _facts(unhidden, regime)
    hides = draft("sweep.hide", where, of_hidden) if unhidden else None
    event = draft("sweep.purge", where, facts)
    sweep.purge(doomed, at=at, event_id=event.id)
    close_failures([row.id for row in rows], at=at)
    append([event] if hides is None else [hides, event])


def _facts(rows: Sequence[StoredMemory], regime: Regime) -> Facts:
    links = {"digest": digest_of(rows)}
    return Facts(ruleset=regime.ruleset, counts={"n": len(rows)}, links=links)


def rehearse_purge(plan: Plan, area: Area) -> Counter[str]:
    """What the sweep would destroy, judged as it would be; nothing is locked or written."""
    counts: Counter[str] = Counter()
    with transaction.atomic():
        ids = sweep.due_ids("purge_at", area, at=plan.instant())
    for start in range(0, len(ids), settings.SWEEP_CHUNK):
        with transaction.atomic():
            at, regime = plan.instant(), regime_of(tenant_settings())
            prover = Prover(regime, at)
            for row in sweep.rows_by_ids(ids[start : start + settings.SWEEP_CHUNK]):
                counts[_rehearse(row, regime, at, prover=prover)] += 1
    return counts


def _rehearse(row: StoredMemory, regime: Regime, at: datetime, *, prover: Prover) -> str:
    try:
        if prover.proven_cause(row) is not None:
            return "purged"
        return "purged" if evaluate_row(row, regime, at).state == "PURGED" else "moved"
    except Exception:  # a real sweep would find it and go on
        return "failed"
