"""Deduplication: a put that says what a memory of its place says becomes its next version.

What is near is found by vector, above the profile's threshold; whether it says the same is then
read (`likeness`), because nearness does not tell another fact from the same one. A threshold given
with the put stands for itself. An equal value is found without any vector, so it merges also while
the provider is down. An advisory lock by namespace and kind lets one such put at a time look and
write: thirty at once are one memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memories.deciding import Prepared
from memories.embedding.profiles import Profile
from memories.indexing import index_value
from memories.likeness import say_the_same
from memories.ops import Dedup
from memories.rows import StoredMemory
from memories.statements.lookup import lock_by_keys
from memories.statements.nearest import Near, find_near, lock_place
from memories.strict_json import read_exactly
from tenants.context import now
from tenants.snapshots import TenantSettings

Existing = dict[tuple[str, str], StoredMemory]


def merge_into_same(
    put: Prepared, existing: Mapping[tuple[str, str], StoredMemory],
    profile: Profile, tenant: TenantSettings,
) -> tuple[Prepared, Existing]:  # fmt: skip
    """The put as a put of the memory that it repeats, with that row locked; or as it was.

    A key that is there already is updated as ever, and `if_version` is checked before.
    """
    own = existing.get((put.namespace, put.op.key))
    if own is not None and own.is_visible(now()):
        return put, {}
    if put.op.if_version:
        return put, {}  # decide_put says that there is no such version
    lock_place(put.namespace, put.op.kind)
    vector = (put.chunks[0].field, put.vectors[0]) if put.vectors else None
    found = find_near(
        (put.namespace, put.op.kind), put.content_hash, vector, profile=profile, at=now()
    )
    same = next((near for near in found if _is_same(put, near, profile, tenant)), None)
    if same is None:
        return put, {}
    row = lock_by_keys([(put.namespace, same.key)])
    op = put.op.model_copy(update={"key": same.key, "if_version": None})
    return replace(put, op=op, merges=True), row


def _is_same(put: Prepared, near: Near, profile: Profile, tenant: TenantSettings) -> bool:
    if near.is_equal:
        return True
    given = put.op.dedup.threshold if isinstance(put.op.dedup, Dedup) else None
    if given is not None:
        return near.cosine >= given
    if near.cosine < profile.dedup_threshold:
        return False
    paths = tenant.index_fields if near.index_paths is None else near.index_paths
    chunks = index_value(read_exactly(near.value), paths).chunks
    theirs = " ".join(chunk.text for chunk in chunks)
    return say_the_same(theirs, " ".join(chunk.text for chunk in put.chunks))
