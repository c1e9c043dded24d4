"""A hold over many: by many ids and over many memories, without reading what it does not need."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from django.db import connection, transaction

from audit.jobs import run_job
from audit.models import Job
from memories import holding
from memories.dating import evaluate_row, regime_of
from memories.models import Memory
from memories.statements import staging
from tenants.actors import operator_actor
from tenants.context import acting_as, now
from tenants.snapshots import tenant_settings
from tests.holds.holders import BASE, Holders

FILL = (
    "INSERT INTO memories_memory (tenant_id, id, namespace, key, value, kind, tier, subjects, "
    "classes, tags, derived_from, source_caps, decay, importance, weight, content_hash, version, "
    "created_at, updated_at, access_count, ruled, flags, ruleset, embedding, embedding_attempts, "
    "length) SELECT %s, uuidv7(), 'many/', n::text, '{}', 'fact', 'long', '{}', '{}', '{}', '{}', "
    "'{}', 1, 0.5, 1, '', 1, now(), now(), 0, false, '{}', 0, 'none', 0, 0 "
    "FROM generate_series(1, %s) n RETURNING id::text"
)


def fill(holders: Holders, number: int) -> list[str]:
    with (
        acting_as(operator_actor(holders.tenant.id)), transaction.atomic(),
        connection.cursor() as cursor,
    ):  # fmt: skip
        cursor.execute(FILL, [holders.tenant.id, number])
        return [row[0] for row in cursor.fetchall()]


@pytest.mark.slow
def test_a_hold_over_thousands_of_ids_is_exact_at_once_and_its_dates_follow(
    holders: Holders,
) -> None:
    ids = fill(holders, 6000)
    hold = holders.place(ids=ids[:5500])
    assert holders.counts(hold)["memories"] == 5500
    with acting_as(operator_actor(holders.tenant.id)), transaction.atomic():
        regime, at = regime_of(tenant_settings()), now()
        rows = staging.rows_of([UUID(ids[5499]), UUID(ids[5500])])
        kept = {str(row.id): evaluate_row(row, regime, at).kept_by for row in rows}
        assert kept == {ids[5499]: "held", ids[5500]: None}
        assert not Memory.objects.filter(flags__contains=["held"]).exists()
        (job,) = Job.objects.filter(kind=holding.JOB)
    with acting_as(operator_actor(holders.tenant.id)):
        run_job(job.id)
        with transaction.atomic():
            assert Memory.objects.filter(flags__contains=["held"]).count() == 5500
    first = holders.first.call("GET", f"{BASE}/{hold}/memories?limit=200").json()
    assert len(first["items"]) == 200
    assert first["next"] is not None


def test_too_many_ids_for_one_hold_are_refused(holders: Holders) -> None:
    scope = {"ids": [str(uuid4()) for _ in range(20_001)]}
    answer = holders.first.call("POST", f"{BASE}/preview", {"scope": scope})
    assert answer.json()["errors"][0]["code"] == "too_many"
