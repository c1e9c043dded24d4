"""What a detector took out of use, and what an officer decides about it.

*Release*: it was no secret; the original goes into use, with everything milder (masks, tokens)
still done to it. *Redact*: it goes into use as it is shown now, the original is destroyed, or stays
sealed as long as a hold or a floor protects it.
*Destroy*: the original is destroyed unless a hold or a floor keeps it, and the memory leaves by the
trash, with a tombstone in the end. Nothing is decided while another memory holds the key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from audit.recording import Facts, Target, record
from memories.dating import evaluate_row, regime_of, regime_to_destroy_by, with_dates
from memories.inspecting import Inspected, find_memory, inspect_row
from memories.models import Memory
from memories.preventing import note_kept
from memories.protecting import guard_of_now, open_value
from memories.reasons import check_reason
from memories.rewriting import Rewritten, rewrite, with_content
from memories.rows import StoredMemory
from memories.statements import scans, upsert
from memories.statements.lookup import lock_by_id, lock_by_keys
from memories.statements.together import Together
from memories.strict_json import read_exactly
from memoryhub.errors import Conflict, Denied, Missing
from privacy.acting import HARD, protect_value
from privacy.choosing import Scope
from privacy.models import PiiFinding
from sealing.originals import SealRefused
from tenants.authorising import require
from tenants.context import now
from tenants.roles import Action
from tenants.snapshots import tenant_settings

Decision = Literal["release", "redact", "destroy"]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A quarantined memory, and what was found in it: (entity, path, count)."""

    memory: Any
    found: list[tuple[str, str, int]]

    @property
    def because(self) -> str:
        """`detected`, or `overdue` when nobody looked at it in time."""
        return "detected" if self.memory.scanned_at is not None else "overdue"


def find_quarantined() -> QuerySet[Any, Any]:
    """What waits for a decision, for a list to page through. People only."""
    actor = require(Action.READ_VALUES)
    if not actor.is_person:
        raise Denied("Only people may do this.", code="people_only")
    rows = Memory.objects.all().filter(quarantined_at__isnull=False)
    below = Q(pk__in=[])
    for prefix in actor.prefixes:
        below |= Q(namespace__startswith=prefix)
    rows = rows if "" in actor.prefixes else rows.filter(below)
    return rows.defer("value", "sealed", "lexemes", "source")


def list_quarantined(*, limit: int) -> list[Waiting]:
    """The newest of what waits for a decision."""
    rows = find_quarantined()
    with transaction.atomic():
        return [describe(row) for row in rows.order_by("-quarantined_at", "-id")[:limit]]


def open_quarantined(identifier: UUID) -> Waiting:
    """One that waits for a decision. Raises Missing."""
    rows = find_quarantined()
    with transaction.atomic():
        row = rows.filter(id=identifier).first()
        if row is None:
            raise Missing("There is nothing quarantined of this name.")
        return describe(row)


def describe(memory: Any) -> Waiting:
    """What was found in a quarantined memory; in the transaction of the list."""
    findings = PiiFinding.objects.all().of_memory(memory.id, memory.version)
    return Waiting(memory, list(findings.values_list("entity", "path", "count")))


def decide_quarantined(identifier: UUID, *, decision: Decision, reason: str) -> Inspected:
    """Apply an officer's decision. Missing, Gone, Conflict `invalid_state`, `key_taken`."""
    actor = require(Action.GOVERN_MEMORY)
    if not actor.is_person:
        raise Denied("Only people may do this.", code="people_only")
    reason = check_reason(reason)
    with transaction.atomic():
        row, in_the_way = _gather(identifier)
        at = now()
        if decision == "destroy":
            decided = _destroy(row, at)
        else:
            decided = _return(row, in_the_way, is_released=decision == "release", at=at)
        record(
            "privacy.decide",
            Target("memory", str(row.id), row.namespace),
            Facts(subjects=None, links={"decision": decision, "reason": reason}),
        )
        return inspect_row(decided)


def _gather(identifier: UUID) -> tuple[StoredMemory, StoredMemory | None]:
    """The quarantined row, and a visible one that holds its key, locked by key first."""
    seen = find_memory(identifier)
    holder = lock_by_keys([(seen.namespace, seen.key)]).get((seen.namespace, seen.key))
    row = lock_by_id(identifier) or find_memory(identifier)
    if row.quarantined_at is None:
        state = evaluate_row(row, regime_of(tenant_settings()), now()).state
        raise Conflict("It is not quarantined.", state=state)
    return row, None if holder is None or holder.id == row.id else holder


def _destroy(row: StoredMemory, at: datetime) -> StoredMemory:
    regime = regime_to_destroy_by(tenant_settings(), at)
    gone = replace(row, quarantined_at=None, deleted_at=at, trashed_at=at)
    kept_by = evaluate_row(gone, regime, at).kept_by
    if kept_by:  # until what keeps it has ended
        gone = replace(gone, original_kept_at=at)
    else:
        upsert.seal_originals([(row.id, None)])
    if kept_by == "held":
        note_kept([gone], "quarantine", regime, at)
    gone = with_dates(gone, regime, at)
    _update_dates([gone])
    return gone


def _return(
    row: StoredMemory, in_the_way: StoredMemory | None, *, is_released: bool, at: datetime
) -> StoredMemory:
    if in_the_way is not None and in_the_way.is_visible(at):
        raise Conflict("Another memory has its key now.", code="key_taken")
    if in_the_way is not None:
        _update_dates([replace(in_the_way, trashed_at=at)])
    guard = replace(guard_of_now(), refuses=False)
    if is_released:
        guard = replace(guard, lifted=HARD)
    value = read_exactly(_original_of(row))
    row = replace(row, quarantined_at=None, trashed_at=None, updated_at=at)
    regime = regime_to_destroy_by(tenant_settings(), at)
    found = evaluate_row(row, regime, at)
    scope = Scope(row.namespace, row.kind, keeps_originals=found.protects_original)
    protected = protect_value(value, guard, scope)
    row = with_content(row, protected.value).as_scanned(guard.regime.tag, at)
    if found.protects_original and (protected.keeps_lost or not is_released):
        row = replace(row, original_kept_at=at)
    row = with_dates(row, regime, at)
    rewrite([Rewritten(row, protected)], at=at)
    if is_released or not found.protects_original:
        upsert.seal_originals([(row.id, None)])
    elif found.kept_by == "held":
        note_kept([row], "redact", regime, at)
    return row


def _original_of(row: StoredMemory) -> str:
    sealed = scans.sealed_of(row.id)
    if sealed is None:
        return row.value
    try:
        return open_value(sealed, row.id)
    except SealRefused as refused:
        raise Conflict(str(refused), code=refused.code) from None


def _update_dates(rows: Sequence[StoredMemory]) -> None:
    together = Together()
    upsert.update_dates(together, rows)
    together.run()
