"""Reading one memory by key. An agent's read counts as access, restarts the TTL, and is an event.

All of it is one statement (`statements.lookup.read_one`), committed without waiting for the disk.
What is hidden, of another tenant or outside the caller's prefixes is Missing: the three cannot be
told apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from audit.recording import Facts, Target, draft
from memories.bounding import Budget
from memories.dating import regime_of, with_dates
from memories.namespaces import covers, encode
from memories.ops import GetOp
from memories.rows import TOUCHED, StoredMemory
from memories.statements import upsert
from memories.statements.lookup import (
    ID_SLOT,
    Reading,
    find_by_ids,
    find_visible,
    lock_by_id,
    read_one,
    read_page,
)
from memories.statements.together import Together
from memoryhub.errors import Missing
from tenants.authorising import require
from tenants.context import current_actor, fixed_plans, now, relaxed_commit
from tenants.roles import Action
from tenants.snapshots import tenant_settings

Found = tuple[StoredMemory, tuple[Any, ...]]


def get_memory(op: GetOp) -> StoredMemory:
    """The visible memory under a key, as it is after this read. Raises Missing."""
    actor = require(Action.READ_VALUES)
    with relaxed_commit(when=not actor.is_person), fixed_plans(), transaction.atomic():
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
    event = draft("memory.get", Target("memory", ID_SLOT, path), Facts(subjects=None))
    found = read_one(path, op.key, reading, event)
    return None if found is None else with_touches([found], reading, restores=True)[0]


READ_CHUNK = 500


def read_memories(ops: Sequence[GetOp], budget: Budget) -> list[StoredMemory | None]:
    """Many reads inside the caller's transaction, by position: two statements for each 500.

    One event for each 500, with the ids of what was returned. Raises Invalid when the values take
    more than the budget has left.
    """
    actor = require(Action.READ_VALUES)
    keys = [(encode(op.namespace), op.key) for op in ops]
    rows: dict[tuple[str, str], StoredMemory] = {}
    for refresh in dict.fromkeys(op.refresh_ttl for op in ops):
        asked = [
            key
            for key, op in zip(keys, ops, strict=True)
            if op.refresh_ttl is refresh and covers(actor.prefixes, key[0])
        ]
        wanted = list(dict.fromkeys(asked))
        for start in range(0, len(wanted), READ_CHUNK):
            chunk = wanted[start : start + READ_CHUNK]
            rows |= {(row.namespace, row.key): row for row in _read_chunk(chunk, refresh, budget)}
    return [rows.get(key) for key in keys]


def _read_chunk(
    keys: Sequence[tuple[str, str]], refresh: bool | None, budget: Budget
) -> list[StoredMemory]:
    reading = reading_of(refresh)
    found = find_visible(keys, at=reading.at)
    budget.spend(sum(size for _, size in found.values()))
    ids = [identifier for identifier, _ in found.values()]
    if not ids:
        return []
    event = draft(
        "memory.batch",
        Target("batch"),
        Facts(
            subjects=None,
            counts={"returned": len(ids)},
            links={"ids": [str(one) for one in ids]},
        ),
    )
    page = read_page(ids, reading, event)
    return with_touches(list(page.values()), reading, restores=True)


def reading_of(refresh_ttl: bool | None) -> Reading:
    """How this caller's read touches what it returns: agents' reads count, people's do not."""
    tenant = tenant_settings()
    refresh = tenant.refresh_on_read if refresh_ttl is None else refresh_ttl
    return Reading(
        at=now(),
        counted=not current_actor().is_person,
        refresh=refresh,
        trash=timedelta(days=tenant.trash_days),
        staging=tenant.staged_ruleset > 0,
    )


def with_touches(
    found: Sequence[Found], reading: Reading, *, restores: bool = False
) -> list[StoredMemory]:
    """Rows as they are after the touch; where rules speak, the engine says what it changed.

    `restores`: an agent reads them by key or id, which brings archived ones back.
    """
    rows: list[StoredMemory] = []
    due: list[UUID] = []
    for row, touched in found:
        is_locked = touched[0] is not None
        if is_locked:
            row = row.but(**dict(zip(TOUCHED, touched, strict=True)))
        returns = restores and reading.counted and row.is_archived(reading.at)
        if returns and not is_locked:  # touched in this very second: the touch left it alone
            locked = lock_by_id(row.id)
            is_locked = locked is not None and locked.is_visible(reading.at)
        if is_locked and (row.ruled or returns or reading.staging):
            due.append(row.id)
        rows.append(row)
    redated = _redate(due, reading, restores=restores) if due else {}
    return [redated.get(row.id, row) for row in rows]


def touched_of(row: StoredMemory) -> tuple[Any, ...]:
    """What a touch changed, of a row read after it in the same transaction."""
    return tuple(getattr(row, name) for name in TOUCHED)


def _redate(ids: Sequence[UUID], reading: Reading, *, restores: bool) -> dict[UUID, StoredMemory]:
    """The dates of rows that we have locked, by their facts of now: what somebody else committed
    after the page was looked up and before it was locked is not in the page."""
    regime, redated = regime_of(tenant_settings()), {}
    for row in find_by_ids(ids).values():
        if restores and reading.counted and row.is_archived(reading.at):
            row = row.but(restored_at=reading.at)
        if reading.refresh and row.ttl is not None:
            row = row.but(ttl_expires_at=reading.at + row.ttl)
        redated[row.id] = with_dates(row, regime, reading.at)
    together = Together()
    upsert.update_dates(together, list(redated.values()))
    together.run()
    return redated
