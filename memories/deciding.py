"""What a put does to a key: create, update, leave unchanged, or refuse. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal
from uuid import UUID

from memories.dating import Regime, holds_matching, ttl_of, with_dates
from memories.embedding.chunking import Chunk
from memories.ops import PutOp
from memories.rows import StoredMemory
from memoryhub.errors import VersionMismatch
from policies.holding import kept_holds
from tenants.snapshots import TenantSettings

if TYPE_CHECKING:
    from memories.protecting import Screened

Outcome = Literal["created", "updated", "unchanged", "merged", "quarantined"]
AGELESS_KINDS = frozenset({"profile", "organization", "entity", "document", "procedure"})


@dataclass(frozen=True, slots=True)
class Prepared:
    """A put made ready outside the transaction: checked, serialised, embedded.

    `identifier` is the memory's if this put creates it, given in the order of the ops. `vectors` is
    one text a chunk, or None when the provider did not answer (or was not asked).
    """

    op: PutOp
    identifier: UUID
    namespace: str
    value: str
    source: str | None
    content_hash: bytes
    chunks: list[Chunk]
    vectors: list[str] | None
    lexemes: str
    length: int
    screened: Screened
    profile: int = 0
    """Number of the profile that `vectors` are of."""
    merges: bool = False
    """Whether dedup turned it into a put of another key, whose memory says the same."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What derived memories take over from those they are made of."""

    subjects: list[str]
    classes: list[str]
    caps: list[datetime]
    holds: list[UUID]
    has_gone: bool = False
    """Some of the sources of the version before have left use; what they handed on stays."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The row as it will be, the row it replaces in place, and the hidden row in its way."""

    outcome: Outcome
    row: StoredMemory
    prepared: Prepared
    replaces: StoredMemory | None = None
    retires: StoredMemory | None = None

    @property
    def writes_content(self) -> bool:
        return self.outcome in ("created", "updated", "merged")


def decide_put(
    prepared: Prepared,
    existing: StoredMemory | None,
    *,
    tenant: TenantSettings,
    regime: Regime,
    sources: Sources,
    now: datetime,
    embedding: str,
) -> Decision:
    """What this put makes of the key, whose row not in the trash is `existing`.

    A hidden row (expired, swept or not) is in the way: it retires to the trash and the put makes a
    new memory. What is quarantined becomes a memory of its own, hidden, and leaves the key as it
    is. Raises VersionMismatch with the current `version` (0 when nothing is there).
    """
    op = prepared.op
    current = existing if existing is not None and existing.is_visible(now) else None
    check_version(op, current)
    if prepared.screened.is_quarantined:
        made = _new_row(prepared, tenant, sources, now, "none")
        held_back = made.but(trashed_at=now, quarantined_at=now)
        return Decision("quarantined", with_dates(held_back, regime, now), prepared)
    if current is None:
        made = _new_row(prepared, tenant, sources, now, embedding)
        row = with_dates(made, regime, now)
        return Decision("created", row, prepared, retires=existing)
    changed = _with_options(current, prepared, tenant, sources)
    changed = _still_held(current, changed, regime)
    ttl = ttl_of(op.ttl if op.gives("ttl") else tenant.default_ttl_minutes)
    expires = None if ttl is None else now + ttl
    changed = changed.but(value=prepared.value, ttl=ttl, ttl_expires_at=expires)
    changed = _out_of_archive(changed, now)
    is_same = changed.content_hash == current.content_hash and _options(changed) == _options(
        current
    )
    if is_same:
        return Decision("unchanged", with_dates(changed, regime, now), prepared, replaces=current)
    changed = changed.but(
        version=current.version + 1,
        updated_at=now,
        embedding=embedding,
        anonymised_at=None,
    )
    if current.detector == prepared.screened.detector:
        changed = changed.as_scanned(prepared.screened.detector, now)
    return Decision("updated", with_dates(changed, regime, now), prepared, replaces=current)


def _still_held(current: StoredMemory, changed: StoredMemory, regime: Regime) -> StoredMemory:
    """A hold over the memory stays with it, though its subject is taken off it."""
    if not regime.holds or set(current.subjects) <= set(changed.subjects):
        return changed
    return changed.but(hold_ids=kept_holds(holds_matching(current, regime), changed.hold_ids))


