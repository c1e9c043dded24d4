"""hub_search_text, the one function that sees past the row policies: what it does not do."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import psycopg
import pytest

from tenants.models import Tenant
from tests.callers import Caller

PLACE = ["notes"]
_CALL = (
    "SELECT id, score FROM hub_search_text(ARRAY['''zanzibar''']::tsquery[], ARRAY[''], "
    "ARRAY[NULL]::text[], now(), 'long', false, 10, 10, 2000, 200)"
)


def _search(url: str, tenant: UUID | None) -> list[Any]:
    with psycopg.connect(url) as connection:
        if tenant is not None:
            connection.execute("SELECT hub_act(%s, false)", [tenant])
        return connection.execute(_CALL).fetchall()


def test_it_finds_the_acting_tenants_memories_only(
    agent: Caller, outsider: Caller, tenant: Tenant, rival: Tenant, database_url: str
) -> None:
    mine = agent.put(PLACE, "a", {"text": "zanzibar"}).json()["id"]
    theirs = outsider.put(PLACE, "b", {"text": "zanzibar"}).json()["id"]
    assert [str(row[0]) for row in _search(database_url, tenant.id)] == [mine]
    assert [str(row[0]) for row in _search(database_url, rival.id)] == [theirs]


def test_without_a_tenant_it_finds_nothing(agent: Caller, database_url: str) -> None:
    agent.put(PLACE, "a", {"text": "zanzibar"})
    assert _search(database_url, None) == []


def test_another_tenants_words_do_not_change_a_score(
    agent: Caller, outsider: Caller, tenant: Tenant, database_url: str
) -> None:
    agent.put(PLACE, "a", {"text": "zanzibar"})
    before = _search(database_url, tenant.id)
    for number in range(8):
        outsider.put(PLACE, f"k{number}", {"text": "zanzibar zanzibar"})
    assert _search(database_url, tenant.id) == before


def test_another_tenants_turn_lends_no_words(agent: Caller, outsider: Caller) -> None:
    outsider.put(PLACE, "x", {"text": "zanzibar"}, session_id="s")
    agent.put(PLACE, "a", {"text": "something else"}, session_id="s")
    assert agent.keys(PLACE, query="zanzibar", mode="text") == []


@pytest.mark.parametrize("table", ["memories_memory", "memories_memoryvector", "audit_event"])
def test_its_owner_may_read_no_more_than_it_needs(owner_url: str, table: str) -> None:
    asked = "SELECT has_table_privilege('hub_search', %s, %s)"
    with psycopg.connect(owner_url) as connection:
        for right in ("SELECT", "INSERT", "UPDATE", "DELETE"):
            (has,) = connection.execute(asked, [table, right]).fetchone() or (None,)
            assert has is (table == "memories_memory" and right == "SELECT")
        (creates,) = connection.execute(
            "SELECT has_schema_privilege('hub_search', 'public', 'CREATE')"
        ).fetchone() or (None,)
    assert creates is False


def test_it_cannot_be_led_astray_by_the_callers_search_path(
    agent: Caller, tenant: Tenant, database_url: str
) -> None:
    agent.put(PLACE, "a", {"text": "zanzibar"})
    with psycopg.connect(database_url) as connection:
        connection.execute("SELECT hub_act(%s, false)", [tenant.id])
        connection.execute("SET LOCAL search_path = pg_temp, pg_catalog")
        found = connection.execute(_CALL.replace("hub_search_text", "public.hub_search_text"))
        assert len(found.fetchall()) == 1
