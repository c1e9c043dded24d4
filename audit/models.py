"""The event: django-auditlog's entry, swapped for an append-only one that says who and for whom.

`payload` is the truth, canonical JSON; the other columns are copies to search by, which the
verifier compares. Range-partitioned by month. The database refuses UPDATE, DELETE and TRUNCATE.
"""

from __future__ import annotations

from typing import Any

from auditlog.models import AbstractLogEntry, LogEntryManager
from django.contrib.postgres.fields import ArrayField
from django.db import models

from audit.querysets import CallQuerySet, EventQuerySet
from audit.recording import record_change
from tenants.context import current_tenant_id
from tenants.ids import uuid7
from tenants.managers import TenantManager, TenantModel


class EventManager(TenantManager["Event"], LogEntryManager):
    """Events of the acting tenant; what django-auditlog reports becomes one of ours."""

    queryset_class = EventQuerySet

    def log_create(self, instance: models.Model, force_log: bool = False, **kwargs: Any) -> Any:
        """Called by django-auditlog for each change of a registered model."""
        changes = kwargs.get("changes")
        if changes is None and not force_log:
            return None
        return record_change(instance, change=kwargs["action"], changes=changes or {})

    def log_m2m_changes(self, *args: Any, **kwargs: Any) -> None:
        """No registered model has a many-to-many field."""
        raise TypeError("many-to-many changes are not recorded; record an event by hand")


class Event(AbstractLogEntry):
    """What happened, who did it, and to what."""

    is_tenant_table = True

    # What django-auditlog's entry has and ours replaces: its actor is a key that SET NULL would
    # change (an append-only table refuses that), the rest is in our columns.
    content_type = object_pk = object_id = object_repr = serialized_data = None
    changes_text = actor = cid = remote_addr = remote_port = timestamp = None
    additional_data = actor_email = None

    pk = models.CompositePrimaryKey("tenant_id", "at", "id")
    tenant_id = models.UUIDField(default=current_tenant_id, editable=False)
    at = models.DateTimeField()
    id = models.UUIDField(default=uuid7, editable=False)
    code = models.CharField(max_length=16)
    action = models.CharField(max_length=32)
    outcome = models.CharField(max_length=8)
    actor_kind = models.CharField(max_length=16)
    actor_id = models.CharField(max_length=64)
    actor_name = models.CharField(max_length=254)
    key_id = models.CharField(max_length=12, null=True)  # noqa: DJ001 - null: no key was used
    roles = ArrayField(models.CharField(max_length=32))
    on_behalf_of = models.CharField(max_length=254, null=True)  # noqa: DJ001 - null: for itself
    request_id = models.CharField(max_length=128)
    client_net = models.CharField(max_length=64)
    client_hash = models.CharField(max_length=64)
    target_kind = models.CharField(max_length=32)
    target_id = models.CharField(max_length=254)
    namespace = models.TextField(null=True, db_collation="C")  # noqa: DJ001 - "" is a namespace
    subjects = ArrayField(models.CharField(max_length=64))
    ruleset = models.PositiveIntegerField(null=True)
    counts = models.JSONField()
    links = models.JSONField()
    changes = models.JSONField(null=True)
    payload = models.TextField()
    xid = models.BigIntegerField(null=True)
    """Transaction that wrote it, set by a trigger: the sealer's order. Never by us."""
    node = models.BigIntegerField(null=True)
    """The server's identity, by the same trigger: a restored dump has foreign transaction ids."""

    objects = EventManager()

    class Meta:
        base_manager_name = "objects"
        default_permissions = ()
        indexes = (
            # the audit list, newest first, is the primary key read backwards
            # events of one memory, key, person
            models.Index(fields=["tenant_id", "target_id", "-at"], name="event_target"),
            # the sealer's order
            models.Index(fields=["node", "xid", "id"], name="event_sealing"),
        )

    def __str__(self) -> str:
        return f"{self.code} {self.target_kind} {self.target_id}"


class LoggedLabel(TenantModel):
    """What a name in the log's paths means, for as long as it may be known (`audit.labels`).

    `name` is `n_` and the hash of the id with the label, so a row that was tampered with means
    nothing. A label may have several names. Written by a trigger.
    """

    name = models.CharField(max_length=34)
    label = models.TextField(db_collation="C")

    class Meta:
        base_manager_name = "objects"
        constraints = (
            # what a name of an event's path means
            models.UniqueConstraint(fields=["tenant_id", "name"], name="logged_label_once"),
        )
        indexes = (
            # the names of a label: as events are inserted, and looked for
            models.Index(fields=["tenant_id", "label"], name="logged_label_names"),
        )

    def __str__(self) -> str:
        return self.name


