"""Nightly: does every change of a row have its event? What has none is a finding.

An event and its change commit together, so a row without one was changed behind the hub's back, or
the hub has a fault. Either way somebody must look.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction

from audit.recording import Facts, Target, record
from memories.models import Finding
from memories.statements.reconciling import count_changes, find_orphans
from tenants.context import current_tenant_id, now

KIND = "event_missing"
SPAN = timedelta(hours=26)
"""More than a day, so that a late night leaves no gap; a finding is made once a memory."""
MOST = 200


def reconcile() -> int:
    """Compare the acting tenant's changes of the last day with its events; how many lack one."""
    with transaction.atomic():
        since, until = now() - SPAN, now()
        orphans = find_orphans(since, until, most=MOST)
        known = set(
            Finding.objects.filter(kind=KIND, closed_at=None).values_list("memory_id", flat=True)
        )
        new = {one.memory_id: one for one in orphans if one.memory_id not in known}
        Finding.objects.bulk_create(
            Finding(
                kind=KIND, memory_id=one.memory_id, found_at=until,
                detail=f"{one.what} changed at {one.at.isoformat()} without an event",
            )
            for one in new.values()
        )  # fmt: skip
        record(
            "audit.reconcile",
            Target("log", str(current_tenant_id())),
            Facts(counts={"n": len(orphans), "compared": count_changes(since, until)}),
        )
    return len(orphans)
