"""The review queue: what a rule took out of use until a person decides what becomes of it.

*Keep*: back into use; the rules count from now. *Destroy*: it goes as soon as its dates allow, with
no further days in the trash. *Label*: an officer's label, after which the rules speak anew: what
they take back into use is back, what they do not waits on.

A decision made twice is made once; about what waits for none it is refused.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from audit.recording import Facts, Target, record
from memories.dating import Regime, evaluate_row, moved_by_others, regime_of, with_dates
from memories.governing import (
    REFUSALS,
    check_label,
    lock_with_holder,
    refusal_of_restore,
    store_dates,
)
from memories.inspecting import Inspected, inspect_row
from memories.models import Memory
from memories.reasons import check_reason
from memories.rows import StoredMemory
from memories.statements import upsert
from memories.statements.slots import column
from memoryhub.errors import Conflict, Denied, Invalid, Missing
from tenants.actors import Actor
from tenants.authorising import require
from tenants.context import now
from tenants.roles import Action
from tenants.snapshots import tenant_settings

Decision = Literal["destroy", "keep", "label"]


def find_reviews() -> QuerySet[Any, Any]:
    """What waits for a decision, for a list to page through by `review_column()`. Officers."""
    actor = _require_officer()
    rows = Memory.objects.all().filter(
        **{f"{review_column()}__lte": Now()}, quarantined_at__isnull=True
    )
    below = Q(pk__in=[])
    for prefix in actor.prefixes:
        below |= Q(namespace__startswith=prefix)
    rows = rows if "" in actor.prefixes else rows.filter(below)
    return rows.defer("value", "sealed", "lexemes", "source")


def review_column() -> str:
    """The column that says since when a memory waits, in the slot that counts."""
    return column("review_at")


def list_reviews(*, limit: int) -> list[Any]:
    """Those that wait longest, at most `limit`."""
    with transaction.atomic():
        return list(find_reviews().order_by(review_column(), "id")[:limit])


def count_reviews() -> int:
    """How many wait."""
    with transaction.atomic():
        return int(find_reviews().count())


def open_review(identifier: UUID) -> Any:
    """One that waits. Raises Missing."""
    with transaction.atomic():
        row = find_reviews().filter(id=identifier).first()
    if row is None:
        raise Missing("Nothing of this name waits for a review.")
    return row


def decide_review(
    identifier: UUID, *, decision: Decision, reason: str, label: str | None = None
) -> Inspected:
    """Apply a decision. Missing, Gone, Invalid, Conflict `invalid_state` and those of a restore."""
    _require_officer()
    reason = check_reason(reason)
    _check_label_given(decision, label)
    with transaction.atomic():
        row, in_the_way = lock_with_holder(identifier)
        at, regime = now(), regime_of(tenant_settings())
        state = evaluate_row(row, regime, at).state
        if _is_done(row, state, decision=decision, label=label):
            return inspect_row(row)
        if state != "IN_REVIEW":
            raise Conflict("It does not wait for a review.", state=state)
        if decision == "destroy":
            decided = replace(row, reviewed_at=at, trashed_at=row.trashed_at or at)
            decided = with_dates(decided, regime, at)
        elif decision == "keep":
            decided = _keep(row, in_the_way, regime, at)
        else:
            decided = _label(row, in_the_way, regime, at, label=label)
        store_dates(decided)
        record(
            "review.decide",
            Target("memory", str(row.id), row.namespace),
            Facts(
                subjects=None,
                ruleset=decided.ruleset,
                links={"decision": decision, "reason": reason, "label": label},
            ),
        )
        return inspect_row(decided)


def _require_officer() -> Actor:
    actor = require(Action.GOVERN_MEMORY)
    if not actor.is_person:
        raise Denied("Only people may do this.", code="people_only")
    return actor


def _check_label_given(decision: Decision, label: str | None) -> None:
    if (decision == "label") != (label is not None):
        raise Invalid.at("label", "not_together", "A label belongs to the decision `label`.")
    check_label(label)


def _is_done(row: StoredMemory, state: str, *, decision: Decision, label: str | None) -> bool:
    """Whether this very decision stands already."""
    if state == "IN_REVIEW":
        return False
    if decision == "destroy":
        return row.reviewed_at is not None and row.trashed_at is not None
    if decision == "keep":
        return row.restored_at is not None and row.trashed_at is None
    return row.label == label


def _keep(
    row: StoredMemory, in_the_way: StoredMemory | None, regime: Regime, at: datetime
) -> StoredMemory:
    refusal = refusal_of_restore(row, in_the_way, regime, at)
    if refusal is not None:
        raise Conflict(REFUSALS[refusal], code=refusal)
    _clear_the_way(in_the_way, at)
    return with_dates(replace(row, restored_at=at, trashed_at=None), regime, at)


def _label(
    row: StoredMemory, in_the_way: StoredMemory | None, regime: Regime, at: datetime, *,
    label: str | None,
) -> StoredMemory:  # fmt: skip
    labelled = moved_by_others(row, replace(row, label=label), regime, at)
    labelled = with_dates(labelled, regime, at)
    if evaluate_row(labelled, regime, at).visible:
        if in_the_way is not None and in_the_way.is_visible(at):
            raise Conflict(REFUSALS["key_taken"], code="key_taken")
        _clear_the_way(in_the_way, at)
        labelled = replace(labelled, trashed_at=None)
    upsert.update_label(labelled)
    return labelled


def _clear_the_way(in_the_way: StoredMemory | None, at: datetime) -> None:
    """A row that is out of use and not yet in the trash holds the key: it goes there."""
    if in_the_way is not None:
        store_dates(replace(in_the_way, trashed_at=at))
