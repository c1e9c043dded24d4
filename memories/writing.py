"""Writing memories: checked and embedded outside, decided and applied in one transaction.

What can fail, and what happens then. The embedder is slow or down: the write is stored as pending,
found by text, and embedded later. Two puts create one key at once: the unique index lets one
through, the other finds its row missing and runs again, now as an update (`retrying`). The process
dies: nothing was committed, or all of it was; vectors, lexemes, versions and the event stand in the
same transaction as the value.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from audit.querysets import INSERT, PLACEHOLDERS
from audit.recording import Draft, Facts, Target, draft
from audit.repeating import settle
from memories.dating import Regime, regime_of
from memories.deciding import Decision, Outcome, Prepared, check_version, decide_put
from memories.deduplicating import merge_into_same
from memories.deriving import find_sources, sources_of
from memories.embedding.calling import embed_passages
from memories.embedding.chunking import Chunk
from memories.embedding.profiles import Profile, pin_profile, profile_of
from memories.embedding.providers import EmbeddingRefused, EmbeddingUnavailable
from memories.filter_sql import to_json
from memories.indexing import index_value
from memories.keeping_originals import settle_originals
from memories.namespaces import covers, encode
from memories.ops import BUILT_IN_KINDS, PutOp
from memories.protecting import guard_of_now, keep_protected, screen_put
from memories.pruning import prune_versions, regime_to_write_by
from memories.quotas import require_room
from memories.restricting import hide_restricted
from memories.retrying import KeyTaken, RulesMoved, retry_when_taken, with_newest_rules
from memories.rows import StoredMemory
from memories.sizing import check_value_size
from memories.statements import upsert
from memories.statements.lookup import lock_by_keys
from memories.statements.together import Together
from memoryhub.errors import Denied, HubError, Invalid
from privacy.acting import Guard
from privacy.regimes import privacy_regime
from privacy.subjects import pseudonyms_of
from tenants.actors import Actor
from tenants.authorising import require
from tenants.context import current_actor, fixed_plans, now
from tenants.ids import uuid7
from tenants.roles import Action
from tenants.snapshots import TenantSettings, tenant_settings


@dataclass(frozen=True, slots=True)
class Written:
    """A put's result: the row as it now is, and how it came so."""

    row: StoredMemory
    outcome: Outcome


def put_memory(op: PutOp) -> Written:
    """Write one value. Raises Denied, Invalid, VersionMismatch."""
    return with_newest_rules(lambda: _put(op))


def _put(op: PutOp) -> Written:
    prepared = prepare_puts([op])
    with fixed_plans(when=not op.dedup):  # what dedup looks for is near, not under a key
        return retry_when_taken(lambda: _put_prepared(prepared))


def _put_prepared(prepared: Sequence[Prepared]) -> Written:
    (written,) = apply_puts(prepared)
    settle({"id": str(written.row.id), "outcome": written.outcome})
    return written


# --- outside the transaction ----------------------------------------------------------------------


def prepare_puts(ops: Sequence[PutOp], *, superseded: Collection[int] = ()) -> list[Prepared]:
    """Check rights, sizes and kinds; protect; serialise; embed what is to be embedded.

    `superseded` are positions of ops that will only be judged (`judge_puts`), so not embedded.
    """
    for right in {op.right for op in ops} or {Action.PUT}:
        require(right)
    actor = current_actor()
    tenant = tenant_settings()
    profile, guard = profile_of(tenant), guard_of_now()
    prepared = []
    for number, op in enumerate(ops):
        try:
            prepared.append(_prepare(op, actor, tenant, profile, guard))
        except HubError as error:
            error.position = number
            raise
    unread = {number: replace(prepared[number], chunks=[]) for number in superseded}
    made = _embed([unread.get(number, put) for number, put in enumerate(prepared)], profile)
    # in a transaction of its own: in ours, new people of two batches could wait in a circle
    pseudonyms_of(subject for put in made for subject in put.op.subjects)
    return made


