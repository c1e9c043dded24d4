"""Reading and appending events. Appending is one multi-row INSERT of literal VALUES."""

from __future__ import annotations

from typing import Any

from tenants.managers import TenantQuerySet

COLUMNS = (
    "tenant_id", "at", "id", "code", "action", "outcome", "actor_kind", "actor_id", "actor_name",
    "key_id", "roles", "on_behalf_of", "request_id", "client_net", "client_hash", "target_kind",
    "target_id", "namespace", "subjects", "ruleset", "counts", "links", "changes", "payload",
)  # fmt: skip
CASTS = {"roles": "::text[]", "subjects": "::text[]", "counts": "::jsonb", "links": "::jsonb",
         "changes": "::jsonb", "ruleset": "::int"}  # fmt: skip

PLACEHOLDERS = ", ".join("%s" + CASTS.get(column, "") for column in COLUMNS)
INSERT = f"INSERT INTO audit_event ({', '.join(COLUMNS)}) "


class EventQuerySet(TenantQuerySet[Any]):
    """Events of one tenant."""

    def newest_first(self) -> EventQuerySet:
        """The order of every list of events."""
        return self.order_by("-at", "-id")

    def about(self, target_id: str) -> EventQuerySet:
        """Events whose target is this thing."""
        return self.filter(target_id=target_id)
