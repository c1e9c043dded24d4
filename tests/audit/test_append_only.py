"""Events cannot be changed or removed, by the application or by the owner of the tables."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import errors, sql

from tenants.models import Tenant
from tests.ageing import act_as_owner
from tests.audit.reading import events_of
from tests.callers import Caller

PARTITIONS = (
    "SELECT inhrelid::regclass::text FROM pg_inherits "
    "WHERE inhparent = 'audit_event'::regclass ORDER BY 1"
)


@pytest.fixture(params=["application", "owner"])
def connection(
    request: pytest.FixtureRequest, tenant: Tenant, agent: Caller
) -> Iterator[psycopg.Connection]:
    """A transaction of the role, acting in a tenant that has events."""
    agent.put(["a"], "k", {"n": 1}, index=False)
    url = {"application": "database_url", "owner": "owner_url"}[request.param]
    with psycopg.connect(request.getfixturevalue(url)) as connection:
        act_as_owner(connection, tenant)
        yield connection
        connection.rollback()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_event SET actor_name = 'nobody' WHERE tenant_id = %(tenant)s",
        "UPDATE audit_event SET payload = payload WHERE tenant_id = %(tenant)s",
        "DELETE FROM audit_event WHERE tenant_id = %(tenant)s",
        "TRUNCATE audit_event",
        "TRUNCATE audit_event CASCADE",
    ],
)
def test_an_event_stays_as_it_was_written(
    connection: psycopg.Connection, tenant: Tenant, statement: str
) -> None:
    before = len(events_of(tenant))
    assert before > 0
    with pytest.raises(errors.InsufficientPrivilege):
        connection.execute(statement, {"tenant": tenant.id})
    connection.rollback()
    assert len(events_of(tenant)) == before


def test_no_partition_can_be_emptied_or_changed_by_its_own_name(
    connection: psycopg.Connection, tenant: Tenant
) -> None:
    names = [name for (name,) in connection.execute(PARTITIONS)]
    assert len(names) >= 25
    for name in names:
        with pytest.raises(errors.InsufficientPrivilege), connection.transaction():
            connection.execute(sql.SQL("TRUNCATE {}").format(sql.Identifier(name)))
    filled = events_of(tenant)[0].at.strftime("audit_event_%Y_%m")
    assert filled in names
    for statement in ("UPDATE {} SET actor_name = ''", "DELETE FROM {}"):
        with pytest.raises(errors.InsufficientPrivilege), connection.transaction():
            connection.execute(sql.SQL(statement).format(sql.Identifier(filled)))


def test_the_application_cannot_take_the_triggers_off(database_url: str, tenant: Tenant) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection:
        for statement in (
            "ALTER TABLE audit_event DISABLE TRIGGER ALL",
            "DROP TRIGGER event_no_change ON audit_event",
            "CREATE OR REPLACE FUNCTION hub_refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
            "'BEGIN RETURN NEW; END'",
            "SET session_replication_role = replica",
            "ALTER TABLE audit_event DETACH PARTITION audit_event_default",
        ):
            with pytest.raises(errors.InsufficientPrivilege):
                connection.execute(statement)


def test_who_inserted_cannot_be_forged(database_url: str, tenant: Tenant, agent: Caller) -> None:
    """The transaction and the server of an event are the database's word."""
    agent.put(["a"], "k", {"n": 1}, index=False)
    with psycopg.connect(database_url) as connection:
        act_as_owner(connection, tenant)
        row = connection.execute(
            "INSERT INTO audit_event SELECT (jsonb_populate_record(e, jsonb_build_object("
            "'id', gen_random_uuid(), 'xid', 1, 'node', 1))).* FROM audit_event e "
            "WHERE tenant_id = %s LIMIT 1 RETURNING xid, node, pg_current_xact_id()::text::bigint",
            [tenant.id],
        ).fetchone()
        connection.rollback()
    assert row[0] == row[2]
    assert row[1] not in (1, None)
