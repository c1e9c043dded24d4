"""The dashboard's one job: counting large tenants for their overview (`dashboard.figures`)."""

from __future__ import annotations

from celery import shared_task

from dashboard.figures import SCHEDULED, count_tenant
from tenants.scheduling import claim_due
from tenants.tasks import TenantTask


@shared_task
def count_figures_all() -> None:
    """Beat: the overview's figures of every tenant whose turn it is."""
    for tenant_id, _ in claim_due(SCHEDULED):
        count_figures_of.delay(tenant_id)


@shared_task(base=TenantTask)
def count_figures_of() -> None:
    """Count one tenant, if it is large."""
    count_tenant()
