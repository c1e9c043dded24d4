"""Reading a tenant's events in tests, oldest first."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from audit.models import Event
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.ids import PLATFORM_TENANT
from tenants.models import Tenant


def events_of(tenant: Tenant, **conditions: Any) -> list[Event]:
    """The tenant's events that fulfil the conditions of a Django filter."""
    return _read(tenant.id, conditions)


def platform_events(**conditions: Any) -> list[Event]:
    """Events that belong to no tenant."""
    return _read(PLATFORM_TENANT, conditions)


def _read(tenant_id: Any, conditions: dict[str, Any]) -> list[Event]:
    with acting_as(operator_actor(tenant_id)), transaction.atomic():
        rows: Any = Event.objects.all()
        return list(rows.filter(**conditions).with_places().order_by("at", "id"))
