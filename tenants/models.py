"""Who exists: tenants, people, memberships, keys, and when each tenant's jobs are due.

None of these is a tenant table: they are read before the tenant is known (or across tenants, by
beat) and hold no content. Nothing in them points at tenant tables, so that on Citus they become
reference tables.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self
from uuid import UUID

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models, transaction
from django.db.models import F, Q

from tenants.ids import uuid7
from tenants.roles import Role


class AuditedModel(models.Model):
    """Configuration whose changes django-auditlog records: always in one transaction with it."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        with transaction.atomic():
            super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        with transaction.atomic():
            return super().delete(*args, **kwargs)


class Tenant(AuditedModel):
    """One customer: a wall around its memories, and the defaults by which they are kept."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    slug = models.SlugField(max_length=63, unique=True)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    version = models.PositiveIntegerField(default=1)
    """Grows with every change; hub_act returns it, so each process knows when to read again."""

    timezone = models.CharField(max_length=63, default="UTC")
    locale = models.CharField(max_length=10, default="en")
    default_ttl_minutes = models.FloatField(
        null=True, blank=True, validators=[MinValueValidator(0.001)]
    )
    refresh_on_read = models.BooleanField(default=True)
    trash_days = models.PositiveSmallIntegerField(default=30)
    notice_days = models.PositiveSmallIntegerField(default=7, validators=[MinValueValidator(1)])
    default_decay = models.FloatField(default=0.95)
    recency = models.FloatField(
        default=0.1, validators=[MinValueValidator(0), MaxValueValidator(1)]
    )
    index_fields = ArrayField(models.TextField(), default=list, blank=True)
    kinds = ArrayField(models.CharField(max_length=63), default=list, blank=True)
    versions_kept = models.PositiveSmallIntegerField(default=20)
    embedding_profile = models.CharField(max_length=63, default="", blank=True)
    """Name of the profile it writes and reads with; "" is the installation's."""
    active_ruleset = models.PositiveIntegerField(default=0)
    quota_memories = models.PositiveBigIntegerField(null=True, blank=True)
    """Memories not in the trash; null: as many as fit. The other quotas alike."""
    quota_bytes = models.PositiveBigIntegerField(null=True, blank=True)
    quota_requests_per_minute = models.PositiveIntegerField(null=True, blank=True)
    """Of each key."""
    pii = models.JSONField(default=dict, db_default={}, blank=True)
    """{entity: action} for each kind of personal data that is not to get the default."""
    intent = models.JSONField(default=dict, db_default={}, blank=True)
    """Of the intent filter: {"enabled", "keep": [phrases], "skip": [phrases]}, absent as usual."""
    last_ruleset = models.PositiveIntegerField(default=0, db_default=0)
    """The highest number a rule set ever had; a deleted draft's is not given again."""
    staged_ruleset = models.PositiveIntegerField(default=0, db_default=0)
    """The version whose dates are computed beside the current ones; 0: none."""
    date_slot = models.PositiveSmallIntegerField(default=0, db_default=0)
    """Which of a memory's two sets of dates counts (docs/adr/0015-stage-then-switch.md)."""
    holds = models.PositiveIntegerField(default=0, db_default=0)
    """Grows with every change of its legal holds; 0: it never had one."""
    activation_share = models.FloatField(
        default=0.01, db_default=0.01, validators=[MinValueValidator(0), MaxValueValidator(1)]
    )
    data_share = models.FloatField(
        default=0.1, db_default=0.1, validators=[MinValueValidator(0), MaxValueValidator(1)]
    )
    backup_retention_days = models.PositiveSmallIntegerField(default=35, db_default=35)
    """How long backups are kept: certificates say when the last copy ends."""

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(default_ttl_minutes__isnull=True) | Q(default_ttl_minutes__gt=0),
                name="tenant_ttl_positive",
            ),
            models.CheckConstraint(
                condition=Q(notice_days__gte=1), name="tenant_notice_at_least_1"
            ),
            models.CheckConstraint(
                condition=Q(default_decay__gt=0, default_decay__lte=1), name="tenant_decay_range"
            ),
            models.CheckConstraint(
                condition=Q(recency__gte=0, recency__lte=1), name="tenant_recency_range"
            ),
            models.CheckConstraint(condition=Q(date_slot__lte=1), name="tenant_date_slot"),
        )

    def __str__(self) -> str:
        return self.slug

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save and raise `version`, so that a concurrent reader is never left with old settings."""
        if not self._state.adding:
            self.version = F("version") + 1
            if kwargs.get("update_fields") is not None:
                kwargs["update_fields"] = {*kwargs["update_fields"], "version"}
        super().save(*args, **kwargs)
        if not isinstance(self.version, int):
            self.refresh_from_db(fields=["version"])


class UserManager(BaseUserManager["User"]):
    """People are known by their e-mail address, compared without case."""

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email__iexact=username)

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        """A person who can sign in; without a password only by invitation."""
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user


class User(AuditedModel, AbstractBaseUser, PermissionsMixin):
    """A person. What they may do is said by memberships, one a tenant."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=200, blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    def __str__(self) -> str:
        return self.email

    def get_full_name(self) -> str:
        return self.name or self.email

    def get_short_name(self) -> str:
        return self.name or self.email.partition("@")[0]


