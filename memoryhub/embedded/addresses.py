"""The servers' addresses as URLs, and the way from a URL to Django's settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
from psycopg.conninfo import conninfo_to_dict

from memoryhub.embedded.failures import StartFailure
from memoryhub.embedded.passwords import role_password
from memoryhub.embedded.places import Places, find_places

DATABASE = "memoryhub"
PORT = 5432  # names the socket file only; nothing listens on TCP

_DJANGO_KEYS = {
    "dbname": "NAME",
    "user": "USER",
    "password": "PASSWORD",
    "host": "HOST",
    "port": "PORT",
}


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Where the embedded servers listen. The URLs hold passwords: never log them."""

    database_url: str  # as hub_app
    owner_url: str  # as hub_owner
    redis_url: str


def locate(data: Path, *, database: str = DATABASE) -> Endpoints:
    """The addresses for a data folder. Starts nothing; creates the secrets when absent."""
    places = find_places(data)
    return Endpoints(
        database_url=_postgres_url(places, "hub_app", database),
        owner_url=_postgres_url(places, "hub_owner", database),
        redis_url=f"unix://{quote(str(places.valkey_socket))}?db=0",
    )


def django_database(url: str) -> dict[str, Any]:
    """A Postgres URL as keys of Django's DATABASES, whatever libpq accepts: TCP or socket,
    several hosts, `sslmode` and other options. The engine is the caller's to choose."""
    if not url.startswith(("postgres://", "postgresql://")):
        raise StartFailure("DATABASE_URL must begin with postgresql://", code="bad_database_url")
    try:
        parts = conninfo_to_dict(url)
        ports = str(parts.get("port") or "").split(",")
        understood = all(port.isdecimal() or not port for port in ports)
    except psycopg.Error:
        understood = False
    if not understood:  # libpq's message may quote the password; ours quotes nothing
        raise StartFailure(
            "DATABASE_URL is not a URL that Postgres understands: "
            "postgresql://user:password@host:5432/name?sslmode=require",
            code="bad_database_url",
        )
    settings: dict[str, Any] = {
        django: str(parts.pop(libpq, "") or "") for libpq, django in _DJANGO_KEYS.items()
    }
    return settings | {"OPTIONS": {name: value for name, value in parts.items() if value}}


def celery_url(url: str) -> str:
    """The same server in Celery's spelling, which has a scheme of its own for sockets."""
    if not url.startswith("unix://"):
        return url
    path, _, query = url.removeprefix("unix://").partition("?")
    number = dict(pair.partition("=")[::2] for pair in query.split("&")).get("db", "0")
    return f"redis+socket://{path}?virtual_host={number}"


def _postgres_url(places: Places, role: str, database: str) -> str:
    password = quote(role_password(places, role), safe="")
    host = quote(str(places.sockets), safe="")
    return f"postgresql://{role}:{password}@/{quote(database, safe='')}?host={host}&port={PORT}"
