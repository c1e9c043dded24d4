"""The tenant named to Postgres ends with its transaction, however that ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import psycopg
import pytest
from allauth.account.models import EmailAddress
from django.db import DatabaseError, IntegrityError, connection, connections, transaction

from memories.models import Memory
from tenants.access.authenticating import forget_kept_keys
from tenants.actors import operator_actor
from tenants.context import acting_as, current_tenant_id, relaxed_commit
from tenants.models import Tenant
from tests.callers import Caller

SETTING = "SELECT current_setting('hub.tenant', true), pg_backend_pid()"


def setting() -> tuple[str | None, int]:
    """The tenant as Postgres knows it on this thread's connection, and which server process."""
    with connection.cursor() as cursor:
        cursor.execute(SETTING)
        row = cursor.fetchone()
    return row[0] or None, row[1]


def commit() -> None:
    with transaction.atomic():
        Memory.objects.count()


def roll_back() -> None:
    with suppress(LookupError), transaction.atomic():
        Memory.objects.count()
        raise LookupError


def roll_back_a_savepoint() -> None:
    with transaction.atomic():
        with suppress(LookupError), transaction.atomic():
            Memory.objects.count()
            raise LookupError
        assert setting()[0] == str(current_tenant_id())
        Memory.objects.count()


def break_a_statement() -> None:
    with (
        pytest.raises(DatabaseError),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("SELECT 1 / 0")


def break_inside_a_savepoint() -> None:
    with transaction.atomic():
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT 1 / 0")
        assert setting()[0] == str(current_tenant_id())


ENDINGS = [commit, roll_back, roll_back_a_savepoint, break_a_statement, break_inside_a_savepoint]


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending.__name__)
def test_no_tenant_is_left_on_the_connection(acting: Tenant, ending: Callable[[], None]) -> None:
    with transaction.atomic():
        _, server = setting()
    ending()
    left, same_server = setting()
    assert left is None
    assert same_server == server


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending.__name__)
def test_a_pooled_connection_carries_no_tenant_to_the_next(
    tenant: Tenant, rival: Tenant, ending: Callable[[], None]
) -> None:
    with acting_as(operator_actor(tenant.id)):
        ending()
    connection.close()  # back to the pool
    assert setting()[0] is None
    with acting_as(operator_actor(rival.id)), transaction.atomic():
        assert setting()[0] == str(rival.id)


def test_threads_that_are_used_again_keep_their_tenants_apart(
    make_tenant: Callable[..., Tenant],
) -> None:
    tenants = [make_tenant() for _ in range(4)]

    def work(tenant: Tenant) -> bool:
        with acting_as(operator_actor(tenant.id)), transaction.atomic():
            right = setting()[0] == str(tenant.id)
        clean = setting()[0] is None
        connections.close_all()
        return right and clean

    with ThreadPoolExecutor(3) as pool:
        assert all(pool.map(work, tenants * 10))


def test_relaxed_commits_end_with_their_transaction(acting: Tenant) -> None:
    def mode() -> str:
        with connection.cursor() as cursor:
            cursor.execute("SHOW synchronous_commit")
            return cursor.fetchone()[0]

    with relaxed_commit(), transaction.atomic():
        assert mode() == "off"
    with transaction.atomic():
        assert mode() == "on"


@pytest.fixture
def kill_pooled_connections(database_url: str) -> Iterator[Callable[[], None]]:
    """Ends four idle connections of the pool on the server's side, as its restart would."""
    yield lambda: _kill(database_url)
    connection.ensure_connection()
    pool = connections["default"].pool
    connection.close()
    pool.check()  # nothing dead is left for the next test


def _kill(database_url: str) -> None:
    connection.ensure_connection()
    pool = connections["default"].pool
    connection.close()
    pool.check()
    held = [pool.getconn(timeout=30) for _ in range(4)]
    servers = [one.info.backend_pid for one in held]
    for one in held:
        pool.putconn(one)
    with psycopg.connect(database_url) as other:
        other.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s::int[]) pid", [servers])


def test_connections_that_died_in_the_pool_are_replaced_before_anything_is_done(
    acting: Tenant, agent: Caller, kill_pooled_connections: Callable[[], None]
) -> None:
    assert agent.put(["a"], "k", {"n": 1}, index=False).status_code == 200
    kill_pooled_connections()
    counted = []
    for _ in range(4):
        with transaction.atomic():
            counted.append(Memory.objects.count())
        connection.close()
    assert counted == [1] * 4  # on living connections, and as the tenant


def test_a_request_after_the_server_restarted_is_answered(
    agent: Caller, kill_pooled_connections: Callable[[], None]
) -> None:
    assert agent.put(["a"], "k", {"n": 1}, index=False).status_code == 200
    for is_kept in (True, False):
        connection.close()
        kill_pooled_connections()
        if not is_kept:
            forget_kept_keys()
        assert agent.get(["a"], "k").status_code == 200


def test_a_connection_that_dies_between_statements_fails_its_transaction_and_no_other(
    acting: Tenant, agent: Caller, database_url: str, kill_pooled_connections: Callable[[], None]
) -> None:
    """Before a statement and before COMMIT: an error each time, and nothing done on commit."""
    agent.put(["a"], "k", {"n": 1}, index=False)
    done: list[str] = []

    def die(*, at_commit: bool) -> None:
        with transaction.atomic():
            transaction.on_commit(lambda: done.append("told"))
            Memory.objects.update(label="lost")
            with psycopg.connect(database_url) as other:
                other.execute("SELECT pg_terminate_backend(%s, 5000)", [setting()[1]])
            if not at_commit:
                Memory.objects.count()

    for at_commit in (False, True):
        with pytest.raises(DatabaseError):
            die(at_commit=at_commit)
        with transaction.atomic():
            assert (setting()[0], Memory.objects.get().label) == (str(acting.id), None)
    assert done == []


def test_what_fails_at_commit_is_an_error_and_not_done(acting: Tenant) -> None:
    done: list[str] = []

    def clash() -> None:
        with transaction.atomic():
            transaction.on_commit(lambda: done.append("told"))
            with transaction.atomic():  # a savepoint within
                # there is no such user, which Postgres asks at COMMIT
                EmailAddress.objects.create(user_id=2**31 - 1, email="nobody@example.org")

    with pytest.raises(IntegrityError):
        clash()
    assert done == []
    with transaction.atomic():
        assert setting()[0] == str(acting.id)
        assert not EmailAddress.objects.filter(email="nobody@example.org").exists()
