"""The tables of personal data: the vault of originals, what was found where, and a tenant's rules.

None of them holds a clear value of what was found: originals are sealed, findings are counts.
"""

from __future__ import annotations

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from privacy.masking import Action
from privacy.querysets import FindingQuerySet, VaultQuerySet
from tenants.managers import TenantManager, TenantModel

ACTIONS = [(action.value, action.value) for action in Action]


class VaultManager(TenantManager["VaultEntry"]):
    queryset_class = VaultQuerySet


class VaultEntry(TenantModel):
    """The original behind a token, sealed. One a tenant, entity and value."""

    token_id = models.CharField(max_length=10)
    entity = models.CharField(max_length=40)
    equality_hash = models.CharField(max_length=64)
    sealed = models.BinaryField()
    key_version = models.PositiveIntegerField()
    first_seen = models.DateTimeField()

    objects: Any = VaultManager()

    class Meta:
        base_manager_name = "objects"
        constraints = (
            # a token has one original; findings refer to it, reveals look it up
            models.UniqueConstraint(fields=["tenant_id", "token_id"], name="vault_token_once"),
            # a value has one token; equality search looks it up
            models.UniqueConstraint(fields=["tenant_id", "equality_hash"], name="vault_value_once"),
        )
        indexes = (
            # rotation: what is sealed with an older key
            models.Index(fields=["tenant_id", "key_version", "id"], name="vault_key_version"),
        )

    def __str__(self) -> str:
        return f"⟦{self.entity}:{self.token_id}⟧"


class FindingManager(TenantManager["PiiFinding"]):
    queryset_class = FindingQuerySet


class PiiFinding(TenantModel):
    """What was found in one version of a memory, where, and what was done; never the value.

    `token_id` is the vault entry that keeps the original, null where none is kept. It goes with its
    memory (a composite key in memories' migrations), and the entry goes when no finding needs it.
    """

    memory_id = models.UUIDField()
    version = models.PositiveIntegerField()
    entity = models.CharField(max_length=40)
    path = models.TextField()
    action = models.CharField(max_length=12, choices=ACTIONS)
    count = models.PositiveIntegerField(default=1)
    token_id = models.CharField(max_length=10, null=True)  # noqa: DJ001 - null: no original kept
    # an officer said of this version that it is no secret
    released = models.BooleanField(default=False, db_default=False)
    found_at = models.DateTimeField()

    objects: Any = FindingManager()

    class Meta:
        base_manager_name = "objects"
        indexes = (
            # what was found in a memory, and the cascade from a purged one
            models.Index(fields=["tenant_id", "memory_id", "version"], name="pii_finding_memory"),
            # equality search, and whether an original is still needed
            models.Index(
                fields=["tenant_id", "token_id"],
                condition=Q(token_id__isnull=False),
                name="pii_finding_token",
            ),
        )

    def __str__(self) -> str:
        return f"{self.entity} in {self.memory_id}"


class PiiPolicy(TenantModel):
    """An action for an entity ("*" for any) below a namespace prefix or for a kind.

    It can only tighten what the tenant's own settings say: of all that apply the strictest wins.
    """

    entity = models.CharField(max_length=40, default="*")
    action = models.CharField(max_length=12, choices=ACTIONS)
    namespace_prefix = models.TextField(db_collation="C", default="", blank=True)
    kind = models.CharField(max_length=63, default="", blank=True)

    class Meta:
        base_manager_name = "objects"
        constraints = (
            models.UniqueConstraint(
                fields=["tenant_id", "entity", "namespace_prefix", "kind"], name="pii_policy_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.action} {self.entity} below {self.namespace_prefix or 'everything'}"


class PiiPattern(TenantModel):
    """A pattern of the tenant's own, in RE2 (privacy.detecting.patterns)."""

    entity = models.CharField(max_length=40)
    pattern = models.TextField()
    words = ArrayField(models.CharField(max_length=24), default=list, blank=True)
    score = models.FloatField(default=0.7)

    class Meta:
        base_manager_name = "objects"
        constraints = (
            models.UniqueConstraint(fields=["tenant_id", "entity"], name="pii_pattern_once"),
        )

    def __str__(self) -> str:
        return self.entity


class AllowedValue(TenantModel):
    """A value that is nobody's personal data (a hotline, `@example.com`): never reported."""

    value = models.TextField()
    note = models.CharField(max_length=200, default="", blank=True)

    class Meta:
        base_manager_name = "objects"
        constraints = (
            models.UniqueConstraint(fields=["tenant_id", "value"], name="allowed_value_once"),
        )

    def __str__(self) -> str:
        return f"allowed value {self.id}"


class DataSubject(TenantModel):
    """Whom a pseudonym names: the only way back, so erasing a person deletes the row.

    `sealed` holds the identifier and the person's own key (sealing.subjects); the hash is keyed.
    The two instants are what open subject requests say of all that is about the person.
    """

    subject_hash = models.CharField(max_length=64)
    pseudonym = models.CharField(max_length=32)
    sealed = models.BinaryField()
    made_at = models.DateTimeField()
    erasure_verified_at = models.DateTimeField(null=True)
    restricted_at = models.DateTimeField(null=True)

    class Meta:
        base_manager_name = "objects"
        indexes = (
            # whom every put asks for, where the settings' version has moved
            models.Index(
                fields=["tenant_id", "subject_hash"],
                condition=models.Q(erasure_verified_at__isnull=False)
                | models.Q(restricted_at__isnull=False),
                name="data_subject_restricted",
            ),
        )
        constraints = (
            # a subject has one pseudonym; requests and events look it up
            models.UniqueConstraint(fields=["tenant_id", "subject_hash"], name="data_subject_once"),
            # a pseudonym names one subject
            models.UniqueConstraint(fields=["tenant_id", "pseudonym"], name="pseudonym_once"),
        )

    def __str__(self) -> str:
        return self.pseudonym
