"""The people of a tenant: listing them, changing and taking away roles. An admin always remains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from allauth.mfa.models import Authenticator
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from audit.recording import Facts, Target, record
from memoryhub.errors import Conflict, Missing
from tenants.access.inviting import checked_role, make_token
from tenants.authorising import require
from tenants.context import current_tenant_id
from tenants.models import Membership, Tenant
from tenants.roles import Action, Role


@dataclass(frozen=True, slots=True)
class Member:
    """A membership with what is known of how its person signs in."""

    row: Membership
    second_factor: bool

    @property
    def is_invited(self) -> bool:
        return self.row.accepted_at is None


def find_members() -> QuerySet[Membership]:
    """Everybody, those who are only invited included, newest first; for a list to page through."""
    require(Action.ADMINISTER)
    enrolled = Authenticator.objects.filter(
        user_id=OuterRef("user_id"), type=Authenticator.Type.TOTP
    )
    rows = Membership.objects.of_tenant(current_tenant_id())
    return rows.annotate(second_factor=Exists(enrolled))


def list_members() -> list[Member]:
    """Everybody."""
    return [member_of(row) for row in find_members()]


def member_of(row: Any) -> Member:
    """A row of `find_members` as a member."""
    return Member(row, row.second_factor)


def open_member(member_id: UUID) -> Member:
    """One of the tenant's people. Raises Missing."""
    row = find_members().filter(id=member_id).first()
    if row is None:
        raise Missing("There is no such member.")
    return member_of(row)


def change_member(
    member_id: UUID, *, role: str | None = None, prefixes: Sequence[str] | None = None
) -> Member:
    """Another role, other prefixes (stored paths). Raises Missing, Invalid, Conflict last_admin."""
    require(Action.ADMINISTER)
    chosen = None if role is None else checked_role(role)
    with transaction.atomic():
        row = _lock(member_id)
        if chosen is not None and chosen != Role.ADMIN:
            _keep_an_admin(row)
        before = {"role": row.role, "prefixes": row.prefixes}
        row.role = chosen or row.role
        row.prefixes = row.prefixes if prefixes is None else list(prefixes)
        after = {"role": row.role, "prefixes": row.prefixes}
        if before != after:
            row.save(update_fields=["role", "prefixes"])
            record(
                "member.change",
                Target("user", str(row.user_id)),
                Facts(links={"before": before, "after": after}),
            )
    return open_member(member_id)


def remove_member(member_id: UUID) -> None:
    """The person belongs here no more, from their very next request. Again is no error."""
    require(Action.ADMINISTER)
    with transaction.atomic():
        try:
            row = _lock(member_id)
        except Missing:
            return
        _keep_an_admin(row)
        user_id, role = row.user_id, row.role
        row.delete()
        record("member.remove", Target("user", str(user_id)), Facts(links={"role": role}))


def renew_invitation(member_id: UUID) -> str:
    """A new link for somebody who has not accepted yet. Raises Missing, Conflict."""
    member = open_member(member_id)
    if not member.is_invited:
        raise Conflict("This person has accepted already.", code="already_member")
    with transaction.atomic():
        target = Target("user", str(member.row.user_id))
        record("member.invite", target, Facts(links={"again": True}))
    return make_token(member.row)


def _lock(member_id: UUID) -> Membership:
    """The membership, with the tenant's row locked first: two admins cannot remove each other."""
    Tenant.objects.select_for_update().get(id=current_tenant_id())
    row = Membership.objects.of_tenant(current_tenant_id()).filter(id=member_id).first()
    if row is None:
        raise Missing("There is no such member.")
    return row


def _keep_an_admin(row: Membership) -> None:
    """Refuse to take away the last admin who can act."""
    if row.role != Role.ADMIN or row.accepted_at is None:
        return
    admins = Membership.objects.effective().filter(tenant_id=row.tenant_id, role=Role.ADMIN)
    if not admins.exclude(id=row.id).filter(user__is_active=True).exists():
        raise Conflict("This is the tenant's last admin.", code="last_admin")
