"""Counting what holds prevent: each destruction once for a memory and a hold, by what came first.

Whoever was about to destroy something and finds a hold over it says so here, in the transaction in
which it keeps its hands off. A memory whose purge date passes under a hold is noted by the sweep;
what would have gone in another way (an old version pruned, an original redacted) by whoever did
not do it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

import orjson
from django.db import connection

from audit.recording import Facts, Target, append, draft
from policies.holding import StandingHold
from tenants.context import current_tenant_id, now
from tenants.ids import uuid7

Cause = Literal[
    "erasure", "request", "restriction", "cap", "expire", "ttl", "delete", "versions", "anonymise",
    "redact", "quarantine", "original",
]  # fmt: skip
CAUSES: tuple[Cause, ...] = Cause.__args__  # type: ignore[attr-defined]

_KEEP = (
    "INSERT INTO policies_prevention "
    "(tenant_id, id, hold_id, memory_id, cause, due_at, prevented_at) "
    "SELECT %s, d.id, d.hold_id, d.memory_id, d.cause, d.due_at, %s "
    "FROM json_to_recordset(%s::json) AS d "
    "(id uuid, hold_id uuid, memory_id uuid, cause text, due_at timestamptz) "
    "ORDER BY d.hold_id, d.memory_id "
    "ON CONFLICT (tenant_id, hold_id, memory_id) DO NOTHING RETURNING hold_id"
)


@dataclass(frozen=True, slots=True)
class Prevented:
    """A memory that is kept by holds, what would have destroyed it, and when that was due."""

    memory_id: UUID
    holds: Sequence[StandingHold]
    cause: str
    due_at: datetime


def note_prevented(kept: Iterable[Prevented]) -> int:
    """Count these under their open holds, those not counted yet; how many there were."""
    rows = [
        {"id": uuid7(), "hold_id": hold.id, "memory_id": one.memory_id, "cause": one.cause,
         "due_at": one.due_at}
        for one in kept
        for hold in one.holds
        if hold.is_open
    ]  # fmt: skip
    if not rows:
        return 0
    with connection.cursor() as cursor:
        cursor.execute(_KEEP, [current_tenant_id(), now(), orjson.dumps(rows).decode()])
        counted = Counter(row[0] for row in cursor.fetchall())
    append(
        draft("hold.prevent", Target("hold", str(hold)), Facts(counts={"n": count}))
        for hold, count in sorted(counted.items())
    )
    return counted.total()
