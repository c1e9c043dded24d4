"""A tenant's settings: reading them, and changing some with the version they were read at."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any
from zoneinfo import ZoneInfo, available_timezones

from django.db import transaction
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from audit.recording import Facts, Target, record
from memoryhub.errors import Invalid, VersionMismatch, invalid_from
from tenants.authorising import require
from tenants.context import current_tenant_id
from tenants.models import Tenant
from tenants.roles import Action

LANGUAGES = ("en", "zh-hans")
KIND_LENGTH = 63
MOST_KINDS = 64
MOST_FIELDS = 32
MOST_PHRASES = 100
PHRASE_LENGTH = 200


@lru_cache(maxsize=1)
def list_zones() -> tuple[str, ...]:
    """The zones of this machine, in order; looking for them walks through folders."""
    return tuple(sorted(available_timezones()))


def _timezone(name: str) -> str:
    if name not in list_zones():
        raise PydanticCustomError("hub_unknown_timezone", "Name a zone of the IANA database.")
    return ZoneInfo(name).key


def _locale(name: str) -> str:
    if name not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        raise PydanticCustomError("hub_unknown_locale", f"The languages are: {known}.")
    return name


def _words(words: list[str]) -> list[str]:
    for word in words:
        if not word.strip() or len(word) > KIND_LENGTH:
            raise PydanticCustomError("hub_invalid_item", "Each has 1 to 63 characters.")
    return list(dict.fromkeys(words))


def _name(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("hub_empty", "A name has at least one character.")
    return text.strip()


class QuotasChange(BaseModel):
    """How much a tenant may have and ask; null is no limit, what is absent keeps its value."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    memories: Annotated[int, Field(ge=0, le=10**15)] | None = None
    bytes: Annotated[int, Field(ge=0, le=10**18)] | None = None
    requests_per_minute: Annotated[int, Field(ge=1, le=10**8)] | None = None


def _phrases(phrases: list[str]) -> list[str]:
    for phrase in phrases:
        if not phrase.strip() or len(phrase) > PHRASE_LENGTH:
            raise PydanticCustomError("hub_invalid_item", "Each has 1 to 200 characters.")
    return list(dict.fromkeys(phrase.strip() for phrase in phrases))


Phrases = Annotated[list[str], Field(max_length=MOST_PHRASES), AfterValidator(_phrases)]


class IntentChange(BaseModel):
    """The filter before short-term memory: off, or sentences like which to keep or to skip."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    enabled: bool = True
    keep: Phrases = []
    skip: Phrases = []


class SettingsChange(BaseModel):
    """Settings that may change; what is absent keeps its value. `version`: as it was read."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    version: int | None = None
    name: Annotated[str, Field(max_length=200), AfterValidator(_name)] | None = None
    timezone: Annotated[str, AfterValidator(_timezone)] | None = None
    locale: Annotated[str, AfterValidator(_locale)] | None = None
    default_ttl_minutes: (
        Annotated[float, Field(gt=0, le=5_256_000_000, allow_inf_nan=False)] | None
    ) = None
    refresh_on_read: bool | None = None
    trash_days: Annotated[int, Field(ge=0, le=3650)] | None = None
    notice_days: Annotated[int, Field(ge=1, le=365)] | None = None
    default_decay: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] | None = None
    recency: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    index_fields: (
        Annotated[list[str], Field(max_length=MOST_FIELDS), AfterValidator(_words)] | None
    ) = None
    kinds: Annotated[list[str], Field(max_length=MOST_KINDS), AfterValidator(_words)] | None = None
    versions_kept: Annotated[int, Field(ge=1, le=1000)] | None = None
    activation_share: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    data_share: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    backup_retention_days: Annotated[int, Field(ge=0, le=3650)] | None = None
    confirm_count: Annotated[int, Field(ge=0)] | None = None
    """How many purges come earlier by it, typed by whoever changes it."""
    quotas: QuotasChange | None = None
    intent: IntentChange | None = None
    pii: dict[str, str] | None = None
    """The action for a kind of personal data; whoever knows the kinds has checked them."""


NULLABLE = frozenset({
    "default_ttl_minutes", "quota_memories", "quota_bytes", "quota_requests_per_minute",
})  # fmt: skip


def parse_settings(body: Any) -> SettingsChange:
    """A change of settings. Raises Invalid; null is only taken where it means something."""
    try:
        change = SettingsChange.model_validate(body)
    except ValidationError as fault:
        raise invalid_from(fault) from None
    for name in sorted(change.model_fields_set - NULLABLE):
        if getattr(change, name) is None:
            raise Invalid.at(name, "invalid_type", "This cannot be null.")
    return change


def open_settings() -> Tenant:
    """The acting tenant with its settings, for those who administer it."""
    require(Action.ADMINISTER)
    return Tenant.objects.get(id=current_tenant_id())


def change_settings(change: SettingsChange) -> Tenant:
    """Apply what the change names. Raises VersionMismatch when someone else was faster."""
    require(Action.ADMINISTER)
    with transaction.atomic():
        tenant = Tenant.objects.select_for_update().get(id=current_tenant_id())
        if change.version is not None and change.version != tenant.version:
            raise VersionMismatch(
                "Somebody changed the settings meanwhile.", version=tenant.version
            )
        wanted = _wanted(change)
        before = {name: getattr(tenant, name) for name in wanted}
        changed = {name: value for name, value in wanted.items() if before[name] != value}
        if changed:
            for name, value in changed.items():
                setattr(tenant, name, value)
            tenant.save(update_fields=list(changed))
            differences = {
                name: [_told(name, before[name]), _told(name, value)]
                for name, value in changed.items()
            }
            record("tenant.settings", Target("tenant", str(tenant.id)), Facts(changes=differences))
    return tenant


def _told(name: str, value: Any) -> Any:
    """As the event may say it: of sentences only how many there are."""
    if name != "intent":
        return value
    return {field: len(one) if isinstance(one, list) else one for field, one in value.items()}


def _wanted(change: SettingsChange) -> Mapping[str, Any]:
    sent = change.model_fields_set - {"version", "confirm_count", "quotas", "intent"}
    values = {name: getattr(change, name) for name in sorted(sent)}
    if change.intent is not None:
        values["intent"] = change.intent.model_dump()
    if change.quotas is not None:
        quotas = {f"quota_{name}": value for name, value in change.quotas.model_dump().items()}
        given = {f"quota_{name}" for name in change.quotas.model_fields_set}
        values |= {name: value for name, value in quotas.items() if name in given}
    return {name: value for name, value in values.items() if value is not None or name in NULLABLE}
