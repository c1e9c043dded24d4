"""OpenAPI of keys, members and settings: what each takes and gives."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from drf_spectacular.utils import OpenApiResponse, extend_schema
from pydantic import BaseModel, ConfigDict, Field

from api.openapi.shapes import PAGE_PARAMETERS, Shape, answers, page_shape
from tenants.access.configuring import SettingsChange

RoleName = Literal["admin", "officer", "auditor", "viewer"]
Prefix = Annotated[list[str] | str, Field(description="Labels, or the stored path: `users/u1/`")]


class Body(BaseModel):
    """Base of what is taken."""

    model_config = ConfigDict(extra="forbid", strict=True)


class KeyShape(Shape):
    """A key, without its secret."""

    id: str
    name: str
    scopes: list[str]
    prefixes: list[list[str]]
    networks: list[str]
    created_at: datetime
    created_by: str
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


class IssuedKeyShape(KeyShape):
    """A key just made; `key` is shown here and never again."""

    key: str | None = None


class KeyRequest(Body):
    """A new key; without `scopes` it has an agent's."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    scopes: Annotated[list[str], Field(min_length=1)] | None = None
    prefixes: list[Prefix] = []
    networks: list[str] = []
    expires_at: str | None = None


class MemberShape(Shape):
    """A person in this tenant. `invitation` is the path of the link, only where it was made."""

    id: UUID
    email: str
    name: str
    role: RoleName
    prefixes: list[list[str]]
    second_factor: bool
    last_login_at: datetime | None
    invited: bool
    invitation: str | None = None


class MemberRequest(Body):
    """Whom to invite."""

    email: Annotated[str, Field(max_length=254)]
    name: Annotated[str, Field(max_length=200)] = ""
    role: str
    prefixes: list[Prefix] = []


class MemberChange(Body):
    """What changes; absent keeps."""

    role: str | None = None
    prefixes: list[Prefix] | None = None


class EmbeddingShape(Shape):
    """How texts become vectors."""

    profile: str
    provider: str
    model: str
    dimensions: int
    distance: str
    base_url: str
    api_key_set: bool


class QuotasShape(Shape):
    """How much the tenant may have and ask; null is no limit."""

    memories: int | None
    bytes: int | None
    requests_per_minute: int | None


class IntentShape(Shape):
    """The filter before short-term memory: off, or sentences like which to keep or to skip."""

    enabled: bool
    keep: list[str]
    skip: list[str]


class SettingsShape(Shape):
    """The tenant's settings; send `version` back with a change."""

    version: int
    name: str
    timezone: str
    locale: str
    default_ttl_minutes: float | None
    refresh_on_read: bool
    trash_days: int
    notice_days: int
    default_decay: float
    recency: float
    index_fields: list[str]
    kinds: list[str]
    versions_kept: int
    activation_share: float
    data_share: float
    backup_retention_days: int
    embedding: EmbeddingShape
    intent: IntentShape
    pii: dict[str, str]
    quotas: QuotasShape


_GONE = {**answers({}, 409), 204: OpenApiResponse(description="Gone, or was not there")}


def _one(name: str, summary: str, tags: list[str], **options: Any) -> Any:
    return extend_schema(operation_id=name, summary=summary, tags=tags, **options)


list_keys = _one(
    "list_keys", "Keys, newest first", ["access"], parameters=PAGE_PARAMETERS,
    responses=answers({200: page_shape(KeyShape)}),
)  # fmt: skip
issue_key = _one(
    "issue_key", "Make a key (shown once)", ["access"], request=KeyRequest,
    responses=answers({201: IssuedKeyShape}, 409),
)  # fmt: skip
get_key = _one("get_key", "One key", ["access"], responses=answers({200: KeyShape}))
revoke_key = _one("revoke_key", "End a key", ["access"], responses=_GONE)
list_members = _one(
    "list_members", "People, newest first", ["access"], parameters=PAGE_PARAMETERS,
    responses=answers({200: page_shape(MemberShape)}),
)  # fmt: skip
invite_member = _one(
    "invite_member", "Invite a person", ["access"], request=MemberRequest,
    responses=answers({201: MemberShape}, 409),
)  # fmt: skip
get_member = _one("get_member", "One person", ["access"], responses=answers({200: MemberShape}))
change_member = _one(
    "change_member", "Another role, other prefixes", ["access"], request=MemberChange,
    responses=answers({200: MemberShape}, 409),
)  # fmt: skip
remove_member = _one("remove_member", "Take a membership away", ["access"], responses=_GONE)
get_settings = _one(
    "get_settings", "The settings", ["settings"], responses=answers({200: SettingsShape})
)
change_settings = _one(
    "change_settings", "Change settings", ["settings"], request=SettingsChange,
    responses=answers({200: SettingsShape}, 412),
)  # fmt: skip
