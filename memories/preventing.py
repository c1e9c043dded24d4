"""What holds kept from destruction: due by all that decides it, and not destroyed.

A row under a hold (or an open request) has no purge date; `due_at` says when it would be destroyed
without. When that comes the sweep notes it under each hold once, and forgets `due_at` until the
dates of the row are decided again: so what is held for years is not looked at every minute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from django.conf import settings
from django.db import transaction

from memories.dating import Regime, evaluate_row, holds_matching, regime_of, with_dates
from memories.rows import StoredMemory
from memories.statements import sweep, upsert
from memories.statements.sweep import Area
from memories.statements.together import Together
from memories.sweeps.evidence import PUSH_FORWARD, note_failure
from policies.preventing import Prevented, note_prevented
from tenants.context import now
from tenants.snapshots import tenant_settings


def note_suspended_chunk(area: Area, *, at: datetime | None) -> Counter[str] | None:
    """Note one chunk of what is due and suspended; None when nothing is left."""
    with transaction.atomic():
        at, regime = at or now(), regime_of(tenant_settings())
        rows = sweep.lock_suspended(area, at=at, limit=settings.SWEEP_CHUNK)
        if not rows:
            return None
        dated, prevented, failed = [], [], 0
        for row in rows:
            try:
                decided = with_dates(row, regime, at)
                if decided.due_at is not None and decided.due_at <= at:
                    prevented += prevented_of(row, regime, at)
                    decided = replace(decided, due_at=None)
            except Exception as error:  # a poisoned row must not stop the others
                note_failure(row, error, at=at)
                failed += 1
                decided = replace(row, due_at=at + PUSH_FORWARD)
            dated.append(decided)
        together = Together()
        upsert.update_dates(together, dated)
        together.run()
        return Counter(held=note_prevented(prevented), looked_at=len(rows), failed=failed)


def prevented_of(row: StoredMemory, regime: Regime, at: datetime) -> list[Prevented]:
    """What a hold prevents of a row whose purge is due at this instant, if one does."""
    found = evaluate_row(row, regime, at)
    if found.kept_by != "held" or found.due_at is None or found.due_at > at:
        return []
    return [Prevented(row.id, holds_matching(row, regime), found.cause or "expire", found.due_at)]


def note_kept(rows: Sequence[StoredMemory], cause: str, regime: Regime, at: datetime) -> int:
    """Count these rows under their open holds: something of them would have been lost now."""
    return note_prevented(Prevented(row.id, holds_matching(row, regime), cause, at) for row in rows)