class Job(TenantModel):
    """Work in the background, one a request: how far it is, and how it ended. No content.

    `params` says what to do, `cursor` where the next step begins; both hold ids and paths only.
    """

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    kind = models.CharField(max_length=64)
    action = models.CharField(max_length=32)
    """Who may do this (`tenants.roles.Action`) may see the job."""
    state = models.CharField(max_length=16, choices=State.choices, default=State.QUEUED)
    params = models.JSONField(default=dict)
    cursor = models.JSONField(default=dict)
    done = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(null=True)
    result = models.JSONField(null=True)
    error = models.JSONField(null=True)
    file_type = models.CharField(max_length=100, default="", blank=True)
    """Media type of the file it makes (`audit.files`); "" where it makes none."""
    file_name = models.CharField(max_length=200, default="", blank=True)
    cancel_asked = models.BooleanField(default=False)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    created_by_kind = models.CharField(max_length=16)
    created_by = models.CharField(max_length=64)
    created_by_name = models.CharField(max_length=254)

    class Meta:
        base_manager_name = "objects"
        indexes = (
            # the list of jobs, newest first
            models.Index(fields=["tenant_id", "-created_at", "-id"], name="job_newest"),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"


class CallManager(TenantManager["RepeatableCall"]):
    queryset_class = CallQuerySet


class RepeatableCall(TenantModel):
    """A request that came with an Idempotency-Key, and what it made: status, ids, outcome.

    It stands in this room because it is evidence of what a request did, which every room above may
    leave and none may read content from. `scope` and `body` are keyed hashes. `status` is null
    while the request is under way; `holder` is the process-wide unique name of that attempt.
    """

    scope = models.CharField(max_length=64)
    body = models.CharField(max_length=64)
    holder = models.UUIDField()
    claimed_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    status = models.PositiveSmallIntegerField(null=True)
    made = models.JSONField(default=dict)

    objects: Any = CallManager()

    class Meta:
        base_manager_name = "objects"
        constraints = (
            # one request a key, caller, method and path
            models.UniqueConstraint(fields=["tenant_id", "scope"], name="repeatable_call_once"),
        )
        indexes = (
            # those whose 24 hours are over
            models.Index(fields=["tenant_id", "expires_at"], name="repeatable_call_over"),
        )

    def __str__(self) -> str:
        return f"{self.scope[:8]} {self.status or 'under way'}"


class Leaf(models.Model):
    """One event's place in its tenant's tree: the hash of its payload. Never changed.

    `event_at` finds the event's month. It outlives the event when the log's own retention drops
    the month. Written by `hub_sealer` only (`audit.sealing`), like nodes and checkpoints.
    """

    is_tenant_table = True

    pk = models.CompositePrimaryKey("tenant_id", "epoch", "index")
    tenant_id = models.UUIDField(default=current_tenant_id, editable=False)
    epoch = models.PositiveIntegerField()
    index = models.PositiveBigIntegerField()
    event_id = models.UUIDField()
    event_at = models.DateTimeField()
    hash = models.BinaryField()

    objects: Any = TenantManager()

    class Meta:
        base_manager_name = "objects"
        default_permissions = ()
        constraints = (
            # an event is sealed once; also the place of an event
            models.UniqueConstraint(fields=["tenant_id", "event_id"], name="leaf_once"),
        )

    def __str__(self) -> str:
        return f"{self.epoch}/{self.index}"


class Node(models.Model):
    """A complete subtree of every eighth level, so that proofs read few rows."""

    is_tenant_table = True

    pk = models.CompositePrimaryKey("tenant_id", "epoch", "level", "number")
    tenant_id = models.UUIDField(default=current_tenant_id, editable=False)
    epoch = models.PositiveIntegerField()
    level = models.PositiveSmallIntegerField()
    number = models.PositiveBigIntegerField()
    hash = models.BinaryField()

    objects: Any = TenantManager()

    class Meta:
        base_manager_name = "objects"
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.epoch}/{self.level}/{self.number}"


class Checkpoint(models.Model):
    """A signed root of a tenant's tree (`audit.sealing.checkpoints`)."""

    is_tenant_table = True

    pk = models.CompositePrimaryKey("tenant_id", "epoch", "size")
    tenant_id = models.UUIDField(default=current_tenant_id, editable=False)
    epoch = models.PositiveIntegerField()
    size = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    root = models.BinaryField()
    note = models.TextField()

    objects: Any = TenantManager()

    class Meta:
        base_manager_name = "objects"
        default_permissions = ()
        indexes = (
            # the list of checkpoints, newest first, and those around an instant
            models.Index(fields=["tenant_id", "-at"], name="checkpoint_newest"),
        )

    def __str__(self) -> str:
        return f"{self.epoch}/{self.size}"


class Head(models.Model):
    """Where a tenant's tree of an epoch stands: what it grows from. Across tenants, no content."""

    pk = models.CompositePrimaryKey("tenant_id", "epoch")
    tenant_id = models.UUIDField()
    epoch = models.PositiveIntegerField()
    size = models.PositiveBigIntegerField()
    frontier = models.BinaryField()
    """Hashes of the complete subtrees, largest first, one behind the other."""
    root = models.BinaryField()
    at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        indexes = (
            # heads that moved since the last anchor
            models.Index(fields=["epoch", "at"], name="head_moved"),
        )

    def __str__(self) -> str:
        return f"{self.epoch}/{self.size}"


class Position(models.Model):
    """How far the rows that one server stamped are sealed, in their order (xid, id)."""

    node = models.BigIntegerField(primary_key=True)
    xid = models.BigIntegerField()
    event_id = models.UUIDField()
    passed_at = models.DateTimeField(null=True)
    """When everything that was final had been sealed."""

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.node}: {self.xid}"


class Epoch(models.Model):
    """One unbroken stretch of the log; `gap` says what is missing before it."""

    n = models.PositiveIntegerField(primary_key=True)
    node = models.BigIntegerField()
    began_at = models.DateTimeField()
    reason = models.CharField(max_length=32)
    gap = models.JSONField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.n} ({self.reason})"


class Anchor(models.Model):
    """A signed tree over all tenants' roots; `line` is what stands in the file outside."""

    pk = models.CompositePrimaryKey("epoch", "n")
    epoch = models.PositiveIntegerField()
    n = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    tenants = models.PositiveIntegerField()
    events = models.PositiveBigIntegerField()
    root = models.BinaryField()
    line = models.TextField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.epoch}/{self.n}"


class DroppedMonth(models.Model):
    """A month that the log's own retention removed; the hub signed `note` for it."""

    begins = models.DateTimeField(primary_key=True)
    ends = models.DateTimeField()
    dropped_at = models.DateTimeField()
    note = models.TextField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.begins:%Y-%m}"
