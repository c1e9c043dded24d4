"""Hiding: what is out of use goes to the trash, or waits there for a person's decision."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from django.conf import settings
from django.db import transaction

from audit.recording import Facts, Target, record
from memories.statements import sweep
from memories.statements.sweep import BEGINNING
from memories.sweeps.evidence import digest_of_ids
from memories.sweeps.plans import Plan
from memories.sweeps.purging import Chunk


def hide_chunk(plan: Plan, *, since: datetime = BEGINNING) -> Chunk | None:
    """One chunk of what is out of use; None when nothing is left. `to_review` are among `hidden`.

    The stored date is taken as it is: reads have said by it that the memory is gone.
    """
    with transaction.atomic():
        at, area = plan.instant(), plan.hides
        hidden = sweep.hide_expired(area, at=at, limit=settings.SWEEP_CHUNK, since=since)
        if not hidden:
            return None
        counts = Counter(hidden=len(hidden), to_review=sum(waits for _, _, waits in hidden))
        record(
            "sweep.hide",
            Target("namespace", namespace=area.covered),
            Facts(
                counts={"n": counts["hidden"], "to_review": counts["to_review"]},
                links={"digest": digest_of_ids(one for one, _, _ in hidden)},
            ),
        )
    return Chunk(counts, max(until for _, until, _ in hidden))
