"""What a subject request does to memories: restrict them, erase them, let them go again.

Each function takes one chunk in its own transaction, the rows locked in the order of writers, and
asks the engine for the dates; nothing here decides by itself what may be destroyed. A purge asks
once more under the lock, with the holds of that very moment (`regime_to_destroy_by`), so a hold
placed in between wins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db import transaction

from audit.recording import Facts, Target, append, draft
from memories.dating import evaluate_row, regime_of, regime_to_destroy_by, with_dates
from memories.models import Tombstone
from memories.naming import pattern_of, without_name
from memories.preventing import prevented_of
from memories.rows import StoredMemory
from memories.statements import sweep, upsert
from memories.statements.requested import lock_requested
from memories.statements.together import Together
from memories.sweeps.evidence import digest_of
from policies.preventing import note_prevented
from tenants.context import now
from tenants.snapshots import tenant_settings

CHUNK = 500
Fact = Literal["erasure_verified_at", "erasure_approved_at", "restricted_at", "source_erased_at"]


def chunks_of(ids: Sequence[UUID]) -> Iterator[Sequence[UUID]]:
    """The ids in transactions' worth."""
    for start in range(0, len(ids), CHUNK):
        yield ids[start : start + CHUNK]


def mark_requested(ids: Sequence[UUID], fact: Fact, at: datetime | None) -> int:
    """Set (or with None take away) what a request says of these memories; their dates follow.

    A fact that stands already is left as it is: the first instant counts. The rows changed.
    """
    changed = 0
    for chunk in chunks_of(ids):
        with transaction.atomic():
            change: dict[str, Any] = {fact: at}
            rows = [
                replace(row, **change)
                for row in lock_requested(chunk)
                if (getattr(row, fact) is None) is not (at is None)
            ]
            _store(rows)
            changed += len(rows)
    return changed


def _store(rows: Sequence[StoredMemory]) -> None:
    """These locked rows with the dates that their facts give now."""
    if rows:
        at, regime = now(), regime_of(tenant_settings())
        together = Together()
        upsert.update_dates(together, [with_dates(row, regime, at) for row in rows])
        together.run()


@dataclass(slots=True)
class Erased:
    """What an erasure of memories came to: destroyed, and kept by ground."""

    destroyed: list[UUID] = field(default_factory=list)
    kept: dict[UUID, str] = field(default_factory=dict)
    kinds: Counter[str] = field(default_factory=Counter)
    """Destroyed ones by store: memories, short_term, candidates."""

    def grounds(self) -> Counter[str]:
        """How many are kept on which ground."""
        return Counter(self.kept.values())


def store_of(row: StoredMemory) -> str:
    """Under which name a certificate counts this memory."""
    if row.kind == "candidate":
        return "candidates"
    return "short_term" if row.tier == "short" else "memories"


def erase_chunk(ids: Sequence[UUID], *, subject: str, into: Erased) -> None:
    """Destroy those of these approved memories that nothing keeps; the others are restricted."""
    with transaction.atomic():
        at = now()
        rows = lock_requested(ids)
        regime = regime_to_destroy_by(tenant_settings(), at)
        doomed, kept, prevented = [], [], []
        for row in rows:
            found = evaluate_row(row, regime, at)
            if found.state == "PURGED":
                doomed.append(row)
                into.kinds[store_of(row)] += 1
                continue
            into.kept[row.id] = found.kept_by or "not_due"
            prevented += prevented_of(row, regime, at)
            kept.append(with_dates(row, regime, at))
        if kept:
            together = Together()
            upsert.update_dates(together, [replace(row, due_at=None) for row in kept])
            together.run()
            note_prevented(prevented)
        if doomed:
            _purge(doomed, subject, at, regime.ruleset)
            into.destroyed += [row.id for row in doomed]


def _purge(rows: Sequence[StoredMemory], subject: str, at: datetime, ruleset: int) -> None:
    """The tombstones do not name the person, though the addresses of the memories may have."""
    event = draft(
        "request.purge",
        Target("namespace", "", None),
        Facts(ruleset=ruleset, counts={"n": len(rows)}, links={"digest": digest_of(rows)}),
    )
    nameless = [replace(row, namespace=without_name(row.namespace, subject)) for row in rows]
    sweep.purge([(row, "erasure") for row in nameless], at=at, event_id=event.id)
    append([event])


def unname_tombstones(subject: str) -> int:
    """Tombstones of earlier purges name the person no more; how many did."""
    pattern = pattern_of(subject)
    if not pattern:
        return 0
    with transaction.atomic():
        stones = list(Tombstone.objects.filter(namespace__regex=pattern))
        for stone in stones:
            stone.namespace = without_name(stone.namespace, subject)
            stone.save(update_fields=["namespace"])
    return len(stones)
