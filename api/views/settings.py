"""The tenant's settings (API.md, "Governance"): for admins."""

from __future__ import annotations

from typing import Any

from django.conf import settings as installation
from rest_framework.request import Request

from api.base import HubView, body_of
from api.openapi import access as shapes
from api.rendering import Response
from memories.embedding.profiles import profile_of
from memories.redating import change_settings
from memoryhub.errors import FieldError, Invalid
from privacy.detecting.spans import BUILT_IN, EXTRAS
from privacy.masking import Action as PersonalDataAction
from privacy.masking import default_action
from tenants.access.configuring import open_settings, parse_settings
from tenants.authorising import require
from tenants.models import Tenant
from tenants.roles import Action
from tenants.snapshots import tenant_settings

PLAIN = (
    "version", "name", "timezone", "locale", "default_ttl_minutes", "refresh_on_read",
    "trash_days", "notice_days", "default_decay", "recency", "index_fields", "kinds",
    "versions_kept", "activation_share", "data_share", "backup_retention_days",
)  # fmt: skip


class SettingsView(HubView):
    """One document, changed in parts."""

    @shapes.get_settings
    def get(self, request: Request) -> Response:
        return Response(present_settings(open_settings()))

    @shapes.change_settings
    def patch(self, request: Request) -> Response:
        require(Action.ADMINISTER)
        change = parse_settings(body_of(request))
        _check_personal_data(change.pii or {})
        return Response(present_settings(change_settings(change)))


def _check_personal_data(actions: dict[str, str]) -> None:
    entities, known = {*BUILT_IN, *EXTRAS}, {action.value for action in PersonalDataAction}
    faults = []
    for entity, action in actions.items():
        if entity not in entities:
            faults.append(FieldError(f"pii.{entity}", "unknown_entity", "There is no such kind."))
        elif action not in known:
            detail = f"The actions are: {', '.join(PersonalDataAction)}."
            faults.append(FieldError(f"pii.{entity}", "unknown_action", detail))
    if faults:
        raise Invalid(faults)


def present_settings(tenant: Tenant) -> dict[str, Any]:
    """As the contract has it; no secret is in it."""
    profile = profile_of(tenant_settings())
    return {
        **{name: getattr(tenant, name) for name in PLAIN},
        "pii": {**{entity: default_action(entity) for entity in BUILT_IN}, **tenant.pii},
        "embedding": {
            "profile": profile.name, "provider": profile.provider, "model": profile.model,
            "dimensions": profile.dimensions, "distance": profile.distance,
            "base_url": profile.base_url, "api_key_set": bool(installation.EMBEDDING_API_KEY),
        },
        "intent": {"enabled": True, "keep": [], "skip": [], **tenant.intent},
        "quotas": {
            "memories": tenant.quota_memories, "bytes": tenant.quota_bytes,
            "requests_per_minute": tenant.quota_requests_per_minute,
        },
    }  # fmt: skip
