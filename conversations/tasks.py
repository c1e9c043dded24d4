"""Jobs of this room: messages read by the LLM, candidates promoted, recall measured."""

from __future__ import annotations

from celery import shared_task

from audit.tasks import run_job_of
from conversations.measuring import measure_nightly
from conversations.promoting import promote_pending
from conversations.reading import read_pending
from tenants.context import current_tenant_id
from tenants.scheduling import claim_due
from tenants.tasks import TenantTask


@shared_task
def read_all() -> None:
    """Beat: messages that an LLM has not read, tenant by tenant."""
    for tenant_id, _ in claim_due("read"):
        read_tenant.delay(tenant_id)


@shared_task(base=TenantTask)
def read_tenant() -> None:
    """Read what waits in one tenant."""
    read_pending()


@shared_task
def promote_all() -> None:
    """Beat: candidates that nobody has looked at, tenant by tenant."""
    for tenant_id, _ in claim_due("promote"):
        promote_tenant.delay(tenant_id)


@shared_task(base=TenantTask)
def promote_tenant() -> None:
    """Promote what is due in one tenant."""
    promote_pending()


@shared_task
def measure_recall_all() -> None:
    """Beat: the nightly measuring of recall."""
    for tenant_id, _ in claim_due("recall"):
        measure_recall_of.delay(tenant_id)


@shared_task(base=TenantTask)
def measure_recall_of() -> None:
    """Begin one tenant's run and run it."""
    job = measure_nightly()
    if job is not None:
        run_job_of.delay(str(current_tenant_id()), str(job.id))
