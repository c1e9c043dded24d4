"""What is written about a person whom a subject request restricts leaves use in that instant.

It is stored, and answered as ever: a request may still be refused or withdrawn, and a writer is not
told of it. A put that had begun before the identity was verified may slip through; the scope step,
which looks by the index of subjects, marks it.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from memories.dating import Regime, with_dates
from memories.deciding import Decision
from privacy.subjects import restrictions_on
from tenants.snapshots import TenantSettings


def hide_restricted(
    decision: Decision, tenant: TenantSettings, regime: Regime, at: datetime
) -> Decision:
    """The decision, with what the requests of its subjects say of the row."""
    row = decision.row
    found = restrictions_on(row.subjects, version=tenant.version)
    if not found:
        return decision
    verified = [one.erasure_verified_at for one in found if one.erasure_verified_at is not None]
    restricted = [one.restricted_at for one in found if one.restricted_at is not None]
    row = replace(
        row,
        erasure_verified_at=row.erasure_verified_at or _since(verified, row.created_at),
        restricted_at=row.restricted_at or _since(restricted, row.created_at),
    )
    return replace(decision, row=with_dates(row, regime, at))


def _since(instants: list[datetime], created_at: datetime) -> datetime | None:
    """The earliest of them, but nothing is restricted before it is there."""
    return max(min(instants), created_at) if instants else None
