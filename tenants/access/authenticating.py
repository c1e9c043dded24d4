"""From a key's text, or a signed-in person, to an actor.

Good keys are kept for five seconds in the process, so most calls look nothing up; a revocation
bites within those five seconds. What is not good is never kept: it costs one look-up each time,
and one text answers every cause.
"""

from __future__ import annotations

import ipaddress
import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b
from uuid import UUID

from django.db import InterfaceError, OperationalError
from django.db.models.functions import Now

from memoryhub.errors import Denied, Unauthenticated
from sealing.hashing import keyed_hash, same
from tenants.access.addresses import parse_address
from tenants.actors import EVERYTHING, Actor, ActorKind
from tenants.context import hub_connection
from tenants.keys import parse_key_text
from tenants.models import ApiKey, Membership, Tenant, User

KEPT_SECONDS = 5.0
KEPT_KEYS = 10_000
PEPPER = "api-key"
LAST_USED_EVERY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class _Kept:
    actor: Actor
    networks: tuple[str, ...]
    until: float


_kept: OrderedDict[bytes, _Kept] = OrderedDict()
"""By a keyed hash of this process, so that no key is kept in the clear."""
_cache_key = secrets.token_bytes(32)
_lock = threading.Lock()


def hash_secret(key_id: str, secret: str) -> str:
    """What is stored of a key: HMAC under the server's pepper, bound to the key's id."""
    return keyed_hash(f"{key_id}:{secret}", purpose=PEPPER)


def authenticate_key(text: str, *, address: str = "") -> Actor:
    """The actor of a good key. Raises Unauthenticated, the same for every cause."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), key=_cache_key).digest()
    kept = _kept.get(digest)
    if kept is None or kept.until < time.monotonic():
        try:
            kept = _look_up(text)
        except (OperationalError, InterfaceError):
            hub_connection().replace_dead()  # the server restarted: once more, on a living one
            kept = _look_up(text)
        with _lock:
            _kept[digest] = kept
            _kept.move_to_end(digest)
            while len(_kept) > KEPT_KEYS:
                _kept.popitem(last=False)
    if kept.networks and not _is_within(address, kept.networks):
        raise Unauthenticated
    return kept.actor


def forget_kept_keys() -> None:
    """Look every key up anew (after a revocation in this process; in tests)."""
    with _lock:
        _kept.clear()


def _look_up(text: str) -> _Kept:
    parts = parse_key_text(text)
    if parts is None:
        raise Unauthenticated
    row = (
        ApiKey.objects.select_related("tenant")
        .annotate(at=Now())
        .filter(id=parts.id, tenant__closed_at=None)
        .first()
    )
    # the hash is computed for unknown ids too, so that the time tells nothing
    digest = hash_secret(parts.id, parts.secret)
    if row is None or not same(row.secret_hash, digest) or _is_over(row, row.at):
        raise Unauthenticated
    if row.last_used_at is None or row.at - row.last_used_at > LAST_USED_EVERY:
        ApiKey.objects.filter(id=row.id).update(last_used_at=row.at)
    actor = Actor(
        kind=ActorKind.KEY,
        id=row.id,
        name=row.name,
        tenant_id=row.tenant_id,
        scopes=frozenset(row.scopes),
        prefixes=tuple(row.prefixes) or EVERYTHING,
        key_id=row.id,
    )
    # an expiry inside the five seconds is not outlived
    left = KEPT_SECONDS if row.expires_at is None else (row.expires_at - row.at).total_seconds()
    return _Kept(actor, tuple(row.networks), time.monotonic() + min(KEPT_SECONDS, left))


def _is_over(row: ApiKey, at: datetime) -> bool:
    return row.revoked_at is not None or (row.expires_at is not None and row.expires_at <= at)


def _is_within(address: str, networks: tuple[str, ...]) -> bool:
    parsed = parse_address(address)
    if parsed is None:
        return False
    return any(parsed in ipaddress.ip_network(network) for network in networks)


def person_actor(user: User, membership: Membership) -> Actor:
    """A signed-in person, in one of their tenants."""
    return Actor(
        kind=ActorKind.PERSON,
        id=str(user.id),
        name=user.get_short_name(),
        tenant_id=membership.tenant_id,
        roles=frozenset({membership.role}),
        prefixes=tuple(membership.prefixes) or EVERYTHING,
    )


def choose_membership(user: User, *, slug: str = "", tenant_id: UUID | None = None) -> Membership:
    """The membership by which a person acts: of the tenant named, else of the switcher's.

    Raises Denied `tenant_required` when none is named; Missing-like denial of a tenant the person
    does not belong to is the same error, so that tenants cannot be probed.
    """
    memberships = Membership.objects.effective().of_person(user)
    found = None
    if slug:
        found = memberships.filter(tenant__slug=slug).first()
    elif tenant_id is not None:
        found = memberships.filter(tenant_id=tenant_id).first()
    if found is None:
        raise Denied("Name one of your tenants in X-Hub-Tenant.", code="tenant_required")
    return found


def open_tenant(tenant_id: UUID) -> Tenant:
    """The tenant, for its settings."""
    return Tenant.objects.get(id=tenant_id)
