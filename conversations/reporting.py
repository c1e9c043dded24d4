"""Findings of this room: one open of each kind, closed by the job that could do it after all."""

from __future__ import annotations

from django.db import transaction

from memories.models import Finding
from tenants.context import now

EXTRACTION_FAILED = "extraction_failed"
PROMOTION_FAILED = "promotion_failed"
RECALL_DROPPED = "recall_dropped"


def report(kind: str, detail: str) -> None:
    """Open a finding, or tell the open one anew. `detail` holds nothing of what was said."""
    with transaction.atomic():
        told = Finding.objects.filter(kind=kind, closed_at__isnull=True).update(detail=detail)
        if not told:
            Finding.objects.create(kind=kind, detail=detail, found_at=now())


def settle_finding(kind: str) -> None:
    """It works again."""
    with transaction.atomic():
        Finding.objects.filter(kind=kind, closed_at__isnull=True).update(closed_at=now())


def is_reported(kind: str) -> bool:
    """Whether such a finding is open."""
    with transaction.atomic():
        found: bool = Finding.objects.filter(kind=kind, closed_at__isnull=True).exists()
    return found
