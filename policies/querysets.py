"""Rule sets as a Django QuerySet, named for the domain."""

from __future__ import annotations

from typing import Any, Self

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
