"""Signing in and out: what django-allauth asks of us, with an event for each.

A person signs in to the installation and then acts in one of their tenants; which one stands in
the session and is chosen by the switcher. Nobody can sign up: people come by invitation
(`tenants.access.inviting`).
"""

from __future__ import annotations

import ipaddress
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.usersessions.models import UserSession
from django.db import transaction
from django.http import HttpRequest, HttpResponse

from audit.events import Outcome
from audit.recording import Facts, Target, record
from sealing.hashing import keyed_hash
from tenants.access.authenticating import choose_membership, person_actor
from tenants.access.middleware import TENANT_IN_SESSION
from tenants.access.requests import client_address
from tenants.actors import ANONYMOUS, Actor, ActorKind
from tenants.context import acting_as
from tenants.ids import PLATFORM_TENANT
from tenants.models import Membership, User


class AccountAdapter(DefaultAccountAdapter):
    """Our answers to allauth's questions about accounts."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address(request) or "0.0.0.0"  # noqa: S104 - of a socket without address

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """The pages speak for themselves."""

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        response = super().post_login(request, user, **kwargs)
        _shorten_address(request)
        membership = Membership.objects.effective().of_person(user).first()
        if membership is None:
            with acting_as(platform_actor(user)), transaction.atomic():
                record("access.login", Target("person", str(user.id)))
        else:
            enter_tenant(request, membership, action="access.login")
        return response

    def logout(self, request: HttpRequest) -> None:
        with transaction.atomic():
            record("access.logout", Target("person", str(request.user.pk)))
        UserSession.objects.filter(session_key=request.session.session_key).delete()
        super().logout(request)

    def set_password(self, user: User, password: str) -> None:
        super().set_password(user, password)
        record_of_account("access.password", user)

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Names the address tried by a keyed hash only: it may be anybody's, or a password."""
        tried = str(credentials.get("email", "")).strip().lower()
        digest = keyed_hash(tried, purpose="sign-in-address")[:32]
        with acting_as(ANONYMOUS), transaction.atomic():
            record("access.login", Target("address", digest), Facts(outcome=Outcome.FAILED))

    def reauthenticate(self, user: User, password: str) -> bool:
        """By password, counted against the same limit as signing in."""
        request, email = self.request, user.email
        self.pre_authenticate(request, email=email, password=password)
        if not user.check_password(password):
            self.authentication_failed(request, email=email)
            return False
        self._rollback_login_failed_rl_usage()
        return True


def platform_actor(user: User) -> Actor:
    """A person about their own account, which belongs to no tenant."""
    return Actor(
        kind=ActorKind.PERSON, id=str(user.id), name=user.name or user.email,
        tenant_id=PLATFORM_TENANT,
    )  # fmt: skip


def record_of_account(action: str, user: User, *, change: str = "") -> None:
    """An event about a person's own account, in the platform tenant."""
    links = {"change": change} if change else {}
    with acting_as(platform_actor(user)), transaction.atomic():
        record(action, Target("person", str(user.id)), Facts(links=links))


def enter_tenant(
    request: HttpRequest, membership: Membership, *, action: str = "access.enter"
) -> None:
    """From now on this session acts in the membership's tenant; an event there says so."""
    request.session[TENANT_IN_SESSION] = str(membership.tenant_id)
    user = membership.user
    with acting_as(person_actor(user, membership)), transaction.atomic():
        record(action, Target("person", str(user.id)))


def switch_tenant(request: HttpRequest, slug: str) -> None:
    """Act in another of one's own tenants. Raises Denied `tenant_required` for any other."""
    enter_tenant(request, choose_membership(request.user, slug=slug))  # type: ignore[arg-type]


def end_session(user: User, session_id: int) -> None:
    """End one of a person's own sessions, at once; one that is gone is no error."""
    session = UserSession.objects.filter(user=user, pk=session_id).first()
    if session is not None:
        session.end()
        record_of_account("access.session", user)


def _shorten_address(request: HttpRequest) -> None:
    """The list of sessions keeps the network that a person came from, not the address."""
    session = UserSession.objects.filter(session_key=request.session.session_key).first()
    if session is None:
        return
    address = ipaddress.ip_address(session.ip)
    width = 24 if address.version == 4 else 48
    session.ip = str(ipaddress.ip_network(f"{address}/{width}", strict=False).network_address)
    session.save(update_fields=["ip"])
