"""Signing in, the second factor, sessions, and joining by invitation."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import (
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.test import Client

from audit.models import Event
from tenants.access.inviting import invite_person, make_token, open_invitation
from tenants.actors import ANONYMOUS, Actor, ActorKind, operator_actor
from tenants.context import acting_as
from tenants.models import Membership, Tenant, User
from tests.dashboard.conftest import PASSWORD, browser


def _codes(tenant_actor: Actor) -> list[str]:
    from django.db import transaction

    with acting_as(tenant_actor), transaction.atomic():
        return list(Event.objects.all().newest_first().values_list("code", flat=True)[:40])


def test_a_sign_in_enters_the_tenant_and_is_an_event(officer: Client, tenant: Tenant) -> None:
    page = officer.get("/")
    assert page.status_code == 200
    assert tenant.name in page.content.decode()
    assert "ACC-LOG-S" in _codes(operator_actor(tenant.id))


def test_a_failed_sign_in_is_an_event_without_the_address(
    tenant: Tenant, make_person: Callable[..., User]
) -> None:
    user = make_person(tenant, "officer")
    answer = browser().post("/signin", {"login": user.email, "password": "wrong wrong wrong"})
    assert answer.status_code == 200
    assert user.email not in str(_codes(ANONYMOUS))
    assert "ACC-LOG-F" in _codes(ANONYMOUS)


def test_many_failed_sign_ins_are_slowed_down(
    tenant: Tenant, make_person: Callable[..., User]
) -> None:
    user = make_person(tenant, "officer")
    for _ in range(5):
        browser().post("/signin", {"login": user.email, "password": "wrong wrong wrong"})
    answer = browser().post("/signin", {"login": user.email, "password": PASSWORD})
    assert answer.status_code == 200, "the right password does not help any more"


def test_nobody_can_sign_up() -> None:
    assert Client().get("/accounts/signup/").status_code == 404
    assert Client().get("/signup").status_code == 404


def test_a_second_factor_is_asked_for_and_its_secret_is_not_in_the_clear(
    tenant: Tenant, make_person: Callable[..., User], sign_in: Callable[[User], Client]
) -> None:
    user = make_person(tenant, "officer")
    visitor = sign_in(user)
    asked = visitor.get("/account/factor/new")
    assert asked.headers["Location"].startswith("/account/confirm"), "the password once more"
    page = visitor.post(asked.headers["Location"], {"password": PASSWORD}, follow=True)
    secret = re.search(r'id="secret">([A-Z2-7]+)<', page.content.decode())
    assert secret is not None
    code = _totp(secret[1])
    visitor.post("/account/factor/new", {"code": code})
    stored = Authenticator.objects.get(user=user, type=Authenticator.Type.TOTP)
    assert secret[1] not in str(stored.data)
    fresh = browser()
    answer = fresh.post("/signin", {"login": user.email, "password": PASSWORD})
    assert answer.headers["Location"].startswith("/signin/code")
    assert fresh.get("/").status_code == 302, "not in before the code"


def _totp(secret: str) -> str:
    counter = next(iter(yield_hotp_counters_from_time()))
    return format_hotp_value(hotp_value(secret, counter))


def test_an_ended_session_is_out_at_once(
    tenant: Tenant, make_person: Callable[..., User], sign_in: Callable[[User], Client]
) -> None:
    user = make_person(tenant, "officer")
    first, second = sign_in(user), sign_in(user)
    page = second.get("/account").content.decode()
    number = re.search(r"/account/sessions/(\d+)/end", page)
    assert number is not None
    second.post(f"/account/sessions/{number[1]}/end")
    assert first.get("/").status_code == 302
    assert second.get("/").status_code == 200


def test_a_removed_member_is_out_with_the_next_request(
    tenant: Tenant, make_person: Callable[..., User], admin: Client,
    sign_in: Callable[[User], Client],
) -> None:  # fmt: skip
    user = make_person(tenant, "officer")
    visitor = sign_in(user)
    member = Membership.objects.get(user=user, tenant=tenant)
    assert admin.post(f"/access/{member.id}/remove").status_code == 302
    assert visitor.get("/memories").status_code == 302


@pytest.fixture
def invited(tenant: Tenant, make_person: Callable[..., User]) -> tuple[Membership, str]:
    """An invitation made by an admin, and its token."""
    admin = make_person(tenant, "admin")
    actor = Actor(
        kind=ActorKind.PERSON, id=str(admin.id), name="admin", tenant_id=tenant.id,
        roles=frozenset({"admin"}),
    )  # fmt: skip
    with acting_as(actor):
        return invite_person(f"new-{admin.id}@example.com", role="officer")


def test_an_invited_person_joins_with_a_password_of_their_own(
    invited: tuple[Membership, str],
) -> None:
    membership, token = invited
    visitor = browser()
    assert visitor.get(f"/invitations/{token}").status_code == 200
    answer = visitor.post(
        f"/invitations/{token}", {"name": "New Person", "password": "a quiet morning walk"}
    )
    assert answer.status_code == 302
    entered = visitor.post(
        "/signin", {"login": membership.user.email, "password": "a quiet morning walk"}
    )
    assert entered.status_code == 302
    assert visitor.get("/").status_code == 200
    assert visitor.get(f"/invitations/{token}").status_code == 404, "it works once"


def test_a_weak_password_is_refused(invited: tuple[Membership, str]) -> None:
    _, token = invited
    answer = browser().post(f"/invitations/{token}", {"name": "N", "password": "password1234"})
    assert answer.status_code == 422


def test_whoever_prepared_an_account_does_not_come_into_another_tenant_with_it(
    invited: tuple[Membership, str], rival: Tenant
) -> None:
    membership, token = invited
    user = membership.user
    with acting_as(operator_actor(rival.id)):
        other = Membership.objects.create(user=user, tenant=rival, role="officer")
    browser().post(f"/invitations/{token}", {"name": "Mallory", "password": "a quiet morning walk"})
    visitor = browser()
    visitor.post("/signin", {"login": user.email, "password": "a quiet morning walk"})
    visitor.post(f"/tenants/{rival.slug}")
    assert rival.name not in visitor.get("/").content.decode()
    assert open_invitation(make_token(other)).membership == other, "still only an invitation"
