"""What an approval would do, before anybody gives it: the consequence first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from uuid import UUID

from django.db import transaction

from erasure.finding import excluded_from, find_request, memories_of
from erasure.models import RequestedMemory, SubjectRequest
from memories.dating import evaluate_row, regime_of
from memories.rows import StoredMemory
from memories.statements.lookup import find_by_ids
from policies.requests.steps import RequestKind
from privacy.subjects import find_subject
from tenants.authorising import require
from tenants.context import now
from tenants.roles import Action
from tenants.snapshots import tenant_settings

CHUNK = 1000


@dataclass(slots=True)
class Preview:
    """How many memories are in the scope, would go, and stay on which ground."""

    memories: int = 0
    goes: int = 0
    stays: Counter[str] = field(default_factory=Counter)
    shared: int = 0
    """Of what would go: about other people too."""
    derived: int = 0
    """Of what would go: made of others' memories, to be made anew from what remains."""


def preview_request(identifier: UUID) -> Preview:
    """What carrying the request out now would do to memories. Raises Missing."""
    require(Action.SEE_FIGURES)
    with transaction.atomic():
        request = find_request(identifier)
        known = find_subject(request.pseudonym)
        return _preview(request, known.subject if known else "")


def _preview(request: SubjectRequest, subject: str) -> Preview:
    at, regime = now(), regime_of(tenant_settings())
    ways, out, preview = memories_of(request), excluded_from(request), Preview()
    ids = sorted(ways)
    for start in range(0, len(ids), CHUNK):
        for row in find_by_ids(ids[start : start + CHUNK]).values():
            preview.memories += 1
            if row.id in out:
                preview.stays[f"excluded: {out[row.id]}"] += 1
                continue
            if request.kind == RequestKind.ERASURE:
                found = evaluate_row(replace(row, erasure_approved_at=at), regime, at)
                if found.state != "PURGED":
                    preview.stays[found.kept_by or "held"] += 1
                    continue
            preview.goes += 1
            preview.shared += _is_shared(row, subject)
            preview.derived += ways[row.id] == RequestedMemory.Found.DERIVED
    return preview


def _is_shared(row: StoredMemory, subject: str) -> bool:
    return bool(set(row.subjects) - {subject})
