"""Reading one memory by key. An agent's read counts as access, restarts the TTL, and is an event.

All of it is one statement (`statements.lookup.read_one`), committed without waiting for the disk.
What is hidden, of another tenant or outside the caller's prefixes is Missing: the three cannot be
told apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.db import transaction

from audit.recording import Target, draft
from memories.dating import regime_of, with_dates
from memories.namespaces import covers, encode
from memories.ops import GetOp
from memories.rows import StoredMemory
from memories.statements import upsert
from memories.statements.lookup import ID_SLOT, Reading, read_one
from memories.statements.together import Together
from memoryhub.errors import Missing
from tenants.authorising import require
from tenants.context import current_actor, now, relaxed_commit
from tenants.roles import Action
from tenants.snapshots import tenant_settings

Found = tuple[StoredMemory, tuple[Any, ...]]
TOUCHED = ("accessed_at", "access_count", "ttl_expires_at", "visible_until", "purge_at")


def get_memory(op: GetOp) -> StoredMemory:
    """The visible memory under a key, as it is after this read. Raises Missing."""
    actor = require(Action.READ_VALUES)
    with relaxed_commit(when=not actor.is_person), transaction.atomic():
        row = read_memory(op)
    if row is None:
        raise Missing("There is no such item.")
    return row


def read_memory(op: GetOp) -> StoredMemory | None:
    """As `get_memory`, inside the caller's transaction; None where nothing is to be seen."""
    actor = require(Action.READ_VALUES)
    path = encode(op.namespace)
    if not covers(actor.prefixes, path):
        return None
    reading = reading_of(op.refresh_ttl)
    event = draft("memory.get", Target("memory", ID_SLOT, path))
    found = read_one(path, op.key, reading, event)
    return None if found is None else with_touches([found], reading)[0]


def reading_of(refresh_ttl: bool | None) -> Reading:
    """How this caller's read touches what it returns: agents' reads count, people's do not."""
    tenant = tenant_settings()
    refresh = tenant.refresh_on_read if refresh_ttl is None else refresh_ttl
    return Reading(
        at=now(),
        counted=not current_actor().is_person,
        refresh=refresh,
        trash=timedelta(days=tenant.trash_days),
    )


def with_touches(found: Sequence[Found], reading: Reading) -> list[StoredMemory]:
    """Rows as they are after the touch; where rules speak, the engine says what it changed."""
    rows, redated = [], []
    for row, touched in found:
        if touched[0] is not None:
            row = replace(row, **dict(zip(TOUCHED, touched, strict=True)))
            if row.ruled:
                row = _redate(row, reading)
                redated.append(row)
        rows.append(row)
    if redated:
        together = Together()
        upsert.update_dates(together, redated)
        together.run()
    return rows


def _redate(row: StoredMemory, reading: Reading) -> StoredMemory:
    if reading.refresh and row.ttl is not None:
        row = replace(row, ttl_expires_at=reading.at + row.ttl)
    return with_dates(row, regime_of(tenant_settings()), reading.at)
