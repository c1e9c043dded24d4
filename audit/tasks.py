"""Tasks of this room: partitions made ahead, and jobs run."""

from __future__ import annotations

from uuid import UUID

import structlog
from celery import shared_task
from django.db import OperationalError, connection

from audit.files import drop_old
from audit.jobs import SCHEDULED, run_job
from audit.sealing.lagging import read_lag
from audit.sealing.rounds import seal
from audit.verifying import standing  # noqa: F401 - kinds of jobs
from tenants.clock import wall_clock
from tenants.scheduling import claim_due
from tenants.tasks import TenantTask

log = structlog.get_logger(__name__)

MONTHS_AHEAD = 24


@shared_task
def extend_months() -> None:
    """Partitions for the coming months: a missing one would send events to the default."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT hub_extend_months(now(), %s)", [MONTHS_AHEAD])


@shared_task
def drop_old_files() -> None:
    """Beat, hourly: files of jobs are kept for 30 days."""
    dropped = drop_old(wall_clock())
    if dropped:
        log.info("old_files_dropped", files=dropped)


@shared_task
def seal_audit() -> None:
    """Beat, each second: put what is final into its place, and sign it."""
    try:
        seal()
        lag = read_lag()
    except OperationalError:
        log.warning("sealing_postponed")
        return
    if lag.is_alarm:
        log.error("audit_seal_lag", seconds=round(lag.seconds), blocker=lag.blocker)


@shared_task
def run_jobs_all() -> None:
    """Beat: jobs that nobody runs, new ones whose message was lost and those of dead workers."""
    for tenant_id, job_id in claim_due(SCHEDULED):
        run_job_of.delay(tenant_id, job_id)


@shared_task(base=TenantTask)
def run_job_of(job_id: str) -> None:
    """Run one job of a tenant to its end."""
    run_job(UUID(job_id))
