"""What tests of subject requests share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tenants.models import Tenant, User
from tests.erasure.asking import Asking
from tests.people import Person


@pytest.fixture
def asking(tenant: Tenant, make_person: Callable[..., User]) -> Asking:
    """The tenant with an officer who takes the steps and another who approves."""
    officer = Person(make_person(tenant, "officer"), tenant)
    return Asking(tenant, officer, Person(make_person(tenant, "officer"), tenant))
