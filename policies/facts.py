"""What the engine is told: rules, one memory, the tenant's settings. Frozen, checked, in UTC.

Every instant is turned into UTC when a fact is built: adding a timedelta to a datetime of another
zone would add wall-clock time, and a rule's days are exact. A naive instant raises ValueError.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Final, Literal
from zoneinfo import ZoneInfo

Kind = Literal["keep", "expire", "cap", "archive", "anonymise", "degrade"]
End = Literal["trash", "review", "archive"]
Level = tuple[bool, int, bool, bool]

KINDS: Final[tuple[Kind, ...]] = ("keep", "expire", "cap", "archive", "anonymise", "degrade")
ENDS: Final[tuple[End, ...]] = ("trash", "review", "archive")  # at one date the first wins
EVENT: Final = "event:"


def in_utc(instant: datetime) -> datetime:
    """The same instant in UTC; ValueError for a naive one."""
    if instant.tzinfo is UTC:
        return instant
    if instant.utcoffset() is None:
        raise ValueError(f"an instant without an offset: {instant.isoformat()}")
    return instant.astimezone(UTC)


def _settle_in_utc(fact: object, names: tuple[str, ...]) -> None:
    for name in names:
        value = getattr(fact, name)
        if value is not None and value.tzinfo is not UTC:
            object.__setattr__(fact, name, in_utc(value))


@dataclass(frozen=True, slots=True)
class Duration:
    """A period: calendar months in the tenant's zone, then exact days, hours and minutes."""

    months: int = 0
    days: float = 0
    hours: float = 0
    minutes: float = 0
    exact: timedelta = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        exact = timedelta(days=self.days, hours=self.hours, minutes=self.minutes)
        object.__setattr__(self, "exact", exact)

    @property
    def is_zero(self) -> bool:
        """Whether nothing is added at all."""
        return not self.months and not self.exact


@dataclass(frozen=True, slots=True)
class Rule:
    """One clause of a rule set. Exactly one of `after` and `strength_below` is given.

    `level` is how narrow an expire rule is: label, namespace depth, kind, class, compared left to
    right. `event` is the type after `event:` in the anchor, else None.
    """

    key: str
    kind: Kind
    after: Duration | None = None
    strength_below: float | None = None
    anchor: str = "created"
    fallback: Duration | None = None
    namespace: tuple[str, ...] = ()
    memory_kind: str | None = None
    data_class: str | None = None
    label: str | None = None
    unless_accessed: int | None = None
    end: End = "trash"
    weight: float = 0
    statutory: bool = False
    citation: str | None = None
    locked: bool = False
    owner: str | None = None
    review_by: date | None = None
    active_since: datetime | None = None
    event: str | None = field(init=False, repr=False, compare=False)
    depth: int = field(init=False, repr=False, compare=False)
    level: Level = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if (self.after is None) is (self.strength_below is None):
            raise ValueError(f"rule {self.key}: either `after` or `strength_below`")
        _settle_in_utc(self, ("active_since",))
        event = self.anchor[len(EVENT) :] if self.anchor.startswith(EVENT) else None
        depth = len(self.namespace)
        given = (self.label is not None, self.memory_kind is not None, self.data_class is not None)
        object.__setattr__(self, "event", event)
        object.__setattr__(self, "depth", depth)
        object.__setattr__(self, "level", (given[0], depth, given[1], given[2]))


@dataclass(frozen=True, slots=True)
class Hold:
    """A legal hold over the memory; `matter` only names it in explanations."""

    placed_at: datetime
    released_at: datetime | None = None
    matter: str = ""

    def __post_init__(self) -> None:
        _settle_in_utc(self, ("placed_at", "released_at"))


INSTANTS: Final = (
    "created_at",
    "updated_at",
    "accessed_at",
    "ttl_expires_at",
    "deleted_at",
    "restored_at",
    "reviewed_at",
    "erasure_verified_at",
    "erasure_approved_at",
    "restricted_at",
    "source_erased_at",
    "dates_moved_at",
)


@dataclass(frozen=True, slots=True)
class MemoryFacts:
    """All that the rules may know of a memory. No content, no id, no tenant.

    `source_caps` are the caps taken over from sources at write; `events` maps a type to the time
    it occurred; `reviewed_at` is a decision to destroy (a decision to keep sets `restored_at`).
    """

    namespace: tuple[str, ...]
    created_at: datetime
    kind: str = "fact"
    updated_at: datetime | None = None
    accessed_at: datetime | None = None
    access_count: int = 0
    decay: float = 1
    classes: frozenset[str] = frozenset()
    label: str | None = None
    ttl_expires_at: datetime | None = None
    deleted_at: datetime | None = None
    restored_at: datetime | None = None
    reviewed_at: datetime | None = None
    quarantined: bool = False
    erasure_verified_at: datetime | None = None
    erasure_approved_at: datetime | None = None
    restricted_at: datetime | None = None
    source_erased_at: datetime | None = None
    source_caps: tuple[datetime, ...] = ()
    holds: tuple[Hold, ...] = ()
    events: Mapping[str, datetime] = field(default_factory=dict)
    dates_moved_at: datetime | None = None

    def __post_init__(self) -> None:
        _settle_in_utc(self, INSTANTS)
        if self.source_caps:
            object.__setattr__(self, "source_caps", tuple(map(in_utc, self.source_caps)))
        if self.events:
            events = {name: in_utc(instant) for name, instant in self.events.items()}
            object.__setattr__(self, "events", events)


@dataclass(frozen=True, slots=True)
class Settings:
    """The tenant's settings that move dates. An unknown zone raises ZoneInfoNotFoundError."""

    trash_days: int = 30
    notice_days: int = 7
    timezone: str = "UTC"
    zone: ZoneInfo = field(init=False, repr=False, compare=False)
    trash: timedelta = field(init=False, repr=False, compare=False)
    notice: timedelta = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "zone", ZoneInfo(self.timezone))
        object.__setattr__(self, "trash", timedelta(days=self.trash_days))
        object.__setattr__(self, "notice", timedelta(days=self.notice_days))
