"""The tables of sweeping: what is swept by which rhythm, runs, findings, forecasts, tallies."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q

from memories.querysets import FindingQuerySet, SweepRunQuerySet
from tenants.ids import uuid7
from tenants.managers import TenantManager, TenantModel


class SweepScope(TenantModel):
    """A namespace prefix that is swept by a rhythm of its own; "" is the tenant's."""

    namespace_prefix = models.TextField(db_collation="C", default="", blank=True)
    interval_minutes = models.FloatField(default=1.0)
    enabled = models.BooleanField(default=True)

    class Meta:
        base_manager_name = "objects"
        constraints = (
            models.UniqueConstraint(
                fields=["tenant_id", "namespace_prefix"], name="sweep_scope_once"
            ),
            models.CheckConstraint(
                condition=Q(interval_minutes__gte=0.1), name="sweep_scope_interval"
            ),
        )

    def __str__(self) -> str:
        return f"sweep of {self.namespace_prefix or 'everything'}"


class SweepRunManager(TenantManager["SweepRun"]):
    queryset_class = SweepRunQuerySet


class SweepRun(TenantModel):
    """One sweep with what it did: evidence."""

    class State(models.TextChoices):
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    namespace_prefix = models.TextField(db_collation="C", default="")
    trigger = models.CharField(max_length=16)
    dry_run = models.BooleanField(default=False)
    state = models.CharField(max_length=8, choices=State.choices, default=State.RUNNING)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    lag_seconds = models.FloatField(default=0)
    counts = models.JSONField(default=dict)

    objects: Any = SweepRunManager()

    class Meta:
        base_manager_name = "objects"
        indexes = (
            # the list of runs, newest first
            models.Index(fields=["tenant_id", "-started_at", "-id"], name="sweep_run_newest"),
        )

    def __str__(self) -> str:
        return f"sweep {self.id} {self.state}"


class FindingManager(TenantManager["Finding"]):
    queryset_class = FindingQuerySet


class Finding(TenantModel):
    """Something a job could not do and a person should look at; `namespace` is the memory's."""

    namespace = models.TextField(db_collation="C", default="", db_default="", blank=True)
    kind = models.CharField(max_length=32)
    memory_id = models.UUIDField(null=True)
    detail = models.TextField()
    found_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    objects: Any = FindingManager()

    class Meta:
        base_manager_name = "objects"
        indexes = (
            # the list, newest first
            models.Index(fields=["tenant_id", "-found_at", "-id"], name="finding_newest"),
            # what is open about a memory, to be closed when it is well again
            models.Index(
                fields=["tenant_id", "memory_id"],
                condition=Q(closed_at__isnull=True),
                name="finding_open",
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} at {self.found_at}"


class CalendarDay(TenantModel):
    """How many memories leave use and are destroyed on a day of the tenant's zone, by rule.

    `job_id` is the job that counted them; the rows of the last finished one are shown.
    """

    job_id = models.UUIDField()
    day = models.DateField()
    rule = models.CharField(max_length=128, default="", blank=True)
    leaves = models.PositiveIntegerField(default=0)
    destroyed = models.PositiveIntegerField(default=0)

    class Meta:
        base_manager_name = "objects"
        constraints = (
            # one row a day and rule of a count; read by count
            models.UniqueConstraint(
                fields=["tenant_id", "job_id", "day", "rule"], name="calendar_day_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.day}: {self.leaves} leave use, {self.destroyed} are destroyed"


class SweepTally(models.Model):
    """What the sweeps of one scope did in sum, for /metrics. Not a tenant table: no content.

    `done` counts by action since the scope was first swept; `due` and `lag_seconds` are what the
    last sweep found.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey("tenants.Tenant", on_delete=models.CASCADE, related_name="+")
    scope = models.TextField(default="", blank=True, db_collation="C")
    done = models.JSONField(default=dict)
    due = models.PositiveIntegerField(default=0)
    lag_seconds = models.FloatField(default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["tenant", "scope"], name="sweep_tally_once"),
        )

    def __str__(self) -> str:
        return f"sweeps of {self.scope or 'everything'}"
