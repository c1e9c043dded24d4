"""What is due across tenants: beat claims it here, one caller each."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import DateTimeField, DurationField, ExpressionWrapper, F, Value
from django.db.models.functions import Now

from tenants.models import Schedule

_INTERVAL = ExpressionWrapper(
    F("interval_seconds") * Value(timedelta(seconds=1)), output_field=DurationField()
)


def claim_due(job: str) -> list[tuple[str, str]]:
    """(tenant, scope) of what is due, each to one caller only: the claim moves `next_at` on."""
    with transaction.atomic():
        due = Schedule.objects.select_for_update(skip_locked=True, of=("self",)).filter(
            job=job, next_at__lte=Now(), tenant__closed_at=None
        )
        found = {row.id: (str(row.tenant_id), row.scope) for row in due}
        if found:
            later = ExpressionWrapper(Now() + _INTERVAL, output_field=DateTimeField())
            Schedule.objects.filter(id__in=list(found)).update(next_at=later)
    return list(found.values())
