"""A partition for every month ahead, and a default one for what nobody foresaw."""

from __future__ import annotations

from datetime import timedelta

import psycopg
from django.db import connection

from audit.tasks import MONTHS_AHEAD, extend_months
from tenants.models import Tenant
from tests.ageing import act_as_owner
from tests.audit.reading import events_of
from tests.callers import Caller


def ask(query: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return int(cursor.fetchone()[0])


def test_two_years_are_made_ahead(hub: str) -> None:
    assert ask("SELECT hub_months_ahead()") >= MONTHS_AHEAD


def test_extending_again_makes_nothing(hub: str) -> None:
    extend_months()
    assert ask(f"SELECT hub_extend_months(now(), {MONTHS_AHEAD})") == 0


def test_the_application_may_make_the_next_month_and_it_is_protected(hub: str) -> None:
    ahead = ask("SELECT hub_months_ahead()")
    assert ask(f"SELECT hub_extend_months(now(), {ahead + 1})") == 1
    assert ask("SELECT hub_months_ahead()") == ahead + 1
    newest = (
        "SELECT c.oid FROM pg_class c WHERE c.relname = 'audit_event_' || "
        f"to_char(now() AT TIME ZONE 'UTC' + make_interval(months => {ahead + 1}), 'YYYY_MM')"
    )
    assert (
        ask(
            f"SELECT count(*) FROM pg_class c WHERE c.oid = ({newest}) "
            "AND c.relrowsecurity AND c.relforcerowsecurity"
        )
        == 1
    )
    assert ask(f"SELECT count(*) FROM pg_policy WHERE polrelid = ({newest})") >= 1
    assert (
        ask(
            f"SELECT count(*) FROM pg_trigger WHERE tgrelid = ({newest}) "
            "AND tgname IN ('event_no_change', 'event_no_truncate', 'event_stamp')"
        )
        == 3
    )


def test_an_event_beyond_the_months_made_goes_to_the_default(
    database_url: str, tenant: Tenant, agent: Caller
) -> None:
    agent.put(["a"], "k", {"n": 1}, index=False)
    event = events_of(tenant)[0]
    far = event.at + timedelta(days=40 * 365)
    with psycopg.connect(database_url) as other:
        act_as_owner(other, tenant)
        (table,) = other.execute(
            "INSERT INTO audit_event SELECT (jsonb_populate_record(e, jsonb_build_object("
            "'id', gen_random_uuid(), 'at', %s::timestamptz))).* FROM audit_event e "
            "WHERE tenant_id = %s AND id = %s RETURNING tableoid::regclass::text",
            [far, tenant.id, event.id],
        ).fetchone()
        other.rollback()
    assert table == "audit_event_default"
