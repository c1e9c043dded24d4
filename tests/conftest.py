"""What tests share: a real Postgres as the NOSUPERUSER role, fresh tenants, and callers over HTTP.

No flush and no roll-back: every test makes its own tenants, and row level security keeps them
apart. The database is made anew for each run (and each xdist worker) from a migrated template.
"""

from __future__ import annotations

import fcntl
import os
import signal
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from hypothesis import settings as property_settings

from memoryhub import embedded
from tenants.access.provisioning import create_tenant, create_user, issue_key
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tenants.roles import Scope
from tests.callers import Caller
from tests.handling import share_middleware
from tests.plugin import DATA, ROOT
from tests.shared import ABSENT, SHARED
from tests.vectors import remember_vectors

settings.PASSWORD_HASHERS = ["tests.hashing.QuickArgon2PasswordHasher"]
property_settings.register_profile("daily", max_examples=20)
EVERY_SCOPE = [scope.value for scope in Scope]


def _schema_fingerprint() -> str:
    """Changes with any migration, so that an old template is never used."""
    digest = sha256()
    for path in sorted(ROOT.glob("*/migrations/*.py")):
        digest.update(path.read_bytes())
    digest.update((ROOT / "tenants" / "rls.py").read_bytes())
    digest.update((ROOT / "requirements.txt").read_bytes())
    return digest.hexdigest()[:12]


def _use_database(name: str) -> None:
    for alias in ("default", "owner"):
        connections[alias].close()
        connections[alias].settings_dict["NAME"] = name
        settings.DATABASES[alias]["NAME"] = name


def _make_template(name: str) -> None:
    """Migrate once; workers that come at the same time wait for the first."""
    with (DATA / "template.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = DATA / f"{name}.done"
        if done.exists():
            return
        for old in DATA.glob("hub_template_*.done"):
            embedded.drop_database(DATA, old.stem)
            old.unlink()
        embedded.create_database(DATA, name)
        _use_database(name)
        call_command("migrate", verbosity=0)
        _use_database("memoryhub")
        done.touch()


def _spare_the_disk() -> None:
    """No waiting for the disk: only a crash of the machine would lose anything, and it ends the
    tests too. Tests that kill servers have their own, which keep what they acknowledged."""
    os.fsync = lambda _: None
    folder = DATA / "postgres"
    wanted = "fsync = off\nfull_page_writes = off\n"
    local = folder / "local.conf"
    if not local.exists() or local.read_text() != wanted:
        local.write_text(wanted)
        os.chmod(local, 0o644)
        os.kill(int((folder / "postmaster.pid").read_text().split()[0]), signal.SIGHUP)


@pytest.fixture(scope="session")
def hub(django_db_blocker: pytest.FixtureRequest, worker_id: str) -> Iterator[str]:
    """The hub's database, migrated and empty; its name. Whatever touches it asks for this."""
    DATA.mkdir(parents=True, exist_ok=True)
    name = f"hub_test_{worker_id}_{os.getpid()}"
    remember_vectors()
    share_middleware()
    with embedded.running(DATA), django_db_blocker.unblock():  # type: ignore[attr-defined]
        _spare_the_disk()
        template = f"hub_template_{_schema_fingerprint()}"
        _make_template(template)
        embedded.create_database(DATA, name, template=template)
        _use_database(name)
        yield name
        for alias in ("default", "owner"):
            connections[alias].close()
        connections["default"].close_pool()
        embedded.drop_database(DATA, name)


@pytest.fixture(scope="session")
def database_url(hub: str) -> str:
    """The test database for psycopg, as the application's role."""
    return embedded.locate(DATA, database=hub).database_url


@pytest.fixture(scope="session")
def owner_url(hub: str) -> str:
    """The same as the owner of the tables."""
    return embedded.locate(DATA, database=hub).owner_url


@pytest.fixture(scope="session")
def make_tenant(hub: str) -> Callable[..., Tenant]:
    """Makes a tenant with a name nobody else has; keywords change its settings."""

    def make(**changes: object) -> Tenant:
        slug = f"t-{uuid4().hex[:12]}"
        with acting_as(operator_actor()):
            tenant = create_tenant(slug, name=slug)
        if changes:
            with acting_as(operator_actor(tenant.id)):
                for field, value in changes.items():
                    setattr(tenant, field, value)
                tenant.save()
        return tenant

    return make


@pytest.fixture
def tenant(make_tenant: Callable[..., Tenant]) -> Tenant:
    """A fresh tenant."""
    return make_tenant()


@pytest.fixture
def rival(make_tenant: Callable[..., Tenant]) -> Tenant:
    """Another fresh tenant, whose people and keys try everything."""
    return make_tenant()


@pytest.fixture(scope="session")
def make_caller(hub: str) -> Callable[..., Caller]:
    """Makes a caller with a key of a tenant; keywords as `issue_key` (scopes, prefixes, …)."""

    def make(tenant: Tenant, **options: object) -> Caller:
        options.setdefault("scopes", EVERY_SCOPE)
        with acting_as(operator_actor(tenant.id)):
            key = issue_key(tenant, name="test", **options)  # type: ignore[arg-type]
        return Caller(str(key.text))

    return make


@pytest.fixture(scope="module")
def shared_agent(make_tenant: Callable[..., Tenant], make_caller: Callable[..., Caller]) -> Caller:
    """One caller for all tests of a module, for those that store nothing or look only at their own:
    a tenant and a key cost more than most requests."""
    return make_caller(make_tenant())


@pytest.fixture
def agent(tenant: Tenant, make_caller: Callable[..., Caller]) -> Caller:
    """A caller with every scope in `tenant`."""
    return make_caller(tenant)


@pytest.fixture
def outsider(rival: Tenant, make_caller: Callable[..., Caller]) -> Caller:
    """A caller with every scope in another tenant."""
    return make_caller(rival)


@pytest.fixture(scope="session")
def make_person(hub: str) -> Callable[..., User]:
    """Makes a person with a role in a tenant and the password `correct horse battery`."""

    def make(tenant: Tenant, role: str) -> User:
        with acting_as(operator_actor(tenant.id)):
            return create_user(
                f"{role}-{uuid4().hex[:8]}@example.com",
                tenant=tenant,
                role=role,
                password="correct horse battery",
            )

    return make


@pytest.fixture
def acting(tenant: Tenant) -> Iterator[Tenant]:
    """The test body acts as the operator in `tenant`."""
    with acting_as(operator_actor(tenant.id)):
        yield tenant


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared cases and data; tests that need it skip where it is absent."""
    if not SHARED.exists():
        pytest.skip(ABSENT)
    return SHARED


@pytest.fixture(scope="session")
def worker_id(request: pytest.FixtureRequest) -> str:
    """`gw0` and so on under xdist, else `main`."""
    return getattr(request.config, "workerinput", {}).get("workerid", "main")
