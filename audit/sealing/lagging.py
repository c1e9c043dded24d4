"""How far sealing is behind, and who holds it back: the alarm of a stalled horizon.

Sealing waits for every transaction that may still write an earlier event. `transaction_timeout` of
the application's role ends ours after five minutes; what an administrator leaves open is named
here, by process, role and program, never by its query.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection

from audit.models import Position
from audit.sealing.statements import Place, first_unsealed, oldest_writer

BACK = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Lag:
    """Seconds since the oldest unsealed event was begun, and the oldest open writer."""

    seconds: float
    blocker: dict[str, Any] | None
    blocked_seconds: float = 0.0

    @property
    def is_alarm(self) -> bool:
        """Whether somebody should look."""
        return self.seconds > settings.SEAL_LAG_SECONDS


def read_lag() -> Lag:
    """As of now; of the whole installation. Opens no tenant's table."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        at: datetime = cursor.fetchone()[0]
    waits = [
        begun
        for row in Position.objects.all()
        if (begun := first_unsealed(_place(row))) is not None
    ]
    seconds = max(((at - begun).total_seconds() for begun in waits), default=0.0)
    blocker = oldest_writer() if seconds > settings.SEAL_LAG_SECONDS / 2 else None
    began = blocker["began_at"] if blocker else None
    return Lag(
        max(0.0, seconds), blocker, (at - began).total_seconds() if began is not None else 0.0
    )


def _place(row: Position) -> Place:
    since = datetime(1, 1, 2, tzinfo=UTC) if row.passed_at is None else row.passed_at - BACK
    return Place(row.node, row.xid, row.event_id, since)
