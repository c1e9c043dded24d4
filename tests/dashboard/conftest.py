"""What the tests of the pages share: people who are signed in."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.test import Client

from tenants.models import Tenant, User

PASSWORD = "correct horse battery"


def browser() -> Client:
    """A browser at an address of its own: sign-ins are limited by address."""
    number = uuid4().int
    return Client(REMOTE_ADDR=f"10.{number % 251}.{number // 251 % 251}.{number // 63001 % 251}")


@pytest.fixture
def sign_in(hub: str) -> Callable[[User], Client]:
    """Signs a person in through the page, as a browser does."""

    def enter(user: User) -> Client:
        client = browser()
        answer = client.post("/signin", {"login": user.email, "password": PASSWORD})
        assert answer.status_code == 302, answer.content[:500]
        return client

    return enter


class People(dict[str, Client]):
    """Browsers by role, each made and signed in when a test first asks for it."""

    def __init__(self, enter: Callable[[str], Client]) -> None:
        super().__init__(nobody=browser())
        self.enter = enter

    def __missing__(self, role: str) -> Client:
        self[role] = self.enter(role)
        return self[role]


@pytest.fixture
def people(
    tenant: Tenant, make_person: Callable[..., User], sign_in: Callable[[User], Client]
) -> dict[str, Client]:
    """A signed-in browser for each role, and one of nobody."""
    return People(lambda role: sign_in(make_person(tenant, role)))


@pytest.fixture
def officer(
    tenant: Tenant, make_person: Callable[..., User], sign_in: Callable[[User], Client]
) -> Client:
    """An officer of `tenant`, signed in."""
    return sign_in(make_person(tenant, "officer"))


@pytest.fixture
def admin(
    tenant: Tenant, make_person: Callable[..., User], sign_in: Callable[[User], Client]
) -> Client:
    """An admin of `tenant`, signed in."""
    return sign_in(make_person(tenant, "admin"))
