"""What a sweep has to do about a memory beside hiding and destroying it, and when. Pure.

`acts_at` of a row is the earliest of these, stored to be indexed and judged again under the row's
lock like every date. What was done already leaves a mark in the row (`archive_noted_at`,
`anonymised_at`, the weight), so that nothing is done or counted twice.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from memories.rows import StoredMemory
from policies.outcomes import Evaluation

Act = Literal["archive", "degrade", "lift", "anonymise", "unseal"]
"""`lift`: no degrade rule applies any more, the weight comes back. `unseal`: what protected a
sealed original has ended, it is destroyed."""

FULL_WEIGHT = 1.0


def list_acts(found: Evaluation, row: StoredMemory) -> dict[Act, datetime]:
    """What is to be done about the row, each with the instant from which on; some lie ahead."""
    acts: dict[Act, datetime | None] = {
        "archive": _archive(found, row),
        "degrade": _degrade(found, row),
        "lift": None if _is_degraded(found) or row.weight == FULL_WEIGHT else found.at,
        "anonymise": _anonymise(found, row),
        "unseal": _unseal(found, row),
    }
    return {act: instant for act, instant in acts.items() if instant is not None}


def next_act_at(found: Evaluation, row: StoredMemory) -> datetime | None:
    """The earliest of them."""
    return min(list_acts(found, row).values(), default=None)


def review_date(found: Evaluation) -> datetime | None:
    """From when on it waits for a person's decision; None when it never does, or is held."""
    expiry, history = found.found.expiry, found.found.history
    if found.cause != "expire" or expiry is None or expiry.end != "review":
        return None
    if history.reviewed is not None or history.is_held or found.found.memory.quarantined:
        return None
    return found.visible_until


def lifted_weight(found: Evaluation, weight: float) -> float:
    """The weight a memory has whatever a sweep does: full as soon as no degrade rule applies."""
    return weight if _is_degraded(found) else FULL_WEIGHT


def _is_degraded(found: Evaluation) -> bool:
    return found.degrade_at is not None and found.degrade_at <= found.at


def _in_use(date: datetime, found: Evaluation) -> bool:
    return found.visible_until is None or date < found.visible_until


def _is_new(date: datetime, mark: datetime | None) -> bool:
    return mark is None or mark < date


def _archive(found: Evaluation, row: StoredMemory) -> datetime | None:
    date = found.archive_at
    is_due = date is not None and _in_use(date, found) and _is_new(date, row.archive_noted_at)
    return date if is_due else None


def _degrade(found: Evaluation, row: StoredMemory) -> datetime | None:
    date = found.degrade_at
    is_due = date is not None and _in_use(date, found) and row.weight != found.degrade_weight
    return date if is_due else None


def _anonymise(found: Evaluation, row: StoredMemory) -> datetime | None:
    date = found.anonymise_at
    if date is None or row.quarantined_at is not None:
        return None
    return date if _is_new(date, row.anonymised_at) else None


def _unseal(found: Evaluation, row: StoredMemory) -> datetime | None:
    """When the last hold or floor ends that keeps the originals of what was anonymised."""
    if row.original_kept_at is None:
        return None
    if not found.protects_original:
        return found.at
    floors = found.found.floors
    is_open = found.found.history.is_held or floors.is_open
    return None if is_open else floors.latest
