"""The tables of the rules: versions of a tenant's rule set with their examples; legal holds."""

from __future__ import annotations

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from policies.querysets import HoldQuerySet, RuleSetQuerySet
from tenants.managers import TenantManager, TenantModel


class RuleSetManager(TenantManager["RuleSet"]):
    queryset_class = RuleSetQuerySet


class RuleSet(TenantModel):
    """One version of the rules. Once activated its content never changes (a trigger sees to it).

    `since` says for each key since when a rule with that content has been in every active version
    without a gap. `staged` says under what the coming dates of the memories were computed.
    """

    class State(models.TextChoices):
        DRAFT = "draft"
        SIMULATED = "simulated"
        APPROVED = "approved"
        ACTIVE = "active"
        SUPERSEDED = "superseded"

    n = models.PositiveIntegerField()
    state = models.CharField(max_length=16, choices=State.choices, default=State.DRAFT)
    based_on = models.PositiveIntegerField(null=True)
    hash = models.CharField(max_length=64)
    note = models.TextField(default="", blank=True)
    rules = models.JSONField(default=list)
    cases = models.JSONField(default=list)
    simulation = models.JSONField(null=True)
    staged = models.JSONField(null=True)
    approvals = models.JSONField(default=list)
    since = models.JSONField(default=dict)
    created_at = models.DateTimeField()
    created_by = models.CharField(max_length=64)
    created_by_name = models.CharField(max_length=254)
    written_by = models.CharField(max_length=64)
    """Who wrote the content last: an author too, so not an approver."""
    activated_at = models.DateTimeField(null=True)
    activated_by_name = models.CharField(max_length=254, default="", blank=True)

    objects: Any = RuleSetManager()

    class Meta:
        base_manager_name = "objects"
        constraints = (
            # a version's number; also the look-up by number and the list, newest first
            models.UniqueConstraint(fields=["tenant_id", "n"], name="ruleset_number_once"),
            # one active version; also the look-up of the active one
            models.UniqueConstraint(
                fields=["tenant_id"], condition=Q(state="active"), name="ruleset_one_active"
            ),
        )

    def __str__(self) -> str:
        return f"rules {self.n} ({self.state})"


class HoldManager(TenantManager["Hold"]):
    queryset_class = HoldQuerySet


class Hold(TenantModel):
    """A legal hold over subjects, namespaces and memories (their ids stand in HoldMember).

    `namespaces` are stored prefixes. A release is asked for by one person and made by another.
    """

    class State(models.TextChoices):
        ACTIVE = "active"
        RELEASE_REQUESTED = "release_requested"
        RELEASED = "released"

    matter = models.CharField(max_length=256)
    reason = models.TextField()
    custodian = models.CharField(max_length=256)
    subjects = ArrayField(models.TextField(), default=list)
    namespaces = ArrayField(models.TextField(), default=list)
    names_memories = models.BooleanField(default=False)
    state = models.CharField(max_length=20, choices=State.choices, default=State.ACTIVE)
    placed_at = models.DateTimeField()
    placed_by = models.CharField(max_length=64)
    placed_by_name = models.CharField(max_length=254)
    release_requested_at = models.DateTimeField(null=True)
    release_requested_by = models.CharField(max_length=64, default="", blank=True)
    release_requested_by_name = models.CharField(max_length=254, default="", blank=True)
    release_reason = models.TextField(default="", blank=True)
    released_at = models.DateTimeField(null=True)
    released_by_name = models.CharField(max_length=254, default="", blank=True)
    released_reason = models.TextField(default="", blank=True)

    objects: Any = HoldManager()

    class Meta:
        base_manager_name = "objects"
        constraints = (
            # released is what has an instant of release
            models.CheckConstraint(
                condition=Q(state="released", released_at__isnull=False)
                | (~Q(state="released") & Q(released_at__isnull=True)),
                name="hold_released_at",
            ),
        )
        indexes = (
            # the list, newest first
            models.Index(fields=["tenant_id", "-placed_at", "-id"], name="hold_newest"),
        )

    def __str__(self) -> str:
        return f"hold {self.id} ({self.state})"


class HoldMember(TenantModel):
    """A memory that a hold names by its id."""

    hold_id = models.UUIDField()
    memory_id = models.UUIDField()

    class Meta:
        base_manager_name = "objects"
        constraints = (
            # a memory once a hold; also the members of a hold
            models.UniqueConstraint(
                fields=["tenant_id", "hold_id", "memory_id"], name="hold_member_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.memory_id} under hold {self.hold_id}"


class Prevention(TenantModel):
    """A destruction that a hold prevented: counted once for each memory and hold, by what came
    first. `cause` says what would have destroyed it (policies.preventing)."""

    hold_id = models.UUIDField()
    memory_id = models.UUIDField()
    cause = models.CharField(max_length=32)
    due_at = models.DateTimeField()
    prevented_at = models.DateTimeField()

    class Meta:
        base_manager_name = "objects"
        constraints = (
            # counted once; also the count of a hold
            models.UniqueConstraint(
                fields=["tenant_id", "hold_id", "memory_id"], name="hold_prevention_once"
            ),
        )
        indexes = (
            # what a hold prevented, newest first
            models.Index(
                fields=["tenant_id", "hold_id", "-prevented_at", "-id"],
                name="hold_prevention_newest",
            ),
        )

    def __str__(self) -> str:
        return f"{self.cause} of {self.memory_id} prevented"
