"""Tampering as the server's superuser, whom no policy and no trigger stops."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.conf import settings
from django.db import transaction

from audit.recording import Facts, Target, record
from audit.verifying.running import Span, verify_log
from memoryhub.embedded.databases import _connect
from memoryhub.embedded.places import find_places
from tenants.actors import Actor, ActorKind, operator_actor
from tenants.context import acting_as
from tenants.ids import uuid7
from tenants.models import Tenant
from tests.plugin import DATA


@contextmanager
def superuser(database: str | None = None) -> Iterator[psycopg.Connection]:
    """A transaction of the superuser with all triggers off, committed at the end."""
    name = database or settings.DATABASES["default"]["NAME"]
    with _connect(find_places(DATA), name) as connection, connection.transaction():
        connection.execute("SET LOCAL session_replication_role = replica")
        yield connection


def tamper(sql: str, **values: Any) -> None:
    """One statement of the superuser."""
    with superuser() as connection:
        connection.execute(sql, values)


def verify(tenant: Tenant, span: Span | None = None, **options: Any) -> dict[str, Any]:
    """The answer of a verification of the tenant's log."""
    with acting_as(operator_actor(tenant.id)):
        return verify_log(span or Span(), **options)


def write_events(tenant: Tenant, count: int) -> None:
    """So many events as agents leave them, each in a transaction of its own."""
    actor = Actor(ActorKind.KEY, "k1", "nightly agent", tenant.id, key_id="k1")
    for number in range(count):
        with acting_as(actor), transaction.atomic():
            record(
                "memory.put",
                Target("memory", str(uuid7()), f"a/用户{number}/"),
                Facts(
                    subjects=("s_4f1c", "s_99ab"), ruleset=3,
                    counts={"n": number, "bytes": 120}, links={"version": 1, "share": 0.25},
                ),
            )  # fmt: skip
