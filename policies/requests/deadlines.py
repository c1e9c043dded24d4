"""When a subject request is due: 30 days, and once a calendar month more (GDPR 12(3)). Pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from policies.durations import add_months

DAYS = 30


def due_after(received_at: datetime) -> datetime:
    """The due date of a request that came at this instant."""
    return received_at + timedelta(days=DAYS)


def extend_due(due_at: datetime, zone: ZoneInfo) -> datetime:
    """A calendar month later in the tenant's zone: 31 January becomes the end of February."""
    return add_months(due_at, 1, zone)


def days_left(due_at: datetime, at: datetime) -> int:
    """Days until it is due, begun ones counted; 0 or less when past due."""
    return -((at - due_at) // timedelta(days=1))
