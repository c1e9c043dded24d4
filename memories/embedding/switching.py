"""Switching a tenant's profile: new vectors beside the old, compared, then switched; and back.

Searches use the old profile until the switch, which is one change of the tenant's settings that
every process sees at its next transaction. What is written meanwhile has old vectors only, so the
building goes over what is missing again, before the switch and once more after it. The old vectors
stay, so that going back is the same work with little left to do. Killed at any point, it goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from memories.embedding.calling import embed_passages, embed_query
from memories.embedding.chunking import Chunk
from memories.embedding.profiles import Profile, named_profile, profile_of
from memories.embedding.providers import EmbeddingUnavailable
from memories.indexing import index_value
from memories.planning import plan_for, population_of
from memories.statements.candidates import Scope, VectorSearch, find_candidates, prepare_ann
from memories.statements.together import Together
from memories.statements.upsert import replace_vectors
from memories.statements.vectors import (
    Stored,
    count_embedded,
    find_without_vectors,
    index_profile,
    lock_unchanged,
    sample_values,
    settle_embedded,
)
from memories.strict_json import read_exactly
from tenants.context import now
from tenants.models import Tenant
from tenants.snapshots import tenant_settings

CHUNK = 64
ATTEMPTS = 6
SAMPLES = 20
COMPARED = 10
QUESTION_CHARACTERS = 200

Say = Callable[[int, int], None]
"""Told of progress: memories that have new vectors, of how many."""


@dataclass(frozen=True, slots=True)
class Switched:
    """What a switch did. `overlap`: share of the first ten results that both profiles agree on,
    None where nothing could be compared."""

    before: str
    after: str
    embedded: int
    overlap: float | None


def switch_profile(tenant: Tenant, name: str, say: Say) -> Switched:
    """Build, compare and switch, acting in the tenant. Raises Missing, EmbeddingUnavailable,
    EmbeddingRefused; then nothing is switched."""
    target, before = named_profile(name), profile_of(tenant_settings())
    overlap = None
    if target.embeds:
        index_profile(target.number)
        _build(target, say)
        overlap = _compare(before, target) if before.embeds and before != target else None
    if tenant.embedding_profile != name:
        tenant.embedding_profile = name
        tenant.save(update_fields=["embedding_profile"])
    if target.embeds:
        _build(target, say)
    with transaction.atomic():
        settle_embedded(target.number)
        done, _ = count_embedded(target.number)
    return Switched(before.name, target.name, done, overlap)


def _build(profile: Profile, say: Say) -> None:
    """Vectors for every memory that has none of this profile, by id, some at a time."""
    after = UUID(int=0)
    while True:
        with transaction.atomic():
            rows = find_without_vectors(profile.number, after=after, limit=CHUNK)
            say(*count_embedded(profile.number))
        if not rows:
            return
        _embed_rows(profile, rows)
        after = rows[-1].id


def _embed_rows(profile: Profile, rows: list[Stored]) -> None:
    fields = tenant_settings().index_fields
    chunks = [
        (row.id, chunk)
        for row in rows
        for chunk in index_value(
            read_exactly(row.value), fields if row.index_paths is None else row.index_paths
        ).chunks
    ]
    vectors = _embed_patiently(profile, [chunk for _, chunk in chunks])
    with transaction.atomic():
        unchanged = lock_unchanged(rows)
        together = Together()
        embedded = [
            (memory, chunk, vector)
            for (memory, chunk), vector in zip(chunks, vectors, strict=True)
            if memory in unchanged
        ]
        replace_vectors(together, [], embedded, profile=profile.number)
        together.run()


def _embed_patiently(profile: Profile, chunks: list[Chunk]) -> list[str]:
    """As `embed_passages`, waiting longer each time the provider does not answer."""
    texts = [chunk.text for chunk in chunks]
    for attempt in range(ATTEMPTS):
        try:
            return embed_passages(profile, texts) if texts else []
        except EmbeddingUnavailable:
            if attempt == ATTEMPTS - 1:
                raise
            time.sleep(2**attempt)
    raise AssertionError("unreachable")


def _compare(before: Profile, after: Profile) -> float | None:
    """Ask both profiles the same questions: beginnings of some of the tenant's own memories."""
    with transaction.atomic():
        values = sample_values(SAMPLES)
    questions = [" ".join(_strings(read_exactly(value)))[:QUESTION_CHARACTERS] for value in values]
    shares = []
    for question in filter(None, questions):
        one, two = _nearest(before, question), _nearest(after, question)
        if one:
            shares.append(len(one & two) / len(one))
    return sum(shares) / len(shares) if shares else None


def _strings(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for entry in value.values() for text in _strings(entry)]
    return [value] if isinstance(value, str) else []


def _nearest(profile: Profile, question: str) -> set[UUID]:
    vector = embed_query(profile, question)
    with transaction.atomic():
        plan = plan_for(population_of(("",)))
        if plan == "ann":
            prepare_ann()
        search = VectorSearch(profile, vector, plan, by_field=False)
        found = find_candidates(Scope(("",), now()), search, None, depth=COMPARED)
    return {one.candidate.id for one in found if one.signal == "vector"}
