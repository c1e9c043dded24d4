"""A tenant's exit: nothing is left, nobody comes in, and an old dump opens nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from psycopg import sql

from audit.documents import is_genuine
from memories.closing import ORIGIN, close_tenant
from memories.protecting import open_value
from memories.statements import scans
from memoryhub.embedded.databases import _connect
from memoryhub.embedded.places import find_places
from memoryhub.errors import Conflict
from privacy.models import VaultEntry
from privacy.subjects import known_subjects, pseudonym_of
from privacy.vault import equality_hash, open_original
from sealing.originals import SealRefused
from sealing.ring import KeyRefused, ring
from tenants.access.authenticating import forget_kept_keys
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.callers import Caller
from tests.plugin import DATA

CN_ID, SECRET = "11010519491231002X", "AKIAIOSFODNN7EXAMPLE"


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
    export = tmp_path / "export.jsonl"
    call_command("close_tenant", tenant.slug, yes=True, certificate=str(target), export=export)
    return json.loads(target.read_text())


def test_an_older_dump_opens_nothing_with_todays_keys(
    agent: Caller, tenant: Tenant, hub: str, tmp_path: Path
) -> None:
    agent.put(["a"], "k", {"text": f"身份证{CN_ID}"})
    secret = UUID(agent.put(["a"], "s", {"text": f"{SECRET} is it"}).json()["id"])
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        pseudonym_of("customer-7")
    tables = ("privacy_vaultentry", "privacy_datasubject", "memories_memory")
    with _connect(find_places(DATA), hub) as connection:
        older = {table: dump(connection, tenant, table) for table in tables}
        assert all(older.values())
        certificate = close(tenant, tmp_path)
        assert certificate["keys_destroyed"] == [1]
        for table, rows in older.items():
            assert not dump(connection, tenant, table)
            assert CN_ID.encode() not in rows
            assert SECRET.encode() not in rows
            restore(connection, table, rows)
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        (entry,) = VaultEntry.objects.all()
        sealed = scans.sealed_of(secret)
        assert sealed is not None
        for _ in range(2):  # also as a process that just started
            for try_it in (
                lambda: open_original(entry.sealed, tenant_id=tenant.id, token_id=entry.token_id),
                lambda: open_value(sealed, secret),
                lambda: equality_hash("cn_id", CN_ID, tenant.id),
            ):
                with pytest.raises((SealRefused, KeyRefused)) as refused:
                    try_it()
                assert getattr(refused.value, "code", "key_gone") == "key_gone"
            assert list(known_subjects()) == []
            ring.cache_clear()
    assert not ring().folder(tenant.id).exists()


def test_it_is_exported_first_and_the_certificate_is_signed(
    agent: Caller, tenant: Tenant, tmp_path: Path
) -> None:
    for number in range(3):
        agent.put(["a"], f"k{number}", {"n": number}, index=False)
    certificate = close(tenant, tmp_path)
    written = (tmp_path / "export.jsonl").read_bytes()
    assert len(written.splitlines()) == 3
    assert certificate["exported"] == {"sha256": sha256(written).hexdigest(), "memories": 3}
    assert (tmp_path / "export.jsonl").stat().st_mode & 0o077 == 0
    assert is_genuine(certificate, ORIGIN)
    assert not is_genuine({**certificate, "keys_destroyed": []}, ORIGIN)
    again = close(tenant, tmp_path)  # as after a kill: what was exported is still named
    assert again["exported"] == certificate["exported"]
    assert (tmp_path / "export.jsonl").read_bytes() == written


def test_it_does_not_close_without_a_word_on_the_export(agent: Caller, tenant: Tenant) -> None:
    agent.put(["a"], "k", {"a": 1}, index=False)
    with pytest.raises(CommandError):
        call_command("close_tenant", tenant.slug, yes=True)
    assert agent.get(["a"], "k").status_code == 200
    call_command("close_tenant", tenant.slug, yes=True, no_export=True)
    forget_kept_keys()
    assert agent.get(["a"], "k").status_code == 401


def test_what_is_written_during_the_export_is_not_lost(
    agent: Caller, tenant: Tenant, tmp_path: Path
) -> None:
    agent.put(["b"], "k", {"a": 1}, index=False)

    def write(state: Any) -> None:
        agent.put(["a"], "late", {"a": 2}, index=False)  # before the key that the export is at

    with acting_as(operator_actor()), pytest.raises(Conflict) as refused:
        close_tenant(tenant.slug, export=tmp_path / "e", on_chunk=write)
    assert refused.value.code == "changed_meanwhile"
    assert agent.get(["a"], "late").status_code == 200
    assert close(tenant, tmp_path)["exported"]["memories"] == 2


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
    forget_kept_keys()
    assert agent.get(["a"], "k").status_code == 401
    with pytest.raises(CommandError):
        call_command("issue_key", tenant.slug, name="x")


def test_it_may_be_run_again_and_an_unknown_one_is_refused(tenant: Tenant, tmp_path: Path) -> None:
    close(tenant, tmp_path)
    assert close(tenant, tmp_path)["dropped"] == {}
    with pytest.raises(CommandError):
        call_command("close_tenant", "nobody", yes=True, no_export=True)


def test_another_tenant_is_not_touched(
    agent: Caller, tenant: Tenant, outsider: Caller, tmp_path: Path
) -> None:
    made = outsider.put(["a"], "k", {"text": f"身份证{CN_ID}"}).json()
    close(tenant, tmp_path)
    assert outsider.get(["a"], "k").json()["value"] == made["value"]
    assert outsider.put(["a"], "k", {"text": f"身份证{CN_ID}"}).json()["outcome"] == "unchanged"
