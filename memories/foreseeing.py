"""What a step of an officer would do to one memory, before it is taken. Nothing is changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db import transaction

from memories.dating import evaluate_row, moved_by_others, regime_of, with_dates
from memories.governing import check_label, lock_with_holder, refusal_of_restore
from memories.inspecting import find_memory
from memories.rows import StoredMemory
from policies.outcomes import Evaluation
from tenants.authorising import require
from tenants.context import now
from tenants.roles import Action
from tenants.snapshots import tenant_settings


@dataclass(frozen=True, slots=True)
class Foreseen:
    """The memory as it is and as it would be, with the engine's word on that; or what stands
    against the step (a code of `governing.REFUSALS`)."""

    before: StoredMemory
    after: StoredMemory
    evaluation: Evaluation
    at: datetime
    refusal: str | None = None


def foresee_restore(identifier: UUID) -> Foreseen:
    """Raises Missing, Gone."""
    require(Action.GOVERN_MEMORY)
    with transaction.atomic():
        row, in_the_way = lock_with_holder(identifier)
        at, regime = now(), regime_of(tenant_settings())
        refusal = refusal_of_restore(row, in_the_way, regime, at)
        after = replace(row, restored_at=at, trashed_at=None)
        return _foreseen(row, after, at, refusal)


def foresee_label(identifier: UUID, label: str | None) -> Foreseen:
    """Raises Missing, Gone, Invalid `invalid_label`."""
    require(Action.GOVERN_MEMORY)
    check_label(label)
    with transaction.atomic():
        row, at = find_memory(identifier), now()
        regime = regime_of(tenant_settings())
        after = moved_by_others(row, replace(row, label=label), regime, at)
        return _foreseen(row, after, at, None)


def foresee_delete(identifier: UUID) -> Foreseen:
    """Raises Missing, Gone. `not_visible`: it is out of use already."""
    require(Action.DELETE)
    with transaction.atomic():
        row, at = find_memory(identifier), now()
        refusal = None if row.is_visible(at) else "not_visible"
        return _foreseen(row, replace(row, deleted_at=at, trashed_at=at), at, refusal)


def _foreseen(
    row: StoredMemory, after: StoredMemory, at: datetime, refusal: str | None
) -> Foreseen:
    regime = regime_of(tenant_settings())
    dated = with_dates(after, regime, at)
    return Foreseen(row, dated, evaluate_row(dated, regime, at), at, refusal)
