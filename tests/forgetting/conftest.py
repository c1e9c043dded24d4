"""What tests of forgetting share: a governed tenant, time that passes, and a sweep."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest
from django.db import transaction

from memories.models import Memory, SweepRun
from memories.sweeping import sweep_now
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.ageing import let_pass
from tests.people import Person
from tests.rules.governing import Governed


@pytest.fixture
def governed(tenant: Tenant, make_person: Callable[..., User]) -> Governed:
    """The tenant with an admin who writes rules and an officer who approves them."""
    author = Person(make_person(tenant, "admin"), tenant)
    return Governed(tenant, author, Person(make_person(tenant, "officer"), tenant))


@pytest.fixture
def officer(governed: Governed) -> Person:
    """An officer of `tenant`."""
    return governed.approver


@pytest.fixture
def pass_time(owner_url: str, tenant: Tenant) -> Callable[..., None]:
    """Lets time go by for everything the tenant has stored."""
    return lambda **span: let_pass(owner_url, tenant, **span)


@pytest.fixture
def sweep(tenant: Tenant) -> Callable[..., dict[str, int]]:
    """One sweep of the tenant; its counts that are not zero."""

    def run(
        prefix: str = "", *, dry_run: bool = False, at: datetime | None = None
    ) -> dict[str, int]:
        with acting_as(operator_actor(tenant.id)):
            made: SweepRun = sweep_now(prefix, dry_run=dry_run, at=at)
        return {name: count for name, count in made.counts.items() if count}

    return run


@pytest.fixture
def row_of(tenant: Tenant) -> Callable[[str], Memory]:
    """The stored row under a key, in whatever state."""

    def find(key: str) -> Memory:
        with acting_as(operator_actor(tenant.id)), transaction.atomic():
            row: Memory = Memory.objects.get(key=key)
            return row

    return find
