"""The manager of every tenant table: raises when nobody acts, names the tenant in every query.

It is the base manager too, so that Django's own refreshes and cascades cannot get round it.
The tenant stands in the query as a value: from the row policy alone the planner can neither prune
partitions nor choose the vector index (1.6 ms of planning instead of 0.2).
"""

from __future__ import annotations

from typing import Any, Self, TypeVar
from uuid import UUID

from django.db import models

from tenants.context import current_tenant_id
from tenants.ids import uuid7

M = TypeVar("M", bound=models.Model)


class TenantQuerySet(models.QuerySet[M]):
    """A queryset of one tenant's rows; domain querysets inherit from it."""

    def with_id(self, identifier: UUID) -> Self:
        """The one row with this id, if it is the tenant's."""
        return self.filter(id=identifier)


class TenantManager(models.Manager[M]):
    """Every query begins with the acting tenant's rows."""

    queryset_class: type[TenantQuerySet[Any]] = TenantQuerySet

    def get_queryset(self) -> TenantQuerySet[M]:
        return self.queryset_class(self.model, using=self._db).filter(tenant_id=current_tenant_id())


class TenantModel(models.Model):
    """Base of every tenant table: key (tenant, id), tenant filled in by who acts."""

    is_tenant_table = True

    pk = models.CompositePrimaryKey("tenant_id", "id")
    tenant_id = models.UUIDField(default=current_tenant_id, editable=False)
    id = models.UUIDField(default=uuid7, editable=False)

    objects: Any = TenantManager()

    class Meta:
        abstract = True
        base_manager_name = "objects"
