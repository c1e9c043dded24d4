"""The tables of subject requests, of recorded backups, and of which ledger entries were applied.

No clear identifier of a person stands here: the pseudonym leads to it while its row exists
(privacy.subjects), and free text is sealed under the person's own key.
"""

from __future__ import annotations

from typing import Any

from django.db import models

from erasure.querysets import RequestQuerySet
from policies.requests.steps import RequestKind, RequestState
from tenants.ids import uuid7
from tenants.managers import TenantManager, TenantModel


class RequestManager(TenantManager["SubjectRequest"]):
    queryset_class = RequestQuerySet


class SubjectRequest(TenantModel):
    """What a person asked for, how far it is, and what came of it.

    `hands` are the ids of those who may not approve it. `texts` is a JSON object of free texts,
    sealed. `ledger` names the entry of the ledger that an approved erasure stands in.
    """

    kind = models.CharField(max_length=16, choices=[(one.value, one.value) for one in RequestKind])
    state = models.CharField(
        max_length=16, choices=[(one.value, one.value) for one in RequestState],
        default=RequestState.NEW.value,
    )  # fmt: skip
    outcome = models.CharField(max_length=24, null=True)  # noqa: DJ001 - null: not over
    pseudonym = models.CharField(max_length=32)
    received_at = models.DateTimeField()
    due_at = models.DateTimeField()
    extension = models.JSONField(null=True)
    identity = models.JSONField(null=True)
    scope = models.JSONField(null=True)
    exclusions = models.JSONField(default=list)
    decision = models.JSONField(null=True)
    approval = models.JSONField(null=True)
    result = models.JSONField(null=True)
    certificate = models.JSONField(null=True)
    texts = models.BinaryField(null=True)
    hands = models.JSONField(default=list)
    job = models.UUIDField(null=True)
    ledger = models.UUIDField(null=True)
    created_at = models.DateTimeField()
    created_by = models.CharField(max_length=64)
    created_by_name = models.CharField(max_length=254)
    verified_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)

    objects: Any = RequestManager()

    class Meta:
        base_manager_name = "objects"
        indexes = (
            # the list, newest first
            models.Index(fields=["tenant_id", "-created_at", "-id"], name="request_newest"),
            # the board: what is open, by when it is due
            models.Index(
                fields=["tenant_id", "due_at"],
                condition=models.Q(closed_at__isnull=True),
                name="request_open_due",
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} for {self.pseudonym} ({self.state})"


class RequestedMemory(TenantModel):
    """A memory in the scope of a request, and by what it was found: ids only.

    No key to the memory: the row outlives it until the request is closed.
    """

    class Found(models.TextChoices):
        INDEX = "index"
        PROBE = "probe"
        DERIVED = "derived"

    request_id = models.UUIDField()
    memory_id = models.UUIDField()
    found_by = models.CharField(max_length=8, choices=Found.choices)

    class Meta:
        base_manager_name = "objects"
        constraints = (
            # the memories of a request, each once
            models.UniqueConstraint(
                fields=["tenant_id", "request_id", "memory_id"], name="requested_memory_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.memory_id} by {self.found_by}"


class RecordedBackup(models.Model):
    """A copy of the database that somebody said was taken, and when it ends.

    Not a tenant's: a copy holds all of them. It holds no content.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    taken_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    recorded_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=models.Q(expires_at__gt=models.F("taken_at")), name="backup_ends_later"
            ),
        )

    def __str__(self) -> str:
        return f"backup of {self.taken_at}"


class AppliedErasure(models.Model):
    """An entry of the ledger that this database has carried out: what a restore lacks.

    Not a tenant's: it is read before anybody acts. It holds ids only.
    """

    entry = models.UUIDField(primary_key=True)
    tenant_id = models.UUIDField()
    applied_at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.entry)