def _out_of_archive(row: StoredMemory, now: datetime) -> StoredMemory:
    """A put restores what was archived; archive rules count from then."""
    return row.but(restored_at=now) if row.is_archived(now) else row


def check_version(op: PutOp, current: StoredMemory | None) -> None:
    """Raise VersionMismatch where the put expects another version than the visible row's."""
    if op.if_version is None:
        return
    version = 0 if current is None else current.version
    if op.if_version != version:
        raise VersionMismatch(f"The current version is {version}.", version=version)


def _options(row: StoredMemory) -> tuple[object, ...]:
    """What two puts must have alike, beside the value, to be the same put (TTL apart); what they
    take over from sources included."""
    return (
        row.kind, row.subjects, row.tags, row.importance, row.decay, row.derived_from,
        row.source, row.session, row.index_paths, row.classes, row.source_caps,
    )  # fmt: skip


def _with_options(
    current: StoredMemory, prepared: Prepared, tenant: TenantSettings, sources: Sources
) -> StoredMemory:
    """The row with the options that this put sends; absent ones keep (but value, index, ttl).

    What it is newly derived from hands on its subjects, classes, caps and holds, as to a new
    memory.
    """
    op = prepared.op
    subjects = op.subjects if op.gives("subjects") else current.subjects
    if sources.has_gone:
        subjects = [*subjects, *current.subjects]
    kind = op.kind if op.gives("kind") else current.kind
    decay = current.decay
    if op.decay is not None:
        decay = op.decay
    elif op.gives("decay") or kind != current.kind:
        decay = default_decay(kind, tenant)
    return current.but(
        kind=kind,
        decay=decay,
        subjects=list(dict.fromkeys([*subjects, *sources.subjects])),
        classes=list(dict.fromkeys([*current.classes, *sources.classes])),
        hold_ids=list(dict.fromkeys([*current.hold_ids, *sources.holds])),
        tags=op.tags if op.gives("tags") else current.tags,
        importance=op.importance if op.gives("importance") else current.importance,
        derived_from=op.derived_from if op.gives("derived_from") else current.derived_from,
        source_caps=_caps(current, op, sources),
        source=prepared.source if op.gives("source") else current.source,
        session=op.session_id if op.gives("session_id") else current.session,
        index_paths=index_paths(op),
        content_hash=prepared.content_hash,
    )


def _caps(current: StoredMemory, op: PutOp, sources: Sources) -> list[datetime]:
    if not op.gives("derived_from"):
        return current.source_caps
    return sorted({*sources.caps, *current.source_caps}) if sources.has_gone else sources.caps


def _new_row(
    prepared: Prepared, tenant: TenantSettings, sources: Sources, now: datetime, embedding: str,
) -> StoredMemory:  # fmt: skip
    op = prepared.op
    minutes = op.ttl if op.gives("ttl") else tenant.default_ttl_minutes
    ttl: timedelta | None = ttl_of(minutes)
    return StoredMemory(
        id=prepared.identifier, namespace=prepared.namespace, key=op.key, value=prepared.value,
        kind=op.kind, tier=op.tier, session=op.session_id,
        subjects=list(dict.fromkeys([*op.subjects, *sources.subjects])),
        classes=sources.classes, tags=op.tags, label=None, source=prepared.source,
        derived_from=op.derived_from, source_caps=sources.caps,
        decay=op.decay if op.decay is not None else default_decay(op.kind, tenant),
        importance=op.importance, weight=1.0, index_paths=index_paths(op),
        content_hash=prepared.content_hash, version=1, created_at=now, updated_at=now,
        accessed_at=None, access_count=0, ttl=ttl,
        ttl_expires_at=None if ttl is None else now + ttl,
        visible_until=None, purge_at=None, ruled=False, rule=None, flags=[], archived_at=None,
        trashed_at=None, deleted_at=None, restored_at=None, ruleset=0, dates_moved_at=None,
        embedding=embedding, hold_ids=sources.holds,
    ).as_scanned(prepared.screened.detector, now)  # fmt: skip


def default_decay(kind: str, tenant: TenantSettings) -> float:
    """Facts of a person's nature do not age; what happened does."""
    return 1.0 if kind in AGELESS_KINDS else tenant.default_decay


def index_paths(op: PutOp) -> list[str] | None:
    """As stored: None = the tenant's fields, empty = none, else these paths once each."""
    if op.index is False:
        return []
    if op.index is None:
        return None
    return list(dict.fromkeys(op.index))
