"""What a sweep leaves as evidence: a digest of ids in each event, findings of what went wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID

import structlog

from memories.models import Finding
from memories.rows import StoredMemory
from tenants.context import current_tenant_id
from tenants.ids import uuid7

log = structlog.get_logger(__name__)

PUSH_FORWARD = timedelta(hours=1)
"""A row that cannot be evaluated is tried again after this."""
FAILED = "sweep_failed"


def digest_of(rows: Sequence[StoredMemory]) -> str:
    """SHA-256 over the sorted ids: says which rows, in one line of evidence."""
    return digest_of_ids(row.id for row in rows)


def digest_of_ids(ids: Iterable[UUID]) -> str:
    """The same of ids alone."""
    return sha256("".join(sorted(map(str, ids))).encode()).hexdigest()


def note_failure(row: StoredMemory, error: Exception, *, at: datetime) -> None:
    """One open finding for a row that cannot be dealt with; called while the error is handled."""
    log.exception("sweep_failed", memory_id=str(row.id))
    Finding.objects.get_or_create(
        tenant_id=current_tenant_id(), kind=FAILED, memory_id=row.id, closed_at=None,
        defaults={
            "id": uuid7(), "detail": type(error).__name__, "found_at": at,
            "namespace": row.namespace,
        },
    )  # fmt: skip


def close_failures(ids: Sequence[UUID], *, at: datetime) -> None:
    """What was found about these memories is over: a sweep could deal with them."""
    failures = Finding.objects.all().still_open().filter(kind=FAILED)
    if ids and failures.exists():
        failures.about(ids).update(closed_at=at)
