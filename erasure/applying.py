"""Which entries of the ledger this database has carried out, and which it lacks.

An entry counts as carried out once every memory of it is marked: from then on the database itself
knows, and no restart can lose it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from erasure.ledger import Entry, lacking, read_ledger
from erasure.models import AppliedErasure
from tenants.clock import wall_clock
from tenants.context import current_tenant_id, now
from tenants.models import Tenant

UNDER_WAY = timedelta(minutes=15)
"""So long an entry may stand in the ledger before its job has marked all memories."""


def note_applied(entry: UUID) -> None:
    """This database carries the entry; in the current transaction."""
    AppliedErasure.objects.get_or_create(
        entry=entry, defaults={"tenant_id": current_tenant_id(), "applied_at": now()}
    )


def lacking_entries() -> list[Entry]:
    """Entries of tenants that are here and open, which this database does not have.

    Raises LedgerDamaged.
    """
    entries = read_ledger()
    if not entries:
        return []
    ids = [entry.id for entry in entries]
    applied = AppliedErasure.objects.filter(entry__in=ids).values_list("entry", flat=True)
    left = lacking(entries, set(applied))
    tenants = {entry.tenant_id for entry in left}
    here = set(Tenant.objects.filter(id__in=tenants, closed_at=None).values_list("id", flat=True))
    return [entry for entry in left if entry.tenant_id in here]


def overdue_entries() -> Sequence[Entry]:
    """Those of them that no running job explains any more."""
    late = wall_clock() - UNDER_WAY
    return [entry for entry in lacking_entries() if entry.at < late]
