"""What the engine answers: an Evaluation, and the findings on which its dates rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from policies.facts import End, Kind, MemoryFacts, Rule, Settings
from policies.matching import Dated, Matches

State = Literal[
    "PURGED",
    "HELD",
    "QUARANTINED",
    "IN_REVIEW",
    "RESTRICTED",
    "RETAINED",
    "TRASH",
    "ARCHIVED",
    "ACTIVE",
]
Cause = Literal["erasure", "request", "restriction", "cap", "expire", "ttl", "delete"]
Refusal = Literal["not_hidden", "hidden_by_cap", "hidden_by_erasure", "hidden_by_restriction"]
Keeper = Literal["held", "request_open", "statutory_floor", "floor"]


class History(NamedTuple):
    """What has happened to a memory by the instant of evaluation; later instants are None.

    `approved` is the erasure of the memory or of its source, whichever came first. `released` is
    the last release of a hold; `is_held` says that a hold is open.
    """

    approved: datetime | None
    requested: datetime | None
    restricted: datetime | None
    restored: datetime | None
    reviewed: datetime | None
    moved: datetime | None
    released: datetime | None
    is_held: bool

    @property
    def is_request_open(self) -> bool:
        """A verified request that nobody decided, or a restriction."""
        undecided = self.requested is not None and self.approved is None
        return undecided or self.restricted is not None


class Floors(NamedTuple):
    """The latest date of the matching keeps, and whether one waits for its event."""

    latest: datetime | None = None
    is_open: bool = False
    statutory: datetime | None = None
    is_statutory_open: bool = False


class Choice(NamedTuple):
    """Of the rules of one kind: who wins in the top level, and whether one of them waits there."""

    winner: Dated | None
    is_waiting: bool


class Expiry(NamedTuple):
    """The ordinary end of use: by a rule, the agent's TTL, or the agent's delete."""

    date: datetime
    end: End
    cause: Literal["expire", "ttl", "delete"]
    rule: Rule | None


class UseEnd(NamedTuple):
    """When use ends and why; `winner` is the key of the rule that ends it, if one does."""

    date: datetime | None
    cause: Cause | None
    winner: str | None


class BytesEnd(NamedTuple):
    """When the bytes may go, suspensions apart; `flags` say what moved that date."""

    date: datetime | None
    floor_keeps: bool
    flags: frozenset[str]


@dataclass(frozen=True, slots=True)
class Findings:
    """What is known of a memory at one instant before any of its two dates is decided.

    `choices` has the kinds that choose by level: expire, archive, anonymise, degrade. `cap` is the
    earliest date of the matching caps and the sources' caps.
    """

    memory: MemoryFacts
    settings: Settings
    at: datetime
    history: History
    matches: Matches
    choices: Mapping[Kind, Choice]
    floors: Floors
    cap: datetime | None
    expiry: Expiry | None
    is_delete_counted: bool


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One memory under one rule-set version at one instant. All dates are UTC; None: no date.

    `visible_until` and `purge_at` are the two dates; `cause` and `winner` (the key of a rule) say
    what ends use. `hidden_state` is the state once it is hidden. `due_at` is the purge date as it
    were without the open hold, request or restriction that suspends it. `flags` are sorted.
    `floor_keeps`: the bytes would go earlier without a floor. `policies.clauses` turns `rules` and
    `found` into a list of clauses.
    """

    at: datetime
    state: State
    hidden_state: State
    visible: bool
    visible_until: datetime | None
    cause: Cause | None
    winner: str | None
    purge_at: datetime | None
    due_at: datetime | None
    archive_at: datetime | None
    anonymise_at: datetime | None
    degrade_at: datetime | None
    degrade_weight: float | None
    flags: tuple[str, ...]
    floor_keeps: bool
    rules: tuple[Rule, ...]
    found: Findings

    @property
    def uncovered(self) -> bool:
        """No keep, expire, cap (own or a source's) or TTL speaks about this memory."""
        return "uncovered" in self.flags

    @property
    def is_in_use_by_date(self) -> bool:
        """Before `visible_until`; unlike `visible`, a quarantine does not matter."""
        return self.visible_until is None or self.at < self.visible_until

    @property
    def kept_by(self) -> Keeper | None:
        """What keeps the bytes beyond their ordinary end, the strongest first."""
        if self.found.history.is_held:
            return "held"
        if self.found.history.is_request_open:
            return "request_open"
        if not self.floor_keeps:
            return None
        floors = self.found.floors
        is_by_law = floors.statutory is not None and floors.statutory == self.due_at
        return "statutory_floor" if floors.is_statutory_open or is_by_law else "floor"

    @property
    def restore_refusal(self) -> Refusal | None:
        """Why nobody can restore it (the code of the 409), or None when it is possible."""
        history, cap = self.found.history, self.found.cap
        if self.is_in_use_by_date:
            return "not_hidden"
        if history.approved is not None:
            return "hidden_by_erasure"
        if history.is_request_open:
            return "hidden_by_restriction"
        if cap is not None and cap <= self.at:
            return "hidden_by_cap"
        return None

    @property
    def protects_original(self) -> bool:
        """A hold or floor stands: anonymising seals the original instead of replacing it."""
        floors = self.found.floors
        latest = floors.latest if floors.latest is not None else self.at.min.replace(tzinfo=UTC)
        return self.found.history.is_held or floors.is_open or latest > self.at
