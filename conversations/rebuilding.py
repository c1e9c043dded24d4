"""Learned memories that lost a source are made anew from the candidates that remain.

An erasure destroys a memory that several people's candidates made. Those of the others wait again
as if nobody had promoted them, and the next promotion weighs them by its own rules: enough of them
make the memory again, too few wait for another mention or for their end.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from uuid import UUID

from conversations.candidates import KIND
from conversations.models import OpenCandidate
from conversations.weighing import LEARNED
from memories.models import Memory
from memories.rows import StoredMemory
from tenants.context import now


def is_learned(row: StoredMemory) -> bool:
    """Whether the hub itself made it of what was said: a candidate, or what candidates became,
    under a key of its own and with its reason."""
    if row.kind == KIND and row.tier == "short":
        return True
    return row.key.startswith(LEARNED) and _reason_of(row) is not None


def _reason_of(row: StoredMemory) -> str | None:
    source = json.loads(row.source) if row.source else None
    return source.get("promotion") if isinstance(source, dict) else None


def reopen_candidates(row: StoredMemory, sources: Sequence[UUID]) -> list[UUID]:
    """Let promotion take these sources of a learned memory again; which of them still can be.

    A candidate has a message for a source, which says what it says: it is not read again.
    """
    visible = Memory.objects.all().visible(now())
    ids = list(visible.filter(id__in=list(sources), kind=KIND).values_list("id", flat=True))
    marked = _reason_of(row) == "marked"
    OpenCandidate.objects.bulk_create(
        [OpenCandidate(id=one, noted_at=now(), marked=marked) for one in ids],
        ignore_conflicts=True,
    )
    return ids
