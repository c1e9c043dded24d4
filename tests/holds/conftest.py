"""What tests of legal holds share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tenants.models import Tenant, User
from tests.callers import Caller
from tests.holds.holders import Holders
from tests.people import Person


@pytest.fixture
def holders(
    tenant: Tenant, make_person: Callable[..., User], agent: Caller, owner_url: str
) -> Holders:
    """The tenant with an agent and two officers."""
    first, second = (Person(make_person(tenant, "officer"), tenant) for _ in range(2))
    return Holders(tenant, agent, first, second, owner_url)
