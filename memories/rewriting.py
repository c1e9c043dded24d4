"""Another content for a stored memory that is still the same version: what a scan or a decision
about personal data leaves. Text and vectors follow at once, the old ones are gone with the row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.embedding.profiles import Profile, profile_of
from memories.filter_sql import to_json
from memories.indexing import index_value
from memories.protecting import keep_protected
from memories.rows import StoredMemory
from memories.statements import upsert
from memories.statements.together import Together
from memories.strict_json import read_exactly
from memories.writing import content_hash_of
from privacy.acting import Protected
from privacy.querysets import Statement, drop_findings_of
from tenants.snapshots import TenantSettings, tenant_settings

Dropping = Callable[[Iterable[tuple[UUID, int]]], Statement]
"""Which of the former findings go."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A locked row with its new content, and what was found in it."""

    row: StoredMemory
    protected: Protected


def with_content(row: StoredMemory, value: Any) -> StoredMemory:
    """The row with this value."""
    return replace(row, value=to_json(value), content_hash=content_hash_of(value))


def rewrite(
    rows: Sequence[Rewritten], *, at: datetime, dropping: Dropping = drop_findings_of
) -> None:
    """Store these rows and their findings in place of the former, in the current transaction."""
    if not rows:
        return
    tenant = tenant_settings()
    profile = profile_of(tenant)
    indexed = [_indexed(one.row, tenant, profile) for one in rows]
    together = Together()
    upsert.update_memories(together, indexed)
    upsert.replace_vectors(together, [one.row.id for one in rows], [], profile=profile.number)
    together.add(*dropping((one.row.id, one.row.version) for one in rows))
    keep_protected(together, [(one.row, one.protected) for one in rows], at=at)
    together.run()


def _indexed(
    row: StoredMemory, tenant: TenantSettings, profile: Profile
) -> tuple[StoredMemory, tuple[str, int]]:
    """The row, to be embedded later, with its lexemes; what is quarantined is not found by any."""
    if row.quarantined_at is not None:
        return replace(row, embedding="none"), ("", 0)
    paths = tenant.index_fields if row.index_paths is None else row.index_paths
    found = index_value(read_exactly(row.value), paths)
    is_embedded = bool(found.chunks) and profile.embeds
    state = "pending" if is_embedded else "none"
    return replace(row, embedding=state), (found.lexemes, found.length)
