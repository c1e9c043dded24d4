"""The system checks of the wall: quiet on a sound database, loud about each missing piece."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from memoryhub.checks import check_isolation, tenant_tables


@contextmanager
def changed(owner_url: str, change: str, back: str) -> Iterator[None]:
    with psycopg.connect(owner_url, autocommit=True) as owner:
        owner.execute(change)
        try:
            yield
        finally:
            owner.execute(back)


def found() -> set[str]:
    return {message.id for message in check_isolation(["default"]) if message.id}


def test_a_migrated_database_passes(hub: str) -> None:
    assert check_isolation(["default"]) == []


def test_every_model_of_tenants_content_is_checked(hub: str) -> None:
    assert {"memories_memory", "memories_memoryvector", "audit_event"} <= tenant_tables()


POLICY = (
    "CREATE POLICY tenant_only ON {t} USING (tenant_id = nullif(current_setting('hub.tenant', "
    "true), '')::uuid) WITH CHECK (tenant_id = nullif(current_setting('hub.tenant', true), "
    "'')::uuid)"
)


@pytest.mark.parametrize(
    "table", ["memories_memory", "memories_memory_p07", "audit_event_default", "memories_tombstone"]
)
def test_a_lost_policy_is_found(owner_url: str, table: str) -> None:
    with changed(owner_url, f"DROP POLICY tenant_only ON {table}", POLICY.format(t=table)):
        assert found() == {"memoryhub.E006"}
    assert found() == set()


def test_a_second_policy_that_opens_the_table_is_found(owner_url: str) -> None:
    table = "memories_memoryversion"
    opened = f"CREATE POLICY everybody ON {table} USING (true)"
    with changed(owner_url, opened, f"DROP POLICY everybody ON {table}"):
        assert "memoryhub.E006" in found()


@pytest.mark.parametrize(
    ("change", "back", "code"),
    [
        (
            "ALTER TABLE memories_memory_p03 DISABLE ROW LEVEL SECURITY",
            "ALTER TABLE memories_memory_p03 ENABLE ROW LEVEL SECURITY",
            "memoryhub.E005",
        ),
        (
            "ALTER TABLE audit_event NO FORCE ROW LEVEL SECURITY",
            "ALTER TABLE audit_event FORCE ROW LEVEL SECURITY",
            "memoryhub.E005",
        ),
        (
            "GRANT SELECT ON memories_memory_p00 TO hub_app",
            "REVOKE SELECT ON memories_memory_p00 FROM hub_app",
            "memoryhub.E008",
        ),
        (
            "CREATE TABLE stray (tenant_id uuid, content text)",
            "DROP TABLE stray",
            "memoryhub.E007",
        ),
    ],
)
def test_each_hole_is_found(owner_url: str, change: str, back: str, code: str) -> None:
    with changed(owner_url, change, back):
        assert code in found()
    assert found() == set()