def _prepare(
    op: PutOp, actor: Actor, tenant: TenantSettings, profile: Profile, guard: Guard
) -> Prepared:
    path = encode(op.namespace)
    if not covers(actor.prefixes, path):
        raise Denied("The key may not write there.", code="outside_prefix")
    if op.tier == "long" and op.kind not in BUILT_IN_KINDS and op.kind not in tenant.kinds:
        raise Invalid.at("kind", "unknown_kind", "The tenant has no such kind.")
    identifier = uuid7()
    text = to_json(op.value or {})
    check_value_size(op.value or {}, text)
    screened = screen_put(op, path, identifier, guard=guard)
    if screened.op is not op:
        op = screened.op
        text = to_json(op.value or {})
    value = {} if screened.is_quarantined else op.value or {}
    paths = tenant.index_fields if op.index is None else (op.index or ())
    indexed = index_value(value, paths)
    return Prepared(
        op=op,
        identifier=identifier,
        namespace=path,
        value=text,
        source=None if op.source is None else to_json(op.source),
        content_hash=content_hash_of(op.value or {}),
        chunks=indexed.chunks if profile.embeds else [],
        vectors=None,
        lexemes=indexed.lexemes,
        length=indexed.length,
        screened=screened,
        profile=profile.number,
    )


def content_hash_of(value: object) -> bytes:
    """Equal values have equal hashes: keys sorted, exact numbers by their digits.

    Such a number is marked as one by a key that no value can have: as a bare string it would be
    taken for the text of the same digits.
    """
    return sha256(_HASHED.encode(value).encode()).digest()


_HASHED = json.JSONEncoder(sort_keys=True, default=lambda number: {"\0": str(number)})


def _embed(prepared: list[Prepared], profile: Profile) -> list[Prepared]:
    """All texts in one call; without an answer every put of the call is left pending."""
    waiting = [put for put in prepared if put.chunks and put.op.wait]
    texts = [chunk.text for put in waiting for chunk in put.chunks]
    if not texts:
        return [put if put.chunks else replace(put, vectors=[]) for put in prepared]
    try:
        vectors = iter(embed_passages(profile, texts))
    except (EmbeddingUnavailable, EmbeddingRefused):
        return [put if put.chunks else replace(put, vectors=[]) for put in prepared]
    return [
        replace(put, vectors=[next(vectors) for _ in put.chunks])
        if put.op.wait or not put.chunks
        else put
        for put in prepared
    ]


# --- inside the transaction -----------------------------------------------------------------------


def apply_puts(
    prepared: Sequence[Prepared],
    locked: Mapping[tuple[str, str], StoredMemory] | None = None,
    *,
    instants: Sequence[datetime] | None = None,
) -> list[Written]:
    """Gather, decide, apply, record, for puts of different keys, in the current transaction.

    `locked` are the rows under these keys where the caller has locked them already; `instants`
    says when each was put elsewhere (an import), otherwise all are put now. A put that is to be
    deduplicated comes alone, so that it sees the ones before it.
    """
    tenant, at = tenant_settings(), now()
    profile = profile_of(tenant)
    _require_current_rules(prepared)
    prepared, existing = _gather(prepared, locked, profile, tenant)
    regime = regime_to_write_by(
        tenant, [(put.op, existing.get((put.namespace, put.op.key))) for put in prepared]
    )
    sources = find_sources(prepared, existing)
    decisions = []
    for number, put in enumerate(prepared):
        current = existing.get((put.namespace, put.op.key))
        try:
            decisions.append(
                decide_put(
                    put,
                    current,
                    tenant=tenant,
                    regime=regime,
                    sources=sources_of(put.op, sources, regime, current),
                    now=at if instants is None else instants[number],
                    embedding=_embedding_state(put),
                )
            )
        except HubError as error:
            error.position = number
            raise
    decisions = [hide_restricted(one, tenant, regime, at) for one in decisions]
    decisions = [settle_originals(one, regime, at) for one in decisions]
    _require_room(decisions)
    if any(one.writes_content and one.prepared.vectors for one in decisions):
        pin_profile(tenant, profile)
    _retire([decision.retires for decision in decisions if decision.retires], regime)
    _apply(decisions, profile, tenant)
    return [Written(one.row, "merged" if one.prepared.merges else one.outcome) for one in decisions]


def judge_puts(
    prepared: Sequence[Prepared], existing: Mapping[tuple[str, str], StoredMemory]
) -> None:
    """Puts that a later op of their batch supersedes: they change nothing, and fail as if alone."""
    sources, regime = find_sources(prepared, existing), regime_of(tenant_settings())
    for number, put in enumerate(prepared):
        current = existing.get((put.namespace, put.op.key))
        try:
            check_version(put.op, current if current and current.is_visible(now()) else None)
            sources_of(put.op, sources, regime, current)
        except HubError as error:
            error.position = number
            raise


def _require_current_rules(prepared: Sequence[Prepared]) -> None:
    """Raise RulesMoved where personal data was looked for by rules of before."""
    rules = privacy_regime().tag
    if any(put.screened.detector != rules for put in prepared):
        raise RulesMoved


