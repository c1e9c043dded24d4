"""The tables of the store. Memories and vectors are hash-partitioned by tenant (see SCALE rules).

The key of each is (tenant_id, id). Foreign keys are composite and set in the migrations, because
Django's are single columns and deferrable. Every index names the query it serves.
"""

from __future__ import annotations

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q
from pgvector.django import HalfVectorField

from memories.querysets import (
    MemoryQuerySet,
    TombstoneQuerySet,
    VersionQuerySet,
)
from memories.side_models import BusinessEvent, EmbeddingProfile
from memories.sweep_models import CalendarDay, Finding, SweepRun, SweepScope, SweepTally
from tenants.managers import TenantManager, TenantModel

__all__ = (
    "BusinessEvent", "CalendarDay", "EmbeddingProfile", "Finding", "Memory", "MemorySubject",
    "MemoryVector", "MemoryVersion", "SweepRun", "SweepScope", "SweepTally", "Tombstone",
)  # fmt: skip


class MemoryManager(TenantManager["Memory"]):
    queryset_class = MemoryQuerySet


class Memory(TenantModel):
    """One memory, as agents see it in `value`.

    `visible_until` and `purge_at` are what the policy engine computed, stored to be indexed and
    never trusted at destruction. `ruled` says that more than a TTL decides them, so that a read
    must ask the engine instead of moving them by itself. Names ending in _b: the second slot.
    """

    class Tier(models.TextChoices):
        LONG = "long"
        SHORT = "short"

    class Embedding(models.TextChoices):
        READY = "ready"
        PENDING = "pending"
        NONE = "none"
        FAILED = "failed"

    namespace = models.TextField(db_collation="C")
    key = models.TextField(db_collation="C")
    value = models.JSONField()
    sealed = models.BinaryField(null=True)
    kind = models.CharField(max_length=63, default="fact")
    tier = models.CharField(max_length=8, choices=Tier.choices, default=Tier.LONG)
    session = models.CharField(max_length=64, null=True)  # noqa: DJ001 - null: of no session
    subjects = ArrayField(models.TextField(), default=list)
    classes = ArrayField(models.TextField(), default=list)
    tags = ArrayField(models.TextField(), default=list)
    label = models.TextField(null=True)  # noqa: DJ001 - null: no officer labelled it
    source = models.JSONField(null=True)
    derived_from = ArrayField(models.UUIDField(), default=list)
    source_caps = ArrayField(models.DateTimeField(), default=list)
    decay = models.FloatField()
    importance = models.FloatField(default=0.5)
    weight = models.FloatField(default=1.0)
    index_paths = ArrayField(models.TextField(), null=True)  # null: the tenant's; empty: none
    content_hash = models.BinaryField()
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    accessed_at = models.DateTimeField(null=True)
    access_count = models.PositiveIntegerField(default=0)
    ttl = models.DurationField(null=True)
    ttl_expires_at = models.DateTimeField(null=True)
    visible_until = models.DateTimeField(null=True)
    purge_at = models.DateTimeField(null=True)
    ruled = models.BooleanField(default=False)
    rule = models.CharField(max_length=128, null=True)  # noqa: DJ001 - null: no rule decided
    flags = ArrayField(models.CharField(max_length=32), default=list)
    archived_at = models.DateTimeField(null=True)
    trashed_at = models.DateTimeField(null=True)
    deleted_at = models.DateTimeField(null=True)
    restored_at = models.DateTimeField(null=True)
    ruleset = models.PositiveIntegerField(default=0)
    visible_until_b = models.DateTimeField(null=True)
    purge_at_b = models.DateTimeField(null=True)
    archived_at_b = models.DateTimeField(null=True)
    rule_b = models.CharField(max_length=128, null=True)  # noqa: DJ001 - null: no rule decided
    flags_b = ArrayField(models.CharField(max_length=32), null=True)
    ruled_b = models.BooleanField(null=True)
    ruleset_b = models.PositiveIntegerField(null=True)
    dates_moved_at_b = models.DateTimeField(null=True)
    dates_moved_at = models.DateTimeField(null=True)
    due_at = models.DateTimeField(null=True)
    due_at_b = models.DateTimeField(null=True)
    hidden_as = models.CharField(max_length=16, null=True)  # noqa: DJ001 - null: of before
    hidden_as_b = models.CharField(max_length=16, null=True)  # noqa: DJ001 - the same
    hold_ids = ArrayField(models.UUIDField(), default=list, db_default=[])
    erasure_verified_at = models.DateTimeField(null=True)
    erasure_approved_at = models.DateTimeField(null=True)
    restricted_at = models.DateTimeField(null=True)
    source_erased_at = models.DateTimeField(null=True)
    acts_at = models.DateTimeField(null=True)
    acts_at_b = models.DateTimeField(null=True)
    review_at = models.DateTimeField(null=True)
    review_at_b = models.DateTimeField(null=True)
    reviewed_at = models.DateTimeField(null=True)
    archive_noted_at = models.DateTimeField(null=True)
    anonymised_at = models.DateTimeField(null=True)
    original_kept_at = models.DateTimeField(null=True)
    events = models.JSONField(default=dict, db_default={})  # type → when it occurred
    embedding = models.CharField(max_length=8, choices=Embedding.choices, default=Embedding.PENDING)
    embedding_due_at = models.DateTimeField(null=True)
    embedding_attempts = models.PositiveSmallIntegerField(default=0)
    lexemes = SearchVectorField(null=True)
    length = models.PositiveIntegerField(default=0)  # of `lexemes`, for BM25's length norm
    quarantined_at = models.DateTimeField(null=True)
    scan_due_at = models.DateTimeField(null=True)
    scanned_at = models.DateTimeField(null=True)
    """When it was looked at for personal data; null: not yet, and reads mask it until then."""
    detector = models.CharField(max_length=32, default="", db_default="", blank=True)
    """By which detectors and rules (privacy.regimes, `tag`)."""

    objects: Any = MemoryManager()

    class Meta:
        base_manager_name = "objects"
        constraints = (
            # a key is taken by one row that is not in the trash; get, put and delete look it up
            models.UniqueConstraint(
                fields=["tenant_id", "namespace", "key"],
                condition=Q(trashed_at__isnull=True),
                name="memory_key_once",
            ),
            models.CheckConstraint(
                condition=Q(decay__gt=0, decay__lte=1), name="memory_decay_range"
            ),
            models.CheckConstraint(
                condition=Q(importance__gte=0, importance__lte=1), name="memory_importance_range"
            ),
        )
        indexes = (
            # search without a query and the namespace browser: newest first below a prefix; with
            # the id, for an import writes many at one instant
            models.Index(
                fields=["tenant_id", "-updated_at", "-id"],
                condition=Q(trashed_at__isnull=True),
                name="memory_newest",
            ),
            # the sweep's two scans
            models.Index(
                fields=["tenant_id", "visible_until"],
                condition=Q(visible_until__isnull=False, trashed_at__isnull=True),
                name="memory_expiring",
            ),
            models.Index(
                fields=["tenant_id", "purge_at"],
                condition=Q(purge_at__isnull=False),
                name="memory_purging",
            ),
            # the same scans when the second slot counts
            models.Index(
                fields=["tenant_id", "visible_until_b"],
                condition=Q(visible_until_b__isnull=False, trashed_at__isnull=True),
                name="memory_expiring_b",
            ),
            models.Index(
                fields=["tenant_id", "purge_at_b"],
                condition=Q(purge_at_b__isnull=False),
                name="memory_purging_b",
            ),
            # what a hold or an open request keeps from a destruction that is due, in each slot
            models.Index(
                fields=["tenant_id", "due_at"],
                condition=Q(due_at__isnull=False),
                name="memory_suspended",
            ),
            models.Index(
                fields=["tenant_id", "due_at_b"],
                condition=Q(due_at_b__isnull=False),
                name="memory_suspended_b",
            ),
            # what else a sweep does: archive, degrade, anonymise, unseal; in each slot
            models.Index(
                fields=["tenant_id", "acts_at"],
                condition=Q(acts_at__isnull=False),
                name="memory_acting",
            ),
            models.Index(
                fields=["tenant_id", "acts_at_b"],
                condition=Q(acts_at_b__isnull=False),
                name="memory_acting_b",
            ),
            # the review queue, in each slot
            models.Index(
                fields=["tenant_id", "review_at", "id"],
                condition=Q(review_at__isnull=False),
                name="memory_review",
            ),
            models.Index(
                fields=["tenant_id", "review_at_b", "id"],
                condition=Q(review_at_b__isnull=False),
                name="memory_review_b",
            ),
            # originals sealed with their memory: how many are left under an older key, and which
            # what a hold over a namespace covers of the trash; of the rest, the place's own index
            models.Index(
                fields=["tenant_id", "namespace", "id"],
                condition=Q(trashed_at__isnull=False),
                name="memory_trashed",
            ),
            models.Index(
                fields=["tenant_id", "id"],
                condition=Q(sealed__isnull=False),
                name="memory_sealed",
            ),
            # what keeps a hold that no scope of it fits any more
            models.Index(
                fields=["tenant_id", "id"], condition=~Q(hold_ids=[]), name="memory_keeping_holds"
            ),
            # embed_pending's scan
            models.Index(
                fields=["tenant_id", "embedding_due_at"],
                condition=Q(embedding="pending"),
                name="memory_pending",
            ),
            # the scan for personal data: what waits, the most urgent first
            models.Index(
                fields=["tenant_id", "scan_due_at"],
                condition=Q(scanned_at__isnull=True),
                name="memory_unscanned",
            ),
            # the scan: what other detectors looked at
            models.Index(fields=["tenant_id", "detector"], name="memory_detector"),
            # the list of what is quarantined
            models.Index(
                fields=["tenant_id", "-quarantined_at", "-id"],
                condition=Q(quarantined_at__isnull=False),
                name="memory_quarantined",
            ),
        )

    def __str__(self) -> str:
        return f"{self.namespace}{self.key}"


