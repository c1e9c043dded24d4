"""Rule sets and holds as Django QuerySets, named for the domain."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from django.db.models import Q

from tenants.managers import TenantQuerySet


class RuleSetQuerySet(TenantQuerySet[Any]):
    """Versions of a tenant's rules."""

    def numbered(self, n: int) -> Self:
        """The one version with this number."""
        return self.filter(n=n)

    def active(self) -> Self:
        """The version in force, if there is one."""
        return self.filter(state="active")

    def in_states(self, *states: str) -> Self:
        """Versions in one of these states."""
        return self.filter(state__in=states)


class HoldQuerySet(TenantQuerySet[Any]):
    """Legal holds of a tenant."""

    def open(self) -> Self:
        """Those that hold something: not released."""
        return self.filter(released_at__isnull=True)

    def standing(self, since: datetime) -> Self:
        """Open ones, and those released since."""
        return self.filter(Q(released_at__isnull=True) | Q(released_at__gt=since))

    def newest_first(self) -> Self:
        """The order of the list."""
        return self.order_by("-placed_at", "-id")
