"""A tenant's exit: nothing is left, nobody comes in, and an old dump opens nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from psycopg import sql

from memoryhub.embedded.databases import _connect
from memoryhub.embedded.places import find_places
from privacy.models import VaultEntry
from privacy.vault import open_original
from sealing.originals import SealRefused
from sealing.ring import ring
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.callers import Caller
from tests.plugin import DATA

CN_ID = "11010519491231002X"


def dump(connection: psycopg.Connection, tenant: Tenant, table: str) -> bytes:
    query = sql.SQL("COPY (SELECT * FROM {} WHERE tenant_id = {}) TO STDOUT").format(
        sql.Identifier(table), sql.Literal(str(tenant.id))
    )
    with connection.cursor().copy(query) as copy:
        return b"".join(bytes(part) for part in copy)


def restore(connection: psycopg.Connection, table: str, rows: bytes) -> None:
    query = sql.SQL("COPY {} FROM STDIN").format(sql.Identifier(table))
    with connection.cursor().copy(query) as copy:
        copy.write(rows)
    connection.commit()


def close(tenant: Tenant, tmp_path: Path) -> Any:
    target = tmp_path / "certificate.json"
    call_command("close_tenant", tenant.slug, yes=True, certificate=str(target))
    return json.loads(target.read_text())


def test_an_older_dump_opens_nothing_with_todays_keys(
    agent: Caller, tenant: Tenant, hub: str, tmp_path: Path
) -> None:
    agent.put(["a"], "k", {"text": f"身份证{CN_ID}"})
    with _connect(find_places(DATA), hub) as connection:
        rows = dump(connection, tenant, "privacy_vaultentry")
        assert rows
        certificate = close(tenant, tmp_path)
        assert certificate["keys_destroyed"] == [1]
        assert not dump(connection, tenant, "privacy_vaultentry")
        restore(connection, "privacy_vaultentry", rows)
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        (entry,) = VaultEntry.objects.all()
        for _ in range(2):  # also as a process that just started
            with pytest.raises(SealRefused) as refused:
                open_original(entry.sealed, tenant_id=tenant.id, token_id=entry.token_id)
            assert refused.value.code == "key_gone"
            ring.cache_clear()
    assert not ring().folder(tenant.id).exists()


def test_nothing_of_it_is_left_but_its_log(
    agent: Caller, tenant: Tenant, hub: str, tmp_path: Path
) -> None:
    for number in range(5):
        agent.put(["a"], f"k{number}", {"text": f"身份证{CN_ID}"}, subjects=["s1"])
    agent.put(["a"], "k1", {"text": "again"})
    certificate = close(tenant, tmp_path)
    assert certificate["dropped"]["memories_memory"] == 5
    with _connect(find_places(DATA), hub) as connection:
        tables = connection.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
            "WHERE a.attname = 'tenant_id' AND c.relkind IN ('r', 'p') AND NOT c.relispartition "
            "AND c.relnamespace = 'public'::regnamespace"
        ).fetchall()
        left = {table for (table,) in tables if dump(connection, tenant, table)}
    assert {table for table in left if not table.startswith("audit_")} == set()


def test_nobody_comes_in_any_more(
    agent: Caller, tenant: Tenant, make_person: Callable[..., Any], tmp_path: Path
) -> None:
    agent.put(["a"], "k", {"text": "x"})
    make_person(tenant, "officer")
    close(tenant, tmp_path)
    from tenants.access.authenticating import forget_kept_keys

    forget_kept_keys()
    assert agent.get(["a"], "k").status_code == 401
    with pytest.raises(CommandError):
        call_command("issue_key", tenant.slug, name="x")


def test_it_may_be_run_again_and_an_unknown_one_is_refused(tenant: Tenant, tmp_path: Path) -> None:
    close(tenant, tmp_path)
    assert close(tenant, tmp_path)["dropped"] == {}
    with pytest.raises(CommandError):
        call_command("close_tenant", "nobody", yes=True)


def test_another_tenant_is_not_touched(
    agent: Caller, tenant: Tenant, outsider: Caller, tmp_path: Path
) -> None:
    made = outsider.put(["a"], "k", {"text": f"身份证{CN_ID}"}).json()
    close(tenant, tmp_path)
    assert outsider.get(["a"], "k").json()["value"] == made["value"]
    assert outsider.put(["a"], "k", {"text": f"身份证{CN_ID}"}).json()["outcome"] == "unchanged"
