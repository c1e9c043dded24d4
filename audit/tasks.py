"""Jobs of the event log."""

from __future__ import annotations

from celery import shared_task
from django.db import connection

MONTHS_AHEAD = 24


@shared_task
def extend_months() -> None:
    """Partitions for the coming months: a missing one would send events to the default."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT hub_extend_months(now(), %s)", [MONTHS_AHEAD])
