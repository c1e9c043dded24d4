"""Jobs of the store: what beat asks for across tenants, and the work in one tenant."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task

from memories import activating, deleting, redating, staging  # noqa: F401 - kinds of jobs
from memories.embedding.catching_up import embed_pending
from memories.embedding.recognising import recognise_all
from memories.forecasting import SCHEDULED as CALENDAR
from memories.forecasting import build_calendar
from memories.occurring import SCHEDULED, apply_due
from memories.reconciling import reconcile
from memories.rotating import rotate_if_due
from memories.scanning import drop_orphans, scan_pending
from memories.sweeping import sweep_scope
from tenants.ids import PLATFORM_TENANT
from tenants.models import Tenant
from tenants.scheduling import claim_due
from tenants.tasks import TenantTask


@shared_task
def sweep_all() -> None:
    """Beat: a sweep for every tenant and sweep scope that is due."""
    for tenant_id, scope in claim_due("sweep"):
        sweep_tenant.delay(tenant_id, scope)


@shared_task(base=TenantTask)
def sweep_tenant(scope: str) -> None:
    """Sweep what this scope is the deepest of."""
    sweep_scope(scope)


@shared_task
def embed_pending_all() -> None:
    """Beat: vectors for what was stored without them, tenant by tenant."""
    for tenant_id, _ in claim_due("embed"):
        embed_tenant.delay(tenant_id)


@shared_task(base=TenantTask)
def embed_tenant() -> None:
    """Embed what waits in one tenant."""
    embed_pending()


@shared_task
def recognise_models() -> None:
    """Beat: whether the models that answer are still those the vectors came from."""
    recognise_all()


@shared_task
def scan_all() -> None:
    """Beat: scans for personal data, tenant by tenant."""
    for tenant_id, _ in claim_due("pii-scan"):
        scan_tenant.delay(tenant_id)


@shared_task(base=TenantTask)
def scan_tenant() -> None:
    """Look at what waits in one tenant."""
    scan_pending()


@shared_task
def rotate_keys_all() -> None:
    """Beat: keys that served long enough, and rotations that were begun."""
    open_tenants = Tenant.objects.filter(closed_at=None).exclude(id=PLATFORM_TENANT)
    for tenant_id in open_tenants.values_list("id", flat=True):
        rotate_keys_of.delay(str(tenant_id))


@shared_task(base=TenantTask)
def rotate_keys_of() -> None:
    """Rotate one tenant's key when it is due; destroy originals that nothing needs."""
    drop_orphans()
    rotate_if_due()


@shared_task
def reconcile_all() -> None:
    """Beat, nightly: rows and events compared, tenant by tenant."""
    open_tenants = Tenant.objects.filter(closed_at=None).exclude(id=PLATFORM_TENANT)
    for tenant_id in open_tenants.values_list("id", flat=True):
        reconcile_of.delay(str(tenant_id))


@shared_task(base=TenantTask)
def reconcile_of() -> None:
    """Compare one tenant's changes with its events."""
    reconcile()


@shared_task
def apply_events_all() -> None:
    """Beat: business events whose instant has come."""
    for tenant_id, event_id in claim_due(SCHEDULED):
        apply_event.delay(tenant_id, event_id)


@shared_task(base=TenantTask)
def apply_event(event_id: str) -> None:
    """One event that waited."""
    apply_due(UUID(event_id))


@shared_task
def count_calendars_all() -> None:
    """Beat: the calendar of forgetting, once a night for each tenant."""
    for tenant_id, _ in claim_due(CALENDAR):
        count_calendar_of.delay(tenant_id)


@shared_task(base=TenantTask)
def count_calendar_of() -> None:
    """Begin the job that counts one tenant's calendar."""
    build_calendar()
