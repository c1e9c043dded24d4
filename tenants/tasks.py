"""TenantTask: a Celery task that does one tenant's work, as the hub's own job."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import structlog
from celery import Task
from django.db import OperationalError

from tenants.actors import job_actor
from tenants.context import acting_as

log = structlog.get_logger(__name__)


class TenantTask(Task):
    """Takes the tenant's id first and acts as `job_actor` of it; the body gets the other arguments.

    With the database down a task gives up quietly: beat's next scan asks again.
    """

    abstract = True
    typing = False  # the body's signature has no tenant

    def __call__(self, tenant_id: str, *args: Any, **kwargs: Any) -> Any:
        job = self.name.rpartition(".")[2]
        with acting_as(job_actor(job, UUID(tenant_id))):
            try:
                return super().__call__(*args, **kwargs)
            except OperationalError:
                log.warning("job_postponed", job=job)
                return None
