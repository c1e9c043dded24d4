"""Making tenants, people and keys, and ending keys: what the commands and the pages call."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email, validate_slug
from django.db import transaction
from django.db.models import QuerySet

from audit.recording import Facts, Target, record
from audit.repeating import settle
from memoryhub.errors import Conflict, FieldError, Invalid, Missing
from sealing.ring import ring
from tenants.access.authenticating import forget_kept_keys, hash_secret
from tenants.actors import operator_actor
from tenants.authorising import require
from tenants.context import acting_as, current_actor, now
from tenants.ids import uuid7
from tenants.keys import KeyText, make_key_text
from tenants.models import ApiKey, Membership, Schedule, Tenant, User
from tenants.roles import AGENT_SCOPES, Action, Role, Scope

LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """A key just made. `text` is shown once and stored nowhere."""

    row: ApiKey
    text: KeyText


def create_tenant(slug: str, *, name: str, exist_ok: bool = False) -> Tenant:
    """A new tenant with its key file and sweep schedule. Conflict `slug_taken` when it exists."""
    try:
        validate_slug(slug)
    except ValidationError:
        raise Invalid.at("slug", "invalid_slug", "Use letters, digits, - and _.") from None
    if len(slug) > 63 or not name.strip() or len(name) > LONGEST_NAME:
        raise Invalid.at("slug", "invalid_name", "A slug has at most 63, a name 1 to 200 letters.")
    existing = Tenant.objects.filter(slug=slug).first()
    if existing is not None:
        if exist_ok:
            return existing
        raise Conflict(f"The tenant {slug} exists.", code="slug_taken")
    identifier = uuid7()
    ring().create_tenant_key(identifier)
    with transaction.atomic():
        tenant = Tenant.objects.create(id=identifier, slug=slug, name=name)
        Schedule.objects.bulk_create(
            Schedule(tenant=tenant, job=job, interval_seconds=seconds, next_at=at or now())
            for job, seconds, at in _jobs_of_a_tenant(now())
        )
        record("tenant.create", Target("tenant", str(tenant.id)), Facts(links={"slug": slug}))
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        record("tenant.create", Target("tenant", str(tenant.id)), Facts(links={"slug": slug}))
    return tenant


def _jobs_of_a_tenant(at: datetime) -> list[tuple[str, float, datetime | None]]:
    """(job, seconds between two, when first; None: at once) of what beat does for each tenant."""
    return [
        ("sweep", 60, None), ("embed", 2, None), ("pii-scan", 60, None), ("read", 5, None),
        ("promote", 5, None), ("recall", 86_400, tonight(at)), ("calendar", 86_400, None),
        ("figures", 300, None),
    ]  # fmt: skip


def tonight(at: datetime) -> datetime:
    """03:00 UTC of the coming night: when what has all night is done."""
    return at.replace(hour=3, minute=0, second=0, microsecond=0) + timedelta(days=1)


def find_tenant(slug: str) -> Tenant:
    """The open tenant with this slug. Raises Missing."""
    tenant = Tenant.objects.filter(slug=slug, closed_at=None).first()
    if tenant is None:
        raise Missing(f"There is no tenant {slug}.")
    return tenant


def create_user(
    email: str, *, tenant: Tenant, role: str, password: str | None = None, name: str = ""
) -> User:
    """A person with a role in the tenant; one who exists gets the membership added or changed."""
    try:
        validate_email(email)
        chosen = Role(role)
    except ValidationError:
        raise Invalid.at("email", "invalid_email", "That is not an e-mail address.") from None
    except ValueError:
        roles = ", ".join(Role)
        raise Invalid.at("role", "unknown_role", f"The roles are: {roles}.") from None
    with transaction.atomic():
        user = User.objects.filter(email__iexact=email).first()
        if user is None:
            user = User.objects.create_user(email, password, name=name)
        elif password:
            user.set_password(password)
            user.save(update_fields=["password"])
        member, is_new = Membership.objects.get_or_create(
            user=user, tenant=tenant, defaults={"role": chosen, "accepted_at": now()}
        )
        if not is_new and (member.role != chosen or member.accepted_at is None):
            member.role, member.accepted_at = chosen, member.accepted_at or now()
            member.save(update_fields=["role", "accepted_at"])
        action = "member.add" if is_new else "member.change"
        record(action, Target("user", str(user.id)), Facts(links={"role": chosen.value}))
    return user


def issue_key(
    tenant: Tenant,
    *,
    name: str,
    scopes: Sequence[str] = (),
    prefixes: Sequence[str] = (),
    networks: Sequence[str] = (),
    expires_in: timedelta | None = None,
    expires_at: datetime | None = None,
) -> IssuedKey:
    """A new key. `prefixes` are stored namespace paths; no scopes means the agent scopes."""
    errors = [*_faults(name, scopes, networks), *_prefix_faults(prefixes)]
    if errors:
        raise Invalid(errors)
    text = make_key_text()
    with transaction.atomic():
        if expires_at is not None and expires_at <= now():
            raise Invalid.at("expires_at", "in_past", "A key ends later than now.")
        row = ApiKey.objects.create(
            id=text.id,
            tenant=tenant,
            name=name,
            secret_hash=hash_secret(text.id, text.secret),
            scopes=list(scopes) or [scope.value for scope in AGENT_SCOPES],
            prefixes=list(prefixes),
            networks=list(networks),
            created_by=current_actor().name,
            expires_at=now() + expires_in if expires_in else expires_at,
        )
        record(
            "key.issue",
            Target("key", row.id),
            Facts(links={"scopes": row.scopes, "prefixes": row.prefixes}),
        )
        settle({"id": row.id}, status=201)
    return IssuedKey(row, text)


def _faults(name: str, scopes: Sequence[str], networks: Sequence[str]) -> list[FieldError]:
    errors = []
    if not name.strip() or len(name) > LONGEST_NAME or "\x00" in name:
        errors.append(FieldError("name", "invalid_name", "A name has 1 to 200 characters."))
    known = {scope.value for scope in Scope}
    for number, scope in enumerate(scopes):
        if scope not in known:
            detail = f"The scopes are: {', '.join(sorted(known))}."
            errors.append(FieldError(f"scopes[{number}]", "unknown_scope", detail))
    for number, network in enumerate(networks):
        try:
            ipaddress.ip_network(network)
        except ValueError:
            detail = "Write a network as 192.0.2.0/24 or 2001:db8::/48."
            errors.append(FieldError(f"networks[{number}]", "invalid_network", detail))
    return errors


def _prefix_faults(prefixes: Sequence[str]) -> list[FieldError]:
    """A path without its last `/` would cover its neighbours too: `users/u1` also `users/u10/`."""
    detail = "A prefix is a stored namespace path such as users/u1/."
    return [
        FieldError(f"prefixes[{number}]", "invalid_prefix", detail)
        for number, prefix in enumerate(prefixes)
        if not prefix.strip("/") or not prefix.endswith("/") or "\x00" in prefix
    ]


def revoke_key(key_id: str) -> ApiKey:
    """End a key of the acting tenant; again is no error. Raises Missing for any other's."""
    actor = current_actor()
    with transaction.atomic():
        rows = ApiKey.objects.select_for_update().filter(id=key_id.removeprefix("mh_"))
        row = rows.filter(tenant_id=actor.tenant_id).first()
        if row is None:
            raise Missing(f"There is no key {key_id}.")
        if row.revoked_at is None:
            row.revoked_at = now()
            row.save(update_fields=["revoked_at"])
            record("key.revoke", Target("key", row.id))
    forget_kept_keys()
    return row


def find_keys() -> QuerySet[ApiKey]:
    """The tenant's keys, newest first, those that ended included."""
    require(Action.ADMINISTER)
    rows = ApiKey.objects.filter(tenant_id=current_actor().tenant_id)
    return rows.order_by("-created_at", "-id")


def open_key(key_id: str) -> ApiKey:
    """One of the tenant's keys. Raises Missing."""
    row = find_keys().filter(id=key_id.removeprefix("mh_")).first()
    if row is None:
        raise Missing("There is no such key.")
    return row


def list_keys() -> list[ApiKey]:
    """All of them."""
    return list(find_keys())


def issue_tenant_key(**wanted: Any) -> IssuedKey:
    """A key of the acting tenant, by one of its admins; keywords as `issue_key`."""
    actor = require(Action.ADMINISTER)
    return issue_key(Tenant.objects.get(id=actor.tenant_id), **wanted)


def revoke_tenant_key(key_id: str) -> ApiKey:
    """End a key of the acting tenant, by one of its admins. Raises Missing."""
    require(Action.ADMINISTER)
    return revoke_key(key_id)
