"""Row level security, table by table and partition by partition, as each role, by plain SQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from psycopg import errors, sql

from memoryhub.checks import tenant_tables
from tenants.models import Tenant
from tests.ageing import act_as_owner
from tests.callers import Caller

PARTITIONS = (
    "SELECT parent.relname, c.relname FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid "
    "JOIN pg_class parent ON parent.oid = i.inhparent "
    "WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY 2"
)
DENIED = errors.InsufficientPrivilege


@pytest.fixture
def app(database_url: str) -> Iterator[psycopg.Connection]:
    """A connection as hub_app, without Django between."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def owner(owner_url: str) -> Iterator[psycopg.Connection]:
    """A connection as hub_owner."""
    with psycopg.connect(owner_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def filled(tenant: Tenant, agent: Caller) -> Tenant:
    """A tenant with a row in every table that a call can fill."""
    agent.put(["a"], "k", {"text": "one"}, subjects=["s"])
    agent.put(["a"], "k", {"text": "two"}, subjects=["s"])
    agent.get(["a"], "k")
    return tenant


def partitions(connection: psycopg.Connection) -> list[str]:
    ours = tenant_tables()
    return [name for root, name in connection.execute(PARTITIONS) if root in ours]


@contextmanager
def acting(connection: psycopg.Connection, tenant: Tenant) -> Iterator[None]:
    """A transaction in which Postgres knows the tenant; rolled back."""
    with connection.transaction(force_rollback=True):
        act_as_owner(connection, tenant)
        yield


def count(connection: psycopg.Connection, table: str) -> int:
    query = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))
    return int(connection.execute(query).fetchone()[0])


def test_there_are_partitions_to_look_at(app: psycopg.Connection) -> None:
    found = partitions(app)
    assert len([name for name in found if name.startswith("memories_")]) == 32
    assert len([name for name in found if name.startswith("audit_event_2")]) >= 25
    assert "audit_event_default" in found


def test_the_application_sees_no_row_of_any_table_without_a_tenant(
    app: psycopg.Connection, filled: Tenant
) -> None:
    assert {table: count(app, table) for table in tenant_tables()} == dict.fromkeys(
        tenant_tables(), 0
    )


def test_the_application_sees_its_tenants_rows_and_no_others(
    app: psycopg.Connection, filled: Tenant, rival: Tenant
) -> None:
    for tenant, rows in ((filled, 1), (rival, 0)):
        with acting(app, tenant):
            assert count(app, "memories_memory") == rows
            assert count(app, "memories_memoryversion") == rows
            assert count(app, "memories_memorysubject") == rows


def test_the_application_has_no_right_on_a_partition(
    app: psycopg.Connection, filled: Tenant
) -> None:
    for name in partitions(app):
        with acting(app, filled), pytest.raises(DENIED):
            count(app, name)
        with pytest.raises(DENIED):
            app.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(name)))


def test_the_owner_sees_no_row_of_any_table_or_partition_without_a_tenant(
    owner: psycopg.Connection, filled: Tenant
) -> None:
    for name in [*tenant_tables(), *partitions(owner)]:
        assert count(owner, name) == 0, name


def test_an_empty_setting_is_no_tenant(app: psycopg.Connection, filled: Tenant) -> None:
    with app.transaction():
        app.execute("SET LOCAL hub.tenant = ''")
        assert count(app, "memories_memory") == 0


@pytest.mark.parametrize(
    "statement",
    [
        "TRUNCATE {}",
        "ALTER TABLE {} ADD COLUMN stray int",
        "ALTER TABLE {} DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE {} NO FORCE ROW LEVEL SECURITY",
        "DROP POLICY tenant_only ON {}",
        "CREATE POLICY open ON {} USING (true)",
        "DROP TABLE {}",
        "CREATE INDEX stray ON {} (tenant_id)",
        "CREATE RULE stray AS ON SELECT TO {} DO INSTEAD NOTHING",
    ],
)
def test_the_application_cannot_take_the_wall_down(
    app: psycopg.Connection, filled: Tenant, statement: str
) -> None:
    for table in sorted(tenant_tables()):
        with pytest.raises(DENIED):
            app.execute(sql.SQL(statement).format(sql.Identifier(table)))


def test_the_application_cannot_become_somebody_else(app: psycopg.Connection) -> None:
    for statement in (
        "SET ROLE hub_owner",
        "SET SESSION AUTHORIZATION hub_owner",
        "ALTER ROLE hub_app BYPASSRLS",
        "CREATE TABLE stray (n int)",
        "CREATE FUNCTION stray() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    ):
        with pytest.raises(DENIED):
            app.execute(statement)


def test_switching_row_security_off_shows_nothing(app: psycopg.Connection, filled: Tenant) -> None:
    app.execute("SET row_security = off")
    with pytest.raises(DENIED):
        count(app, "memories_memory")


INSERT_TOMBSTONE = (
    "INSERT INTO memories_tombstone (tenant_id, id, namespace, kind, classes, purged_at, ruleset, "
    "reason, event_id) VALUES (%s, gen_random_uuid(), 'a/', 'fact', '{}', now(), 0, 'ttl', "
    "gen_random_uuid())"
)


def test_a_row_of_another_tenant_cannot_be_written(
    app: psycopg.Connection, filled: Tenant, rival: Tenant
) -> None:
    with acting(app, rival), pytest.raises(DENIED):
        app.execute(INSERT_TOMBSTONE, [filled.id])
    with pytest.raises(DENIED):
        app.execute(INSERT_TOMBSTONE, [filled.id])


def test_a_row_cannot_be_given_to_another_tenant(
    app: psycopg.Connection, filled: Tenant, rival: Tenant
) -> None:
    with acting(app, filled), pytest.raises(DENIED):
        app.execute("UPDATE memories_memorysubject SET tenant_id = %s", [rival.id])


def test_rows_of_another_tenant_are_neither_changed_nor_deleted(
    app: psycopg.Connection, filled: Tenant, rival: Tenant
) -> None:
    with acting(app, rival):
        changed = app.execute(
            "UPDATE memories_memory SET key = 'x' WHERE tenant_id = %s", [filled.id]
        )
        deleted = app.execute("DELETE FROM memories_memory WHERE tenant_id = %s", [filled.id])
    assert (changed.rowcount, deleted.rowcount) == (0, 0)


def test_a_foreign_key_to_another_tenants_memory_is_refused(
    app: psycopg.Connection, filled: Tenant, rival: Tenant
) -> None:
    with acting(app, filled):
        (memory,) = app.execute("SELECT id FROM memories_memory").fetchone()
    with acting(app, rival), pytest.raises(errors.ForeignKeyViolation):
        app.execute(
            "INSERT INTO memories_memorysubject (tenant_id, id, memory_id, subject) "
            "VALUES (%s, gen_random_uuid(), %s, 's')",
            [rival.id, memory],
        )