class VersionManager(TenantManager["MemoryVersion"]):
    queryset_class = VersionQuerySet


class MemoryVersion(TenantModel):
    """A value that was replaced, with who replaced it. Shares the dates of its memory."""

    memory_id = models.UUIDField()
    version = models.PositiveIntegerField()
    value = models.JSONField()
    sealed = models.BinaryField(null=True)
    content_hash = models.BinaryField()
    written_at = models.DateTimeField()
    replaced_at = models.DateTimeField()
    replaced_by = models.CharField(max_length=254)
    event_id = models.UUIDField()

    objects: Any = VersionManager()

    class Meta:
        base_manager_name = "objects"
        constraints = (
            # versions of one memory, newest first
            models.UniqueConstraint(
                fields=["tenant_id", "memory_id", "version"], name="memory_version_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.memory_id} version {self.version}"


class MemoryVector(TenantModel):
    """One embedded text: of a memory, under a profile, at a field path, one chunk of it."""

    memory_id = models.UUIDField()
    profile = models.PositiveSmallIntegerField()
    field = models.TextField()
    chunk = models.PositiveSmallIntegerField(default=0)
    embedding = HalfVectorField()

    class Meta:
        base_manager_name = "objects"
        constraints = (
            # one vector a text; also finds the vectors of a memory
            models.UniqueConstraint(
                fields=["tenant_id", "memory_id", "profile", "field", "chunk"],
                name="memory_vector_once",
            ),
        )

    def __str__(self) -> str:
        return f"{self.memory_id} {self.field}.{self.chunk}"


class MemorySubject(TenantModel):
    """Whom a memory is about: a side table, because an array is not indexable under RLS."""

    memory_id = models.UUIDField()
    subject = models.TextField(db_collation="C")
    pseudonym = models.CharField(max_length=32, null=True)  # noqa: DJ001 - null: an older row
    """As events name the subject; what reads of the memory say comes from here."""

    class Meta:
        base_manager_name = "objects"
        constraints = (
            # memories of a subject
            models.UniqueConstraint(
                fields=["tenant_id", "subject", "memory_id"], name="memory_subject_once"
            ),
        )
        indexes = (
            # the cascade from a purged memory
            models.Index(fields=["tenant_id", "memory_id"], name="memory_subject_memory"),
        )

    def __str__(self) -> str:
        return f"{self.memory_id} about a subject"


class TombstoneManager(TenantManager["Tombstone"]):
    queryset_class = TombstoneQuerySet


class Tombstone(TenantModel):
    """What a purge leaves: that it existed, where, why it went. Its id is the memory's."""

    namespace = models.TextField(db_collation="C")
    kind = models.CharField(max_length=63)
    classes = ArrayField(models.TextField(), default=list)
    created_at = models.DateTimeField(null=True)
    visible_until = models.DateTimeField(null=True)
    """Until when it was in use; with `created_at`, what was known at an instant (`knowing`)."""
    purged_at = models.DateTimeField()
    rule = models.CharField(max_length=128, null=True)  # noqa: DJ001 - null: no rule, a TTL or delete
    ruleset = models.PositiveIntegerField(default=0)
    reason = models.CharField(max_length=32)
    event_id = models.UUIDField()

    objects: Any = TombstoneManager()

    class Meta:
        base_manager_name = "objects"
        indexes = (
            # lists and counts below a prefix
            models.Index(fields=["tenant_id", "namespace", "id"], name="tombstone_namespace"),
        )

    def __str__(self) -> str:
        return f"{self.id} purged at {self.purged_at}"
