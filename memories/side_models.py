"""Two small tables beside the store's own: what happened outside, and ways from text to vector."""

from __future__ import annotations

from django.db import models

from tenants.managers import TenantModel


class BusinessEvent(TenantModel):
    """Something that happened outside, once for each `external_id`; in the future it waits."""

    external_id = models.CharField(max_length=256)
    type = models.CharField(max_length=128)
    occurred_at = models.DateTimeField()
    received_at = models.DateTimeField()
    scope = models.JSONField()
    matched = models.PositiveIntegerField(default=0)
    applied_at = models.DateTimeField(null=True)

    class Meta:
        base_manager_name = "objects"
        constraints = (
            # the same id counts once
            models.UniqueConstraint(
                fields=["tenant_id", "external_id"], name="business_event_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.type} at {self.occurred_at}"


class EmbeddingProfile(models.Model):
    """A fixed way from text to vector. Numbered, because vectors and partial indexes carry it.

    Not a tenant table: it holds no content, and tenants share profiles.
    """

    number = models.PositiveSmallIntegerField(primary_key=True)
    name = models.CharField(max_length=63, unique=True)
    provider = models.CharField(max_length=16)
    model = models.CharField(max_length=200)
    dimensions = models.PositiveSmallIntegerField()
    distance = models.CharField(max_length=8, default="cosine")
    base_url = models.CharField(max_length=500, default="", blank=True)
    query_prefix = models.CharField(max_length=63, default="", blank=True)
    passage_prefix = models.CharField(max_length=63, default="", blank=True)
    fingerprint = models.TextField(default="", db_default="", blank=True)
    """The vector of `recognising.PROBE` at first use, as JSON; empty before."""
    changed_at = models.DateTimeField(null=True, blank=True)
    """Since when another model answers under this name."""

    def __str__(self) -> str:
        return self.name
