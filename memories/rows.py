"""A memory as read from its table: one frozen dataclass, and the columns in its order. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any, Self
from uuid import UUID

SCAN_WITHIN = timedelta(hours=24)
"""From the writing to the scan for personal data: the duty of PRIVACY.md."""


@dataclass(frozen=True, slots=True)
class Dates:
    """What the rules decide about a memory, in the order of `statements.slots.DATED`."""

    visible_until: datetime | None
    purge_at: datetime | None
    archived_at: datetime | None
    rule: str | None
    flags: list[str]
    ruled: bool
    ruleset: int
    dates_moved_at: datetime | None
    due_at: datetime | None = None
    """Under a hold, request or restriction: when it would be destroyed without; else None."""
    acts_at: datetime | None = None
    """When a sweep has something else to do about it (`falling_due`)."""
    review_at: datetime | None = None
    """From when on it waits for a person's decision; None when it does not."""
    hidden_as: str | None = None
    """Its state once it is hidden; None (a row of before this was stored): TRASH."""


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """A row of memories_memory. `value` and `source` are JSON text, so that numbers stay exact."""

    id: UUID
    namespace: str
    key: str
    value: str
    kind: str
    tier: str
    session: str | None
    subjects: list[str]
    classes: list[str]
    tags: list[str]
    label: str | None
    source: str | None
    derived_from: list[UUID]
    source_caps: list[datetime]
    decay: float
    importance: float
    weight: float
    index_paths: list[str] | None
    content_hash: bytes
    version: int
    created_at: datetime
    updated_at: datetime
    accessed_at: datetime | None
    access_count: int
    ttl: timedelta | None
    ttl_expires_at: datetime | None
    visible_until: datetime | None
    purge_at: datetime | None
    ruled: bool
    rule: str | None
    flags: list[str]
    archived_at: datetime | None
    trashed_at: datetime | None
    deleted_at: datetime | None
    restored_at: datetime | None
    ruleset: int
    dates_moved_at: datetime | None
    embedding: str
    quarantined_at: datetime | None = None
    scan_due_at: datetime | None = None
    scanned_at: datetime | None = None
    detector: str = ""
    events: str = "{}"
    """Business events as JSON text: type → when it occurred."""
    due_at: datetime | None = None
    """As in `Dates`."""
    hold_ids: list[UUID] = field(default_factory=list)
    """Holds that stay with it whatever its subjects become (`policies.holding`)."""
    erasure_verified_at: datetime | None = None
    erasure_approved_at: datetime | None = None
    restricted_at: datetime | None = None
    source_erased_at: datetime | None = None
    acts_at: datetime | None = None
    """As in `Dates`."""
    review_at: datetime | None = None
    """As in `Dates`."""
    hidden_as: str | None = None
    """As in `Dates`."""
    reviewed_at: datetime | None = None
    """When a person decided, at the end of a review, that it be destroyed."""
    archive_noted_at: datetime | None = None
    anonymised_at: datetime | None = None
    original_kept_at: datetime | None = None
    """Since when originals of what was anonymised are kept sealed, under a hold or floor."""
    coming: Dates | None = None
    """Not a column: the dates under staged rules, where they were computed; else they stay."""

    @classmethod
    def of(cls, row: tuple[Any, ...]) -> Self:
        """From a row selected by `columns` (further columns of the row are ignored).

        Past `__init__`, which of a frozen class takes twice as long: pages are made of these.
        """
        one = object.__new__(cls)
        for put, value in zip(_PUTS, row, strict=False):
            put(one, value)
        _PUT_COMING(one, None)
        return one

    def but(self, **changes: Any) -> Self:
        """The row with some fields changed, past `__init__` too: for what every request does.
        Elsewhere `dataclasses.replace` serves, whose names the type checker knows."""
        one = object.__new__(type(self))
        for put, value in zip(_PUTS, values_of(self), strict=True):
            put(one, value)
        _PUT_COMING(one, self.coming)
        for name, value in changes.items():
            object.__setattr__(one, name, value)
        return one

    def is_visible(self, at: datetime) -> bool:
        """In use: not in the trash, and before its `visible_until`."""
        return self.trashed_at is None and (self.visible_until is None or at < self.visible_until)

    def as_scanned(self, detector: str, at: datetime) -> Self:
        """Looked at for personal data by these detectors and rules, now."""
        return self.but(scan_due_at=at + SCAN_WITHIN, scanned_at=at, detector=detector)

    def is_archived(self, at: datetime) -> bool:
        """Out of ordinary search, by its date."""
        return self.archived_at is not None and self.archived_at <= at


NAMES = tuple(one.name for one in fields(StoredMemory) if one.name != "coming")
WIDTH = len(NAMES)
values_of = attrgetter(*NAMES)
"""A row's values, in the order of the names."""
_PUTS = tuple(getattr(StoredMemory, name).__set__ for name in NAMES)
_PUT_COMING = StoredMemory.__dict__["coming"].__set__

TOUCHED = ("accessed_at", "access_count", "ttl_expires_at", "visible_until", "purge_at", "ruled")
"""What a read that counts changes."""


def columns(alias: str) -> str:
    """The select list of StoredMemory for a table alias such as `m`."""
    return ", ".join(f"{alias}.{name}" for name in NAMES)
