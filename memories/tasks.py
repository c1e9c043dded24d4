"""Jobs of the store: what beat asks for across tenants, and the work in one tenant."""

from __future__ import annotations

from celery import shared_task
from django.db import connection, transaction

from memories.embedding.catching_up import embed_pending
from memories.sweeping import sweep_scope
from tenants.tasks import TenantTask

CLAIM_DUE = (
    "UPDATE tenants_schedule s SET next_at = now() + make_interval(secs => s.interval_seconds) "
    "FROM tenants_tenant t "
    "WHERE t.id = s.tenant_id AND t.closed_at IS NULL AND s.job = %s AND s.next_at <= now() "
    "RETURNING s.tenant_id, s.scope"
)


def claim_due(job: str) -> list[tuple[str, str]]:
    """(tenant, scope) of what is due, each to one caller only: the claim moves `next_at` on."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(CLAIM_DUE, [job])
        return [(str(tenant), scope) for tenant, scope in cursor.fetchall()]


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
