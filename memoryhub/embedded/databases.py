"""Roles and databases on the embedded server, made by its superuser, who does nothing else.

Everything here is safe to run again, and runs at every start of the server: a start that was
killed half-way is completed by the next one, and lost secrets are replaced.
"""

from __future__ import annotations

from pathlib import Path

import psycopg
from psycopg import sql

from memoryhub.embedded.addresses import DATABASE, PORT
from memoryhub.embedded.passwords import role_password
from memoryhub.embedded.places import Places, find_places
from memoryhub.embedded.postgres import SUPERUSER

_HERE = Path(__file__).parent


def create_database(data: Path, name: str, *, template: str | None = None) -> None:
    """Makes one more database of hub_owner's with the extensions and grants, for tests.

    From a `template` (nobody may be connected to it) it is a copy with all its tables. The
    server must be running; a database of that name that exists is kept and completed.
    """
    add_database(find_places(data), name, template=template)


def drop_database(data: Path, name: str) -> None:
    """Removes a database, with whoever is connected to it; none of that name is fine."""
    with _connect(find_places(data), "postgres") as connection:
        connection.execute(
            sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        )


def prepare_server(places: Places) -> None:
    """Roles with their passwords, and the database `memoryhub`."""
    with _connect(places, "postgres") as connection, connection.transaction():
        for role in ("owner", "app"):
            connection.execute(
                "SELECT set_config(%s, %s, true)",
                (f"memoryhub.{role}_password", role_password(places, f"hub_{role}")),
            )
        connection.execute(_script("roles.sql"))
    add_database(places, DATABASE)


def add_database(places: Places, name: str, *, template: str | None = None) -> None:
    """As `create_database`, with the places at hand."""
    with _connect(places, "postgres") as connection:
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,))
        if found.fetchone() is None:
            connection.execute(
                sql.SQL("CREATE DATABASE {} OWNER hub_owner TEMPLATE {}").format(
                    sql.Identifier(name), sql.Identifier(template or "template0")
                )
            )
    with _connect(places, name) as connection, connection.transaction():
        connection.execute(_script("database.sql"))


def knows_superuser(places: Places) -> bool:
    """Whether the superuser's password is the one in the secrets folder."""
    try:
        _connect(places, "postgres").close()
    except psycopg.OperationalError as error:
        if "authentication failed" in str(error):
            return False
        raise
    return True


def superuser_password_statement(places: Places) -> str:
    """For the single-user mode, when `knows_superuser` says no."""
    return f"ALTER ROLE {SUPERUSER} PASSWORD '{role_password(places, 'super')}'"


def _connect(places: Places, database: str) -> psycopg.Connection:
    return psycopg.connect(
        host=str(places.sockets),
        port=PORT,
        user=SUPERUSER,
        password=role_password(places, "super"),
        dbname=database,
        connect_timeout=30,
        autocommit=True,
    )


def _script(name: str) -> sql.SQL:
    return sql.SQL((_HERE / name).read_text(encoding="utf-8"))
