"""Which configuration django-auditlog watches, and which of its fields are secret."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    """Registers configuration models; content models are never registered."""

    name = "audit"

    def ready(self) -> None:
        from auditlog.registry import auditlog

        from tenants.models import ApiKey, Membership, Tenant, User

        auditlog.register(Tenant, exclude_fields=["version", "intent"])
        auditlog.register(
            User,
            exclude_fields=["password", "last_login"],
            mask_fields=["email"],
            mask_callable="audit.hashing.hash_value",
        )
        auditlog.register(Membership)
        auditlog.register(ApiKey, exclude_fields=["secret_hash", "last_used_at"])
