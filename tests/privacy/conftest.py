"""What the tests of personal data share: people of the tenant by role, and made-up numbers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tenants.models import Tenant, User
from tests.people import Person


@pytest.fixture
def person(tenant: Tenant, make_person: Callable[..., User]) -> Callable[[str], Person]:
    """`person("officer")`: somebody with this role in `tenant`, signed in."""

    def make(role: str) -> Person:
        return Person(make_person(tenant, role), tenant)

    return make


@pytest.fixture
def officer(person: Callable[[str], Person]) -> Person:
    """An officer of `tenant`."""
    return person("officer")
