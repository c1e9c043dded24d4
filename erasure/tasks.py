"""Tasks of this room: deferred erasures go on, and what a restore brought back is erased again."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task

from erasure import erasing, packaging, scoping  # noqa: F401 - kinds of jobs
from erasure.erasing import continue_erasure
from erasure.replaying import replay_erasures
from erasure.stepping import SCHEDULED
from tenants.scheduling import claim_due
from tenants.tasks import TenantTask


@shared_task
def continue_all() -> None:
    """Beat: erasures that wait for a hold to end, and those whose job died."""
    for tenant_id, request_id in claim_due(SCHEDULED):
        continue_one.delay(tenant_id, request_id)


@shared_task(base=TenantTask)
def continue_one(request_id: str) -> None:
    """One of them."""
    continue_erasure(UUID(request_id))


@shared_task
def replay_missing() -> None:
    """Beat: what the ledger says and the database lacks, where nobody ran `replay_erasures`."""
    replay_erasures()