def _gather(
    prepared: Sequence[Prepared], locked: Mapping[tuple[str, str], StoredMemory] | None,
    profile: Profile, tenant: TenantSettings,
) -> tuple[list[Prepared], Mapping[tuple[str, str], StoredMemory]]:  # fmt: skip
    """The puts as they are to be decided, and the rows under their keys, locked."""
    puts = [_of_profile(put, profile) for put in prepared]
    keys = sorted({(put.namespace, put.op.key) for put in puts})
    existing = lock_by_keys(keys) if locked is None else locked
    if len(puts) == 1 and puts[0].op.dedup and puts[0].chunks:
        put, same = merge_into_same(puts[0], existing, profile, tenant)
        return [put], {**existing, **same}
    return puts, existing


def _of_profile(put: Prepared, profile: Profile) -> Prepared:
    """Without its vectors if the tenant's profile was switched since they were made."""
    fits = put.profile == profile.number or not put.chunks
    return put if fits else replace(put, vectors=None)


def _require_room(decisions: Sequence[Decision]) -> None:
    written = [one for one in decisions if one.writes_content]
    if written:
        require_room(
            created=sum(one.replaces is None for one in written),
            size=sum(len(one.row.value) for one in written),
        )


def _embedding_state(put: Prepared) -> str:
    if not put.chunks:
        return "none"
    return "pending" if put.vectors is None else "ready"


def _retire(rows: Sequence[StoredMemory], regime: Regime) -> None:
    """Hidden rows that no sweep has seen yet make room for a new memory under their key."""
    if rows:
        together = Together()
        upsert.update_dates(together, [replace(row, trashed_at=now()) for row in rows])
        together.run()


def _apply(decisions: Sequence[Decision], profile: Profile, tenant: TenantSettings) -> None:
    """All rows, versions, vectors, subjects and events in one statement."""
    together = Together()
    created = [one for one in decisions if one.outcome in ("created", "quarantined")]
    updated = [one for one in decisions if one.outcome == "updated"]
    names = pseudonyms_of(subject for one in decisions for subject in one.row.subjects)
    events = {one.row.id: _draft_event(one, names) for one in decisions}
    if created:
        upsert.insert_memories(together, [(one.row, _text_of(one)) for one in created])
    if updated:
        replaced = [(one.replaces, events[one.row.id].id) for one in updated if one.replaces]
        upsert.update_memories(together, [(one.row, _text_of(one)) for one in updated])
        upsert.insert_versions(together, replaced, by=current_actor().name, at=now())
        prune_versions(
            together, [(one.row, one.replaces) for one in updated if one.replaces], tenant
        )
    unchanged = [one.row for one in decisions if one.outcome == "unchanged"]
    if unchanged:
        upsert.update_dates(together, unchanged)
    written = [*created, *updated]
    upsert.replace_vectors(
        together,
        [one.row.id for one in updated],
        [entry for one in written for entry in _embedded(one)],
        profile=profile.number,
    )
    upsert.replace_subjects(together, [(one.row, one.replaces) for one in written], names)
    keep_protected(
        together, [(one.row, one.prepared.screened.protected) for one in written], at=now()
    )
    drafts = list(events.values())
    rows = ", ".join([f"({PLACEHOLDERS})"] * len(drafts))
    together.add(INSERT + "VALUES " + rows, [value for event in drafts for value in event.row])
    counts = together.run()
    if created and counts[0] != len(created):
        raise KeyTaken
    upsert.seal_originals(
        [
            (one.row.id, one.prepared.screened.sealed)
            for one in created
            if one.outcome == "quarantined"
        ]
    )


def _text_of(decision: Decision) -> tuple[str, int]:
    return decision.prepared.lexemes, decision.prepared.length


def _embedded(decision: Decision) -> list[tuple[UUID, Chunk, str]]:
    put = decision.prepared
    return [
        (decision.row.id, chunk, vector)
        for chunk, vector in zip(put.chunks, put.vectors or [], strict=False)
    ]


def _draft_event(decision: Decision, names: Mapping[str, str]) -> Draft:
    row = decision.row
    return draft(
        "memory.put",
        Target("memory", str(row.id), row.namespace),
        Facts(
            subjects=tuple(sorted(names[subject] for subject in row.subjects)),
            ruleset=row.ruleset,
            counts={"version": row.version},
            links={"outcome": decision.outcome},
        ),
    )
