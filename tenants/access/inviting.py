"""Inviting people: a link that its receiver opens to join, and that nobody else can use for them.

The link names one membership and is signed; it ends after a week, with the acceptance, or when the
membership is removed. Accounts are shared by all tenants of an installation, so whoever sets the
password of a new account must gain nothing but the membership of their own link: every other
invitation under the same address stays an invitation until its own link is opened by someone who
is signed in.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.core import signing
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from audit.recording import Facts, Target, record
from audit.repeating import settle
from memoryhub.errors import Conflict, Denied, Invalid, Missing
from tenants.access.authenticating import person_actor
from tenants.access.signing_in import record_of_account
from tenants.authorising import require
from tenants.context import acting_as, now
from tenants.models import Membership, User
from tenants.roles import Action, Role

SALT = "tenants.access.inviting"
KEPT_SECONDS = 7 * 86_400


@dataclass(frozen=True, slots=True)
class Invitation:
    """An open invitation. `is_new` says that the account has no password yet."""

    membership: Membership
    is_new: bool


def invite_person(
    email: str, *, role: str, name: str = "", prefixes: tuple[str, ...] = ()
) -> tuple[Membership, str]:
    """A membership that waits to be accepted, and the token of its link (shown once).

    Raises Invalid for the address or role, Conflict `already_member`.
    """
    actor = require(Action.ADMINISTER)
    chosen = checked_role(role)
    address = email.strip().lower()
    try:
        validate_email(address)
    except ValidationError:
        raise Invalid.at("email", "invalid_email", "That is not an e-mail address.") from None
    with transaction.atomic():
        user = User.objects.filter(email__iexact=address).first()
        if user is None:
            user = User.objects.create_user(address, None, name=name.strip())
        membership, is_new = Membership.objects.get_or_create(
            user=user,
            tenant_id=actor.tenant_id,
            defaults={"role": chosen, "prefixes": list(prefixes)},
        )
        if not is_new:
            raise Conflict("This person belongs to the tenant already.", code="already_member")
        record("member.invite", Target("user", str(user.id)), Facts(links={"role": chosen.value}))
        settle({"id": str(membership.id)}, status=201)
    return membership, make_token(membership)


def checked_role(role: str) -> Role:
    """The role of that name. Raises Invalid `unknown_role`."""
    try:
        return Role(role)
    except ValueError:
        roles = ", ".join(Role)
        raise Invalid.at("role", "unknown_role", f"The roles are: {roles}.") from None


def make_token(membership: Membership) -> str:
    """What the link of an invitation carries."""
    return signing.dumps(str(membership.id), salt=SALT)


def open_invitation(token: str) -> Invitation:
    """The invitation behind a link. Raises Missing when it is over, used or not ours."""
    try:
        identifier = signing.loads(token, salt=SALT, max_age=KEPT_SECONDS)
    except signing.BadSignature:
        raise Missing("This invitation is over.") from None
    rows = Membership.objects.select_related("user", "tenant")
    row = rows.filter(id=identifier, accepted_at=None, tenant__closed_at=None).first()
    if row is None:
        raise Missing("This invitation is over.")
    return Invitation(row, not row.user.has_usable_password())


def accept_with_password(token: str, *, name: str, password: str) -> Membership:
    """A new person chooses a password and joins. Raises Missing, Denied `sign_in_first`."""
    with transaction.atomic():
        membership = _lock(token)
        user = User.objects.select_for_update().get(id=membership.user_id)
        if user.has_usable_password():
            raise Denied("This person has an account: sign in first.", code="sign_in_first")
        user.name = name.strip() or user.name
        user.set_password(password)
        user.save(update_fields=["name", "password"])
        _accept(membership)
    record_of_account("access.password", user, change="invitation")
    _record_acceptance(membership)
    return membership


def accept_signed_in(token: str, user: User) -> Membership:
    """A person who is signed in joins by their own invitation. Raises Missing for any other."""
    with transaction.atomic():
        membership = _lock(token)
        if membership.user_id != user.id:
            raise Missing("This invitation is for somebody else.")
        _accept(membership)
    _record_acceptance(membership)
    return membership


def _lock(token: str) -> Membership:
    identifier = open_invitation(token).membership.id
    rows = Membership.objects.select_for_update(of=("self",)).select_related("user", "tenant")
    row = rows.filter(id=identifier, accepted_at=None).first()
    if row is None:
        raise Missing("This invitation is over.")
    return row


def _accept(membership: Membership) -> None:
    membership.accepted_at = now()
    membership.save(update_fields=["accepted_at"])


def _record_acceptance(membership: Membership) -> None:
    with acting_as(person_actor(membership.user, membership)), transaction.atomic():
        record("member.accept", Target("user", str(membership.user_id)))
