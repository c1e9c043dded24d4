"""Embedding later: memories stored as pending get their vectors, a chunk at a time.

A chunk is claimed by moving its `embedding_due_at` on (so two workers never share it, and a killed
worker's chunk comes back), embedded outside any transaction, and stored if the memory is still the
same version. What the provider refuses for good is `failed`, with a finding.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db import connection, transaction

from audit.recording import Facts, Target, record
from memories.embedding.calling import embed_passages
from memories.embedding.chunking import Chunk
from memories.embedding.profiles import Profile, pin_profile, profile_of
from memories.embedding.providers import EmbeddingRefused, EmbeddingUnavailable
from memories.embedding.recognising import EmbeddingChanged
from memories.indexing import index_value
from memories.models import Finding
from memories.querysets import FindingQuerySet
from memories.statements.together import Together
from memories.statements.upsert import replace_vectors
from memories.strict_json import read_exactly
from tenants.context import current_tenant_id, now
from tenants.snapshots import TenantSettings, tenant_settings

CHUNK = 32
RETRY = timedelta(seconds=15)
MOST_ATTEMPTS = 2000
CHANGED = "embedding_changed"

_CLAIM = (
    "UPDATE memories_memory m SET embedding_due_at = %s, "
    "embedding_attempts = m.embedding_attempts + 1 "
    "FROM (SELECT c.id FROM memories_memory c WHERE c.tenant_id = %s AND c.embedding = 'pending' "
    "AND c.embedding_due_at <= %s AND c.trashed_at IS NULL "
    "ORDER BY c.embedding_due_at LIMIT %s FOR UPDATE SKIP LOCKED) due "
    "WHERE m.tenant_id = %s AND m.id = due.id "
    "RETURNING m.id, m.version, m.value, m.index_paths, m.embedding_attempts"
)
_SETTLE = (
    "UPDATE memories_memory m SET embedding = %s, embedding_due_at = NULL "
    "FROM unnest(%s::uuid[], %s::int[]) AS d (id, version) "
    "WHERE m.tenant_id = %s AND m.id = d.id AND m.version = d.version "
    "AND m.embedding = 'pending' RETURNING m.id"
)


@dataclass(frozen=True, slots=True)
class _Waiting:
    id: UUID
    version: int
    chunks: list[Chunk]


def embed_pending() -> int:
    """Embed what is due in the acting tenant; the number of memories that got their vectors."""
    tenant = tenant_settings()
    profile = profile_of(tenant)
    done = 0
    while profile.embeds:
        waiting = _claim(tenant)
        if not waiting:
            break
        try:
            done += _embed(waiting, profile)
        except EmbeddingChanged as error:
            _report_change(profile, str(error))
            break
        except EmbeddingUnavailable:
            break  # due again in RETRY; beat asks then
    return done


def _claim(tenant: TenantSettings) -> list[_Waiting]:
    with transaction.atomic(), connection.cursor() as cursor:
        at, tenant_id = now(), current_tenant_id()
        cursor.execute(_CLAIM, [at + RETRY, tenant_id, at, CHUNK, tenant_id])
        rows = cursor.fetchall()
    return [
        _Waiting(identifier, version, _chunks(value, paths, tenant))
        for identifier, version, value, paths, _ in rows
    ]


def _chunks(value: str, paths: list[str] | None, tenant: TenantSettings) -> list[Chunk]:
    fields = tenant.index_fields if paths is None else paths
    return index_value(read_exactly(value), fields).chunks


def _embed(waiting: list[_Waiting], profile: Profile) -> int:
    texts = [chunk.text for one in waiting for chunk in one.chunks]
    try:
        vectors = iter(embed_passages(profile, texts) if texts else [])
    except EmbeddingRefused as error:
        if len(waiting) > 1:  # one text may be at fault; it holds the others up no longer
            return sum(_embed([one], profile) for one in waiting)
        _settle_as_failed(waiting, str(error))
        return 0
    embedded = [(one.id, chunk, next(vectors)) for one in waiting for chunk in one.chunks]
    with transaction.atomic():
        settled = _settle(waiting, "ready")
        together = Together()
        replace_vectors(
            together,
            sorted(settled),
            [entry for entry in embedded if entry[0] in settled],
            profile=profile.number,
        )
        together.run()
        if settled:
            pin_profile(tenant_settings(), profile)
            _open_changes().update(closed_at=now())
            record("memory.embed", Target("embedding"), Facts(counts={"n": len(settled)}))
    return len(settled)


def _open_changes() -> FindingQuerySet:
    return Finding.objects.filter(kind=CHANGED, closed_at=None)


def _report_change(profile: Profile, detail: str) -> None:
    """Once, until the model is back."""
    with transaction.atomic():
        if not _open_changes().exists():
            Finding.objects.create(kind=CHANGED, detail=f"{profile.name}: {detail}", found_at=now())


def _settle(waiting: list[_Waiting], state: str) -> set[UUID]:
    with connection.cursor() as cursor:
        cursor.execute(
            _SETTLE,
            [
                state,
                [one.id for one in waiting],
                [one.version for one in waiting],
                current_tenant_id(),
            ],
        )
        return {row[0] for row in cursor.fetchall()}


def _settle_as_failed(waiting: list[_Waiting], detail: str) -> None:
    with transaction.atomic():
        settled = _settle(waiting, "failed")
        for identifier in settled:
            Finding.objects.create(
                kind="embedding_refused", memory_id=identifier, detail=detail, found_at=now()
            )
