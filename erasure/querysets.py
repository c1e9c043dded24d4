"""Subject requests as a Django QuerySet, named for the domain."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from tenants.managers import TenantQuerySet


class RequestQuerySet(TenantQuerySet[Any]):
    """Requests of a tenant."""

    def open(self) -> Self:
        """Not closed, the one that is due first at the top."""
        return self.filter(closed_at__isnull=True).order_by("due_at", "id")

    def past_due(self, at: datetime) -> Self:
        """Open ones whose date has come."""
        return self.filter(closed_at__isnull=True, due_at__lte=at)

    def in_states(self, *states: str) -> Self:
        """At one of these steps."""
        return self.filter(state__in=states)
