"""Findings: what a job could not do. A sweep that can do it after all closes its own; people close
the others, with a reason.
"""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from audit.recording import Facts, Target, record
from memories.models import Finding
from memories.querysets import FindingQuerySet
from memories.reasons import check_reason
from memoryhub.errors import Denied, Missing
from tenants.authorising import require
from tenants.context import current_actor, now
from tenants.roles import Action


def find_findings(*, kind: str | None = None, is_open: bool | None = None) -> FindingQuerySet:
    """Findings inside the caller's prefixes, for a list; those of a kind, open or closed ones."""
    actor = require(Action.SEE_FIGURES)
    rows: FindingQuerySet = Finding.objects.all()
    rows = rows.within(actor.prefixes)
    if kind is not None:
        rows = rows.filter(kind=kind)
    return rows if is_open is None else rows.filter(closed_at__isnull=is_open)


def list_findings(
    *, kind: str | None = None, is_open: bool | None = None, limit: int
) -> list[Finding]:
    """The newest of them."""
    with transaction.atomic():
        rows = find_findings(kind=kind, is_open=is_open)
        return list(rows.order_by("-found_at", "-id")[:limit])


def count_open_findings() -> int:
    """How many are open."""
    with transaction.atomic():
        return find_findings(is_open=True).count()


def open_finding(identifier: UUID) -> Finding:
    """One finding. Raises Missing."""
    with transaction.atomic():
        return _find(identifier)


def close_finding(identifier: UUID, *, reason: str) -> Finding:
    """Say that it was seen to; once closed it stays as it is. Raises Denied, Missing, Invalid."""
    require(Action.SEE_USAGE)
    if not current_actor().is_person:
        raise Denied("Only people may do this.", code="people_only")
    reason = check_reason(reason)
    with transaction.atomic():
        row = _find(identifier, locked=True)
        if row.closed_at is None:
            row.closed_at = now()
            row.save(update_fields=["closed_at"])
            record(
                "finding.close",
                Target("finding", str(row.id), row.namespace or None),
                Facts(links={"kind": row.kind, "reason": reason}),
            )
    return row


def _find(identifier: UUID, *, locked: bool = False) -> Finding:
    rows = find_findings().filter(id=identifier)
    row: Finding | None = (rows.select_for_update() if locked else rows).first()
    if row is None:
        raise Missing("There is no such finding.")
    return row
