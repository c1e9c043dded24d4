"""What officers do to one memory: restore it from the trash, put a label on it or take it off.

Both change its dates. A label that moves the purge earlier starts the notice period
(`dates_moved_at`): nothing is destroyed sooner than that because somebody other than the writer
changed something.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.db import transaction

from audit.recording import Facts, Target, record
from audit.repeating import settle
from memories.dating import Regime, evaluate_row, moved_by_others, regime_of, with_dates
from memories.inspecting import Inspected, find_memory, inspect_row
from memories.protecting import guard_of_now
from memories.reasons import check_reason
from memories.rows import StoredMemory
from memories.statements import upsert
from memories.statements.lookup import lock_by_id, lock_by_keys
from memories.statements.together import Together
from memoryhub.errors import Conflict, Invalid
from privacy.acting import check_identifiers
from privacy.choosing import Scope
from tenants.authorising import require
from tenants.context import now
from tenants.roles import Action
from tenants.snapshots import tenant_settings

LABEL_BYTES = 256

REFUSALS = {
    "not_hidden": "It is in use.",
    "hidden_by_cap": "A cap ended its use; a cap cannot be undone.",
    "hidden_by_erasure": "It was erased.",
    "hidden_by_restriction": "Its use is restricted by a request.",
    "key_taken": "Another memory has its key now.",
    "quarantined": "It is quarantined: decide about it there.",
}


def restore_memory(identifier: UUID, *, reason: str) -> Inspected:
    """Back into use. Conflict with the code of what stands against it; Missing, Gone."""
    require(Action.GOVERN_MEMORY)
    reason = check_reason(reason)
    with transaction.atomic():
        row, in_the_way = lock_with_holder(identifier)
        at, regime = now(), regime_of(tenant_settings())
        refusal = refusal_of_restore(row, in_the_way, regime, at)
        if refusal is not None:
            raise Conflict(REFUSALS[refusal], code=refusal)
        if in_the_way is not None:
            store_dates(replace(in_the_way, trashed_at=at))
        restored = with_dates(replace(row, restored_at=at, trashed_at=None), regime, at)
        store_dates(restored)
        _record("memory.restore", restored, reason)
        settle({"id": str(identifier)})
        return inspect_row(restored)


def label_memory(identifier: UUID, *, label: str | None, reason: str) -> Inspected:
    """Set or take off the label; its dates follow at once. Missing, Gone, Invalid."""
    require(Action.GOVERN_MEMORY)
    reason = check_reason(reason)
    check_label(label)
    with transaction.atomic():
        row, _ = lock_with_holder(identifier)
        if label is not None:  # it stands in events and lists
            scope = Scope(row.namespace, row.kind)
            check_identifiers([("label", label)], guard_of_now(), scope)
        at, regime = now(), regime_of(tenant_settings())
        labelled = with_dates(
            moved_by_others(row, replace(row, label=label), regime, at), regime, at
        )
        store_dates(labelled)
        upsert.update_label(labelled)
        _record("memory.label", labelled, reason, label=label)
        settle({"id": str(identifier)})
        return inspect_row(labelled)


def check_label(label: str | None) -> None:
    """Raises Invalid `invalid_label`."""
    if label is not None and not 1 <= len(label.encode()) <= LABEL_BYTES:
        raise Invalid.at("label", "invalid_label", f"A label has 1 to {LABEL_BYTES} bytes.")


def lock_with_holder(identifier: UUID) -> tuple[StoredMemory, StoredMemory | None]:
    """The row, and another that holds its key, both locked (by key first, as writers do)."""
    seen = find_memory(identifier)
    holder = lock_by_keys([(seen.namespace, seen.key)]).get((seen.namespace, seen.key))
    row = lock_by_id(identifier) or find_memory(identifier)
    return row, None if holder is None or holder.id == row.id else holder


def refusal_of_restore(
    row: StoredMemory, in_the_way: StoredMemory | None, regime: Regime, at: datetime
) -> str | None:
    """The code of what stands against a restore."""
    if row.quarantined_at is not None:
        return "quarantined"
    refusal = evaluate_row(row, regime, at).restore_refusal
    if refusal is not None and not (refusal == "not_hidden" and row.trashed_at is not None):
        return refusal
    if in_the_way is not None and in_the_way.is_visible(at):
        return "key_taken"
    return None


def store_dates(row: StoredMemory) -> None:
    """The dates of one locked row."""
    together = Together()
    upsert.update_dates(together, [row])
    together.run()


def _record(action: str, row: StoredMemory, reason: str, **links: str | None) -> None:
    record(
        action,
        Target("memory", str(row.id), row.namespace),
        Facts(subjects=None, ruleset=row.ruleset, links={"reason": reason, **links}),
    )
