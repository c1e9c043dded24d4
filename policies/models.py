"""The tables of the rules: versions of a tenant's rule set, each with its own examples."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q

from policies.querysets import RuleSetQuerySet
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
