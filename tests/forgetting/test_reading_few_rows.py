"""A sweep reads what is due and not what is there: every statement of it, explained as it runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import connections, transaction

from memories.sweeping import sweep_now
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.ageing import act_as_owner
from tests.callers import Caller

LIVE, DUE = 30_000, 100
_FILL = """
INSERT INTO memories_memory (tenant_id, id, namespace, key, value, kind, tier, subjects, classes,
  tags, derived_from, source_caps, decay, importance, weight, content_hash, version, created_at,
  updated_at, access_count, ruled, flags, ruleset, embedding, embedding_attempts, length,
  ttl, ttl_expires_at, visible_until, purge_at, acts_at, trashed_at)
SELECT %(tenant)s, uuidv7(), %(root)s || n %% 10 || '/', 'k' || n, '{}', 'fact', 'long', '{}',
  '{}', '{}', '{}', '{}', 1, 0.5, 1, '\\x00', 1, now() - interval '60 days',
  now() - interval '60 days', 0, false, '{}', 0, 'none', 0, 0,
  interval '1 day', %(until)s, %(until)s, %(purge)s, %(acts)s, %(trashed)s
FROM generate_series(1, %(rows)s) AS n
"""
_DAYS = {
    "past": "- interval '40 days'", "lately": "- interval '1 day'",
    "ahead": "+ interval '90 days'",
}  # fmt: skip


def fill(owner_url: str, tenant: Tenant) -> None:
    """Live rows with dates ahead; beside them some to destroy, to hide, and to do more about."""
    with psycopg.connect(owner_url) as connection:
        act_as_owner(connection, tenant)

        def at(which: str | None) -> Any:
            if which is None:
                return None
            row = connection.execute(f"SELECT now() {_DAYS[which]}").fetchone()
            assert row is not None
            return row[0]

        for root, rows, until, purge, acts, trashed in (
            ("live/u", LIVE, "ahead", "ahead", "ahead", None),
            ("purge/u", DUE, "past", "lately", None, "past"),
            ("hide/u", DUE, "lately", "ahead", None, None),
            ("act/u", DUE, "ahead", "ahead", "lately", None),
        ):
            connection.execute(_FILL, {
                "tenant": tenant.id, "root": root, "rows": rows, "until": at(until),
                "purge": at(purge), "acts": at(acts), "trashed": at(trashed),
            })  # fmt: skip
        connection.execute("ANALYZE memories_memory")


def scans_of(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if str(plan.get("Relation Name", "")).startswith("memories_memory"):
        yield plan
    for child in plan.get("Plans", []):
        yield from scans_of(child)


def visited(plan: dict[str, Any]) -> float:
    """Rows of memories that the scans of a plan looked at, returned or not."""
    return sum(
        (one["Actual Rows"] + one.get("Rows Removed by Filter", 0)
         + one.get("Rows Removed by Index Recheck", 0)) * one["Actual Loops"]
        for one in scans_of(plan) if "Scan" in one["Node Type"]
    )  # fmt: skip


@pytest.mark.parametrize("slot", [0, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.slow
def test_what_is_due_is_found_by_index_and_little_else_is_read(
    tenant: Tenant, agent: Caller, owner_url: str, slot: int
) -> None:
    fill(owner_url, tenant)
    if slot:
        with psycopg.connect(owner_url) as connection:
            act_as_owner(connection, tenant)
            connection.execute(
                "UPDATE memories_memory SET visible_until_b = visible_until, purge_at_b = purge_at,"
                " acts_at_b = acts_at, visible_until = now(), purge_at = now(), acts_at = now(), "
                "flags_b = '{}', ruled_b = false, ruleset_b = 0 WHERE tenant_id = %s",
                [tenant.id],
            )
            connection.execute("ANALYZE memories_memory")
        with acting_as(operator_actor(tenant.id)), transaction.atomic():
            tenant.date_slot = 1
            tenant.save()
    seen: list[tuple[str, float]] = []

    def explain(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if "memories_memory " in sql and context["connection"].in_atomic_block:
            cursor = context["cursor"].cursor
            cursor.execute("SAVEPOINT explained")
            cursor.execute("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + sql, params)
            plan = cursor.fetchone()[0]
            plan = json.loads(plan) if isinstance(plan, str) else plan
            cursor.execute("ROLLBACK TO SAVEPOINT explained")
            seen.append((sql, visited(plan[0]["Plan"])))
        return execute(sql, params, many, context)

    with acting_as(operator_actor(tenant.id)), connections["default"].execute_wrapper(explain):
        counts = sweep_now().counts
    assert (counts["hidden"], counts["purged"]) == (DUE, DUE)
    assert len(seen) > 10
    wrong = {sql[:120]: rows for sql, rows in seen if rows > 2 * DUE}
    assert wrong == {}
    assert sum(rows for _, rows in seen) < 12 * DUE
