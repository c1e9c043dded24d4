"""A profile fixes how text becomes a vector. Reading and writing always use the same one.

Everything that changes a vector is part of it: another model, dimension, distance or prefix in the
environment is another profile with its own number, and so never mixed with the vectors before. The
endpoint's address is not part of it: a server that moved is the same model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Max

from audit.recording import Facts, Target, record
from memories.models import EmbeddingProfile
from memories.statements.vectors import index_profile, lock_profiles
from memoryhub.errors import Missing
from tenants.models import Tenant
from tenants.snapshots import TenantSettings

E5_NAME = "e5-small"
E5_DIMENSIONS = 384
E5_DEDUP_THRESHOLD = 0.955
NONE_NUMBER = 0


@dataclass(frozen=True, slots=True)
class Profile:
    """Number and name as stored; `distance` is cosine, ip or l2."""

    number: int
    name: str
    provider: str
    model: str
    dimensions: int
    distance: str = "cosine"
    base_url: str = ""
    query_prefix: str = ""
    passage_prefix: str = ""
    dedup_threshold: float = 0.95

    @property
    def embeds(self) -> bool:
        """False for the profile `none`: text search only."""
        return self.provider != "none"


LOCAL = Profile(
    number=1,
    name=E5_NAME,
    provider="local",
    model="multilingual-e5-small-q4",
    dimensions=E5_DIMENSIONS,
    dedup_threshold=E5_DEDUP_THRESHOLD,
)
NONE = Profile(number=NONE_NUMBER, name="none", provider="none", model="", dimensions=0)


def profile_of(tenant: TenantSettings) -> Profile:
    """The profile that the tenant writes and reads with."""
    if tenant.embedding_profile:
        return _named(tenant.embedding_profile)
    return _installation_profile()


def pin_profile(tenant: TenantSettings, profile: Profile) -> None:
    """With its first vectors a tenant's profile is settled, in the caller's transaction.

    Another model in the environment then changes nothing for it until `reembed` switches it: the
    vectors of two models are never taken for each other's.
    """
    if tenant.embedding_profile or not profile.embeds:
        return
    pinned = Tenant.objects.filter(id=tenant.tenant_id, embedding_profile="")
    if pinned.update(embedding_profile=profile.name, version=F("version") + 1):
        links = {"embedding_profile": profile.name}
        record("tenant.settings", Target("tenant", str(tenant.tenant_id)), Facts(links=links))


def named_profile(name: str) -> Profile:
    """The profile of that name. Raises Missing."""
    try:
        return _named(name)
    except EmbeddingProfile.DoesNotExist:
        raise Missing("There is no such profile.") from None


def profiles_in_use() -> list[Profile]:
    """Those that tenants are pinned to, and the environment's."""
    names = Tenant.objects.exclude(embedding_profile="").values_list("embedding_profile", flat=True)
    used = {_installation_profile(), *(_named(name) for name in set(names))}
    return sorted((one for one in used if one.embeds), key=lambda one: one.number)


def profile_names() -> list[str]:
    """All there are, the environment's included."""
    names = {NONE.name, _installation_profile().name}
    return sorted(names | set(EmbeddingProfile.objects.values_list("name", flat=True)))


@lru_cache(maxsize=64)
def _named(name: str) -> Profile:
    if name == LOCAL.name:
        return LOCAL
    if name == NONE.name:
        return NONE
    current = _installation_profile()
    return current if current.name == name else _from_row(EmbeddingProfile.objects.get(name=name))


@lru_cache(maxsize=1)
def _installation_profile() -> Profile:
    """The profile the environment names; one never seen before is numbered and kept."""
    provider = settings.EMBEDDING_PROVIDER
    if provider == "none":
        return NONE
    if provider == "local":
        return LOCAL
    fixed = {
        "provider": provider,
        "model": settings.EMBEDDING_MODEL,
        "dimensions": settings.EMBEDDING_DIMENSIONS,
        "distance": settings.EMBEDDING_DISTANCE,
        "query_prefix": settings.EMBEDDING_QUERY_PREFIX,
        "passage_prefix": settings.EMBEDDING_PASSAGE_PREFIX,
    }
    row = EmbeddingProfile.objects.filter(**fixed).first() or _number(fixed)
    return replace(_from_row(row), base_url=settings.EMBEDDING_BASE_URL)


def _number(fixed: dict[str, Any]) -> EmbeddingProfile:
    """A new profile with the next number, and its vector index."""
    name = f"{fixed['model']}/{fixed['dimensions']}"[:50]
    with transaction.atomic():
        lock_profiles()
        found = EmbeddingProfile.objects.filter(**fixed).first()
        if found is not None:
            return found
        number = (EmbeddingProfile.objects.aggregate(n=Max("number"))["n"] or 1) + 1
        if EmbeddingProfile.objects.filter(name=name).exists():
            name = f"{name}/{number}"  # the same model, read in another way
        row = EmbeddingProfile.objects.create(
            number=number, name=name, base_url=settings.EMBEDDING_BASE_URL, **fixed
        )
        index_profile(number)
    return row


def forget_profiles() -> None:
    """Read the environment and the table again (tests, and after a change of settings)."""
    _named.cache_clear()
    _installation_profile.cache_clear()


def _from_row(row: EmbeddingProfile) -> Profile:
    return Profile(
        number=row.number,
        name=row.name,
        provider=row.provider,
        model=row.model,
        dimensions=row.dimensions,
        distance=row.distance,
        base_url=row.base_url,
        query_prefix=row.query_prefix,
        passage_prefix=row.passage_prefix,
    )
