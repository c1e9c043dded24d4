"""What the hub answers, as frozen dataclasses. Instants are aware; ids are strings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar

T = TypeVar("T")
Namespace = tuple[str, ...]
Outcome = Literal["created", "updated", "unchanged", "merged", "quarantined"]


@dataclass(frozen=True, slots=True)
class Retention:
    """Until when a memory is seen and kept, by which rule. None as an instant means for ever."""

    state: str
    visible_until: datetime | None = None
    purge_at: datetime | None = None
    ttl_minutes: float | None = None
    rule: str | None = None
    flags: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One memory as an agent sees it."""

    id: str
    namespace: Namespace
    key: str
    value: Mapping[str, Any]
    version: int
    created_at: datetime
    updated_at: datetime
    kind: str = "fact"
    tier: str = "long"
    subjects: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    label: str | None = None
    classes: tuple[str, ...] = ()
    source: Any = None
    derived_from: tuple[str, ...] = ()
    importance: float = 0.5
    decay: float | None = None
    accessed_at: datetime | None = None
    access_count: int = 0
    embedding: str | None = None
    retention: Retention | None = None
    trashed_at: datetime | None = None
    restorable: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchItem(Memory):
    """A memory that was found. `score` is None without a query; `explain` only when asked for."""

    score: float | None = None
    explain: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """A page of a search, best first. `degraded` says why it may be less than it could be."""

    items: tuple[SearchItem, ...]
    search_id: str | None = None
    degraded: str | None = None
    plan: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What became of a put. Of a quarantined one only the id is told; `memory` is None in a batch.

    With `merged`, `id` and `memory` are the existing memory, and nothing stands under the new key.
    """

    id: str
    outcome: Outcome
    version: int | None = None
    merged_into: str | None = None
    memory: Memory | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """How many were kept beyond the trash, and why."""

    reason: str
    count: int


@dataclass(frozen=True, slots=True)
class NamespaceDeletion:
    """`matched` were visible, `deleted` are hidden now, `kept` outlive the trash."""

    matched: int
    deleted: int
    kept: tuple[Kept, ...] = ()


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A page of a list; `next` is the cursor of the one after, None at the end."""

    items: tuple[T, ...]
    next: str | None = None
    total: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryVersion:
    """One value that a memory had, and who gave it."""

    version: int
    value: Any = None
    created_at: datetime | None = None
    actor: Any = None
    event_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One entry of the audit trail."""

    id: str
    at: datetime
    action: str
    code: str = ""
    outcome: str = ""
    actor: Mapping[str, Any] | None = None
    key_id: str | None = None
    roles: tuple[str, ...] = ()
    on_behalf_of: Any = None
    request_id: str | None = None
    client: Mapping[str, Any] | None = None
    target: Mapping[str, Any] | None = None
    subjects: tuple[str, ...] = ()
    ruleset: Any = None
    counts: Mapping[str, Any] | None = None
    links: Any = None
    sentence: str = ""
    sealed: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Clause:
    """One rule, TTL or hold that was weighed."""

    key: str
    kind: str
    date: datetime | None = None
    role: str = ""
    because: str = ""


@dataclass(frozen=True, slots=True)
class NextStep:
    """What will happen to the memory, and when."""

    at: datetime | None
    what: str
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a memory is where it is, and what comes next; `text` says it in sentences."""

    memory_id: str
    state: str
    text: str
    at: datetime | None = None
    ruleset: Any = None
    visible_until: datetime | None = None
    purge_at: datetime | None = None
    archive_at: datetime | None = None
    flags: tuple[Any, ...] = ()
    clauses: tuple[Clause, ...] = ()
    next: tuple[NextStep, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is; `total` is None while it is not known."""

    done: int = 0
    total: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Work that goes on in the background."""

    id: str
    kind: str
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    created_at: datetime | None = None
    finished_at: datetime | None = None
    progress: Progress | None = None
    result: Any = None
    error: Any = None

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in ("done", "failed", "cancelled")


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A conversation that is going on; `context` are the last message ids, newest first."""

    session_id: str
    status: str
    subject: str | None = None
    channel: str | None = None
    state: Mapping[str, Any] | None = None
    created_at: datetime | None = None
    last_active_at: datetime | None = None
    expires_at: datetime | None = None
    context: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ShortTerm:
    """Whether a message went to short-term memory, as which memory, or why not."""

    stored: bool
    memory_id: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What became of a message."""

    message_id: str
    context: tuple[str, ...] = ()
    short_term: ShortTerm | None = None
    classes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Promoted:
    """A long-term memory and why it was made; `sources` are the ids of what was said, the field
    `from` on the wire."""

    memory_id: str
    sources: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Promotion:
    """What a promotion did and left."""

    promoted: tuple[Promoted, ...]
    skipped: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem:
    """One memory in an assembled context."""

    tier: str
    text: str
    memory_id: str | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A prompt block within the token budget, and what it was made of."""

    prompt: str
    items: tuple[ContextItem, ...]
    tokens: int
    timings_ms: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Health:
    """Whether the hub answers; of a hub that is not ready, `missing` is what it told."""

    ok: bool
    missing: Any = None
