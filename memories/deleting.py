"""Deleting: out of use now, restorable while in the trash, destroyed by a later sweep.

A delete frees the key at once: the row goes to the trash, so the next put makes a new memory with
a new id, and the old one keeps its id and history. What is hidden already is not touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.db import transaction

from audit.recording import Facts, Target, append, draft
from memories.dating import evaluate_row, regime_of, with_dates
from memories.namespaces import covers, encode, narrow
from memories.ops import DeleteNamespaceOp, DeleteOp
from memories.rows import StoredMemory
from memories.statements import upsert
from memories.statements.lookup import lock_by_keys, lock_visible_below
from memories.statements.together import Together
from memoryhub.errors import Denied
from tenants.authorising import require
from tenants.context import now
from tenants.roles import Action
from tenants.snapshots import tenant_settings

CHUNK = 500


@dataclass(frozen=True, slots=True)
class DeletedNamespace:
    """Matched: visible to the caller; deleted: hidden now; kept: bytes outlive the trash."""

    matched: int
    deleted: int
    kept: dict[str, int]


def delete_memory(op: DeleteOp) -> None:
    """Take one item out of use; missing is no error. Raises Denied `outside_prefix`."""
    require_inside(encode(op.namespace))
    with transaction.atomic():
        delete_keys([(encode(op.namespace), op.key)])


def require_inside(path: str) -> None:
    """A delete outside the caller's prefixes is denied, whether or not the item exists."""
    actor = require(Action.DELETE)
    if not covers(actor.prefixes, path):
        raise Denied("The key may not delete there.", code="outside_prefix")


def delete_keys(keys: Sequence[tuple[str, str]]) -> list[UUID]:
    """Trash the visible rows under these keys, in the caller's transaction; their ids."""
    at = now()
    rows = [row for row in lock_by_keys(sorted(set(keys))).values() if row.is_visible(at)]
    _trash(rows)
    return [row.id for row in rows]


def _trash(rows: Sequence[StoredMemory]) -> list[StoredMemory]:
    if not rows:
        return []
    at, regime = now(), regime_of(tenant_settings())
    trashed = [with_dates(replace(row, deleted_at=at, trashed_at=at), regime, at) for row in rows]
    together = Together()
    upsert.update_dates(together, trashed)
    together.run()
    append(
        draft(
            "memory.delete",
            Target("memory", str(row.id), row.namespace),
            Facts(ruleset=row.ruleset, counts={"version": row.version}),
        )
        for row in trashed
    )
    return trashed


def delete_namespace(op: DeleteNamespaceOp) -> DeletedNamespace:
    """Everything the caller can see below a prefix, in chunks; a dry run only counts."""
    actor = require(Action.DELETE)
    asked = encode(op.namespace_prefix)
    prefixes = narrow(actor.prefixes, asked)
    if not prefixes:
        raise Denied("The key may not delete there.", code="outside_prefix")
    matched = deleted = 0
    kept: dict[str, int] = {}
    after: UUID | None = None
    while True:
        with transaction.atomic():
            rows = lock_visible_below(prefixes, at=now(), after=after, limit=CHUNK)
            at, regime = now(), regime_of(tenant_settings())
            ends = [evaluate_row(replace(row, deleted_at=at), regime, at) for row in rows]
            if not op.dry_run:
                _trash(rows)
        matched += len(rows)
        deleted += 0 if op.dry_run else len(rows)
        for end in ends:
            if end.kept_by in ("held", "floor", "statutory_floor"):
                kept[end.kept_by] = kept.get(end.kept_by, 0) + 1
        if len(rows) < CHUNK:
            return DeletedNamespace(matched, deleted, kept)
        after = rows[-1].id
