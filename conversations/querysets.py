"""Candidates, feedback and recall as Django QuerySets, named for the domain."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from tenants.managers import TenantQuerySet


class OpenCandidateQuerySet(TenantQuerySet[Any]):
    """Candidates that no promotion has taken."""

    def new(self) -> Self:
        """Those that promotion has not looked at, the oldest first."""
        return self.filter(looked_at__isnull=True).order_by("noted_at", "id")


class FeedbackQuerySet(TenantQuerySet[Any]):
    """What callers said about searches."""

    def since(self, at: datetime) -> Self:
        """Given since that instant."""
        return self.filter(given_at__gte=at)


class RecallRunQuerySet(TenantQuerySet[Any]):
    """Measurings of recall."""

    def finished(self) -> Self:
        """Those with a result, the newest first."""
        return self.filter(finished_at__isnull=False, questions__gt=0).order_by(
            "-started_at", "-id"
        )
