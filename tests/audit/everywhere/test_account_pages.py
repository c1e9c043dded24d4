"""Signing in and out, the password, the second factor, sessions, joining: exactly their events."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest
from allauth.mfa.totp.internal.auth import (
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.test import Client

from tenants.access.provisioning import create_user
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import User
from tests.audit.everywhere.visiting import Visits
from tests.audit.everywhere.world import NOTHING, World
from tests.dashboard.conftest import PASSWORD, browser

pytestmark = pytest.mark.slow
NEW_PASSWORD = "a quiet morning walk"
Told = dict[str, tuple[str, ...]]

OF_ACCOUNTS: Told = {
    "GET account_login": NOTHING,
    "POST account_login": ("access.login",),
    "GET account": NOTHING,
    "POST end_session": ("access.session",),
    "GET account_change_password": NOTHING,
    "POST account_change_password": ("access.logout", "access.password"),
    "GET account_reauthenticate": NOTHING,
    "POST account_reauthenticate": NOTHING,
    "GET mfa_index": NOTHING,
    "GET mfa_activate_totp": NOTHING,
    "POST mfa_activate_totp": ("access.factor",),
    "GET mfa_view_recovery_codes": ("access.codes",),
    "POST mfa_view_recovery_codes": NOTHING,  # 405
    "GET mfa_download_recovery_codes": ("access.codes",),
    "POST mfa_download_recovery_codes": NOTHING,  # 405
    "GET mfa_generate_recovery_codes": NOTHING,
    "POST mfa_generate_recovery_codes": ("access.factor",),
    "GET mfa_authenticate": NOTHING,
    "POST mfa_authenticate": ("access.login",),
    "GET mfa_reauthenticate": NOTHING,
    "POST mfa_reauthenticate": NOTHING,
    "GET mfa_deactivate_totp": NOTHING,
    "POST mfa_deactivate_totp": ("access.factor",),
    "GET account_logout": NOTHING,
    "POST account_logout": ("access.logout",),
    "GET invitation": NOTHING,
    "POST invitation": (
        "access.password", "config.change", "config.change", "member.accept",
    ),
    "GET styleguide": NOTHING,
}  # fmt: skip


@dataclass
class Account:
    """A person at their own account, and what each request of theirs left."""

    world: World
    client: Client = field(default_factory=browser)
    told: Told = field(default_factory=dict)

    def ask(self, line: str, path: str, data: Any = None, *, status: int = 0) -> Any:
        """One request, under its line of the table: a page, or where a form led."""
        method, request_id = line.split()[0], uuid4().hex
        ask = self.client.get if method == "GET" else self.client.post
        answer = ask(path, data or {}, headers={"x-request-id": request_id})
        wanted = status or (200 if method == "GET" else 302)
        assert answer.status_code == wanted, (line, answer.status_code, answer.content[-2000:])
        self.told[line] = self.world.left_by(request_id)
        return answer

    def sign_in(self, user: User, password: str = PASSWORD) -> None:
        typed = {"login": user.email, "password": password}
        self.ask("GET account_login", "/signin")
        self.ask("POST account_login", "/signin", typed)


def _code_of(secret: str) -> str:
    counter = next(iter(yield_hotp_counters_from_time()))
    return str(format_hotp_value(hotp_value(secret, counter)))


def _found(pattern: str, answer: Any) -> str:
    found = re.search(pattern, answer.content.decode())
    assert found is not None, answer.content
    return found[1]


@pytest.fixture
def user(world: World) -> User:
    with acting_as(operator_actor(world.tenant.id)):
        name = f"officer-{uuid4().hex[:8]}@example.com"
        return create_user(name, tenant=world.tenant, role="officer", password=PASSWORD)


def test_the_account_of_a_person(world: World, user: User) -> None:
    account = Account(world)
    Account(world).sign_in(user)  # elsewhere
    account.sign_in(user)
    number = _found(r"/account/sessions/(\d+)/end", account.ask("GET account", "/account"))
    account.ask("POST end_session", f"/account/sessions/{number}/end")
    account.ask("GET account_reauthenticate", "/account/confirm")
    account.ask("POST account_reauthenticate", "/account/confirm", {"password": PASSWORD})
    account.ask("GET account_change_password", "/account/password")
    typed = {"oldpassword": PASSWORD, "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    account.ask("POST account_change_password", "/account/password", typed)
    account.sign_in(user, NEW_PASSWORD)
    account.ask("GET styleguide", "/styleguide", status=404)
    account.ask("GET account_logout", "/signout")
    account.ask("POST account_logout", "/signout")
    assert account.told == {line: OF_ACCOUNTS[line] for line in account.told}
    assert len(account.told) == 11


def test_the_second_factor_of_a_person(world: World, user: User) -> None:
    account = Account(world)
    account.sign_in(user)
    account.client.post("/account/confirm", {"password": PASSWORD})
    account.ask("GET mfa_index", "/account/factor")
    page = account.ask("GET mfa_activate_totp", "/account/factor/new")
    code = _code_of(_found(r'id="secret">([A-Z2-7]+)<', page))
    account.ask("POST mfa_activate_totp", "/account/factor/new", {"code": code})
    account.ask("GET mfa_generate_recovery_codes", "/account/codes/new")
    account.ask("POST mfa_generate_recovery_codes", "/account/codes/new")
    account.ask("GET mfa_view_recovery_codes", "/account/codes")
    account.ask("POST mfa_view_recovery_codes", "/account/codes", status=405)
    file = account.ask("GET mfa_download_recovery_codes", "/account/codes/file")
    account.ask("POST mfa_download_recovery_codes", "/account/codes/file", status=405)
    codes = file.content.decode().split()
    account.client = browser()
    account.client.post("/signin", {"login": user.email, "password": PASSWORD})
    account.ask("GET mfa_authenticate", "/signin/code")
    account.ask("POST mfa_authenticate", "/signin/code", {"code": codes[-1]})
    account.ask("GET mfa_reauthenticate", "/account/confirm/code")
    account.ask("POST mfa_reauthenticate", "/account/confirm/code", {"code": codes[-2]})
    account.ask("GET mfa_deactivate_totp", "/account/factor/end")
    account.ask("POST mfa_deactivate_totp", "/account/factor/end")
    assert account.told == {line: OF_ACCOUNTS[line] for line in account.told}
    assert len(account.told) == 17


def test_whoever_is_invited_joins(world: World, owner_url: str) -> None:
    typed = {"email": f"{uuid4().hex}@example.com", "role": "viewer"}
    shown, _ = Visits(world, owner_url).visit("A", "POST", "/access/invite", typed)
    path, account = _found(r"(/invitations/[\w:.-]+)", shown), Account(world)
    account.ask("GET invitation", path)
    account.ask("POST invitation", path, {"name": "New", "password": NEW_PASSWORD})
    assert account.told == {line: OF_ACCOUNTS[line] for line in account.told}
