"""What tests of rule sets share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tenants.models import Tenant, User
from tests.people import Person
from tests.rules.governing import Governed


@pytest.fixture
def governed(tenant: Tenant, make_person: Callable[..., User]) -> Governed:
    """The tenant with an admin who writes rules and an officer who approves them."""
    author = Person(make_person(tenant, "admin"), tenant)
    return Governed(tenant, author, Person(make_person(tenant, "officer"), tenant))