class MembershipQuerySet(models.QuerySet["Membership"]):
    """Who belongs where."""

    def effective(self) -> Self:
        """Accepted, in a tenant that is open: those by which a person may act."""
        return self.filter(accepted_at__isnull=False, tenant__closed_at=None)

    def of_person(self, user: User) -> Self:
        """A person's tenants, by name."""
        rows = self.filter(user=user).select_related("tenant", "user")
        return rows.order_by("tenant__name", "tenant_id")

    def of_tenant(self, tenant_id: UUID) -> Self:
        """The people of a tenant, newest first."""
        rows = self.filter(tenant_id=tenant_id).select_related("user")
        return rows.order_by("-created_at", "-id")


class Membership(AuditedModel):
    """A person's role in a tenant, perhaps within namespace prefixes only.

    Without `accepted_at` it is an invitation, by which nobody can act. It is the invited person
    who makes it effective: an account that somebody else prepared under the same address must not
    come into a tenant with it (`tenants.access.inviting`).
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=[(role.value, role.value) for role in Role])
    prefixes = ArrayField(models.TextField(), default=list, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    accepted_at = models.DateTimeField(null=True, blank=True)
    reviewed_at = models.DateTimeField(null=True, blank=True)
    reviewed_by = models.CharField(max_length=254, default="", db_default="", blank=True)
    """Who confirmed it last, and when (`tenants.access.reviewing`)."""

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = (
            # one role a person and tenant; also the look-up of the tenant switcher
            models.UniqueConstraint(fields=["user", "tenant"], name="membership_once"),
        )

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.tenant}"


class ApiKey(AuditedModel):
    """A machine's key: its id in the clear, its secret only as an HMAC under the pepper."""

    id = models.CharField(primary_key=True, max_length=12)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="api_keys")
    name = models.CharField(max_length=200)
    secret_hash = models.CharField(max_length=64)
    scopes = ArrayField(models.CharField(max_length=32))
    prefixes = ArrayField(models.TextField(), default=list, blank=True)
    networks = ArrayField(models.CharField(max_length=64), default=list, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.CharField(max_length=254, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    reviewed_at = models.DateTimeField(null=True, blank=True)
    reviewed_by = models.CharField(max_length=254, default="", db_default="", blank=True)
    """Who confirmed it last, and when (`tenants.access.reviewing`)."""

    def __str__(self) -> str:
        return f"mh_{self.id}"


class Schedule(models.Model):
    """When a tenant's job is due next: what beat reads across tenants. No content."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="schedules")
    job = models.CharField(max_length=32)
    scope = models.TextField(default="", blank=True, db_collation="C")
    """What the job is limited to: for sweeps a stored namespace prefix, "" the whole tenant."""
    interval_seconds = models.FloatField(default=60)
    next_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["tenant", "job", "scope"], name="schedule_once"),
        )
        indexes = (models.Index(fields=["job", "next_at"], name="schedule_due"),)  # beat's scan

    def __str__(self) -> str:
        return f"{self.job} of {self.tenant_id} at {self.next_at}"
