"""How long memories waited between being written and being looked at for personal data."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import Count, DurationField, ExpressionWrapper, F, Q

from memories.models import Memory
from tenants.authorising import require
from tenants.roles import Action

LIMITS = tuple(timedelta(seconds=one) for one in (1, 60, 3600, 86_400))
"""Upper ends of the spans that are counted; the last one is the duty."""


def count_waits() -> list[int]:
    """How many were looked at within each of `LIMITS` and not sooner, then how many later still.

    What is written is mostly looked at in the same transaction: that is no wait.
    """
    require(Action.SEE_FIGURES)
    wait = ExpressionWrapper(F("scanned_at") - F("updated_at"), output_field=DurationField())
    within = {
        f"n{place}": Count("id", filter=Q(wait__lte=limit)) for place, limit in enumerate(LIMITS)
    }
    with transaction.atomic():
        rows = Memory.objects.exclude(scanned_at=None).annotate(wait=wait)
        found = rows.aggregate(total=Count("id"), **within)
    sums = [found[f"n{place}"] for place in range(len(LIMITS))] + [found["total"]]
    return [upper - lower for lower, upper in zip([0, *sums], sums, strict=False)]
