"""Reading memories, tombstones and sweep runs as Django QuerySets, named for the domain."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from django.db.models import Q, TextField
from django.db.models.functions import Cast

from memories.namespaces import prefix_bounds
from memories.statements.slots import column
from tenants.managers import TenantQuerySet


class MemoryQuerySet(TenantQuerySet[Any]):
    """Memories of one tenant."""

    def visible(self, at: datetime) -> Self:
        """In use at this instant: what agents can see."""
        until = column("visible_until")
        in_time = Q(**{f"{until}__isnull": True}) | Q(**{f"{until}__gt": at})
        return self.filter(in_time, trashed_at__isnull=True)

    def below(self, prefix: str) -> Self:
        """In or below a stored namespace prefix, as an index range."""
        low, high = prefix_bounds(prefix)
        return self if high is None else self.filter(namespace__gte=low, namespace__lt=high)

    def waiting_for_vectors(self, at: datetime) -> Self:
        """Stored without their vectors, due for another try, the longest waiting first."""
        return self.filter(embedding="pending", embedding_due_at__lte=at).order_by(
            "embedding_due_at"
        )


class VersionQuerySet(TenantQuerySet[Any]):
    """Values that were replaced."""

    def of_memory(self, identifier: UUID) -> Self:
        """Of one memory, newest first."""
        return self.filter(memory_id=identifier).order_by("-version")

    def with_text(self) -> Self:
        """The value as JSON text in `text`: numbers keep all their digits."""
        return self.defer("value", "sealed").annotate(text=Cast("value", TextField()))


class TombstoneQuerySet(TenantQuerySet[Any]):
    """What purges left."""

    def below(self, prefix: str) -> Self:
        """In or below a stored namespace prefix."""
        low, high = prefix_bounds(prefix)
        return self if high is None else self.filter(namespace__gte=low, namespace__lt=high)


class SweepRunQuerySet(TenantQuerySet[Any]):
    """Sweeps that were made."""

    def newest_first(self) -> Self:
        """The order of the list."""
        return self.order_by("-started_at", "-id")

    def abandoned(self, before: datetime) -> Self:
        """Runs that began before this and never said how they ended."""
        return self.filter(state="running", started_at__lt=before)

    def within(self, prefixes: Sequence[str]) -> Self:
        """Sweeps of nothing but what lies below one of these stored prefixes; "" is everything."""
        if "" in prefixes:
            return self
        below = Q(pk__in=[])
        for prefix in prefixes:
            below |= Q(namespace_prefix__startswith=prefix)
        return self.filter(below)


class FindingQuerySet(TenantQuerySet[Any]):
    """What jobs could not do."""

    def still_open(self) -> Self:
        """Nobody closed them, nor did a job that could do it after all."""
        return self.filter(closed_at__isnull=True)

    def about(self, memories: Sequence[UUID]) -> Self:
        """About these memories."""
        return self.filter(memory_id__in=list(memories))

    def within(self, prefixes: Sequence[str]) -> Self:
        """About memories below one of these stored prefixes; "" is everything."""
        if "" in prefixes:
            return self
        below = Q(pk__in=[])
        for prefix in prefixes:
            below |= Q(namespace__startswith=prefix)
        return self.filter(below)
