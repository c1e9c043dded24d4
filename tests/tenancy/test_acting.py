"""acting_as, the guard, the raising manager, and the one now of a transaction."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection, transaction

from audit.models import Event
from audit.recording import Target, record
from memories.models import Memory
from tenants.actors import job_actor, operator_actor
from tenants.context import (
    NobodyActing,
    OutsideTransaction,
    Turn,
    acting_as,
    actor_or_none,
    current_actor,
    current_tenant_id,
    now,
    release_connection,
    taking_turn,
)
from tenants.models import Tenant


@contextmanager
def seen_statements() -> Iterator[list[str]]:
    """The statements this thread sends through Django, `hub_act` apart."""
    seen: list[str] = []

    def note(execute, sql, params, many, context):
        seen.append(str(sql))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        yield seen


def test_acting_nests_and_gives_back_what_was(tenant: Tenant, rival: Tenant) -> None:
    outer, inner = operator_actor(tenant.id), job_actor("sweep", rival.id)
    assert actor_or_none() is None
    with acting_as(outer):
        assert current_tenant_id() == tenant.id
        with acting_as(inner):
            assert current_actor() is inner
        assert current_actor() is outer
    assert actor_or_none() is None


def test_acting_ends_when_the_body_raises(tenant: Tenant) -> None:
    with pytest.raises(LookupError), acting_as(operator_actor(tenant.id)):
        raise LookupError
    assert actor_or_none() is None


def test_acting_inside_a_transaction_raises(acting: Tenant, rival: Tenant) -> None:
    with (
        transaction.atomic(),
        pytest.raises(OutsideTransaction),
        acting_as(operator_actor(rival.id)),
    ):
        pass
    assert current_tenant_id() == acting.id


def test_the_manager_raises_when_nobody_acts(hub: str) -> None:
    with pytest.raises(NobodyActing):
        Memory.objects.all()
    with pytest.raises(NobodyActing):
        Memory._base_manager.filter(key="k")


def test_a_tenants_table_outside_atomic_is_refused(acting: Tenant) -> None:
    with pytest.raises(OutsideTransaction):
        Memory.objects.count()
    with connection.cursor() as cursor, pytest.raises(OutsideTransaction):
        cursor.execute("SELECT count(*) FROM memories_memory")


def test_raw_sql_without_a_tenant_shows_nothing(acting: Tenant, agent) -> None:
    agent.put(["a"], "k", {"n": 1}, index=False)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM memories_memory")
        assert cursor.fetchone() == (1,)


def test_now_is_one_instant_for_a_transaction_and_its_savepoints(acting: Tenant) -> None:
    with transaction.atomic():
        first = now()
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(0.01)")
        with transaction.atomic():
            assert now() == first
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            assert cursor.fetchone()[0] > first
        assert now() == first
    with transaction.atomic():
        assert now() > first


def test_there_is_no_now_outside_a_transaction(acting: Tenant) -> None:
    with transaction.atomic():
        now()
    with pytest.raises(OutsideTransaction):
        now()


def test_a_transaction_of_nobody_has_no_now(hub: str) -> None:
    with transaction.atomic(), pytest.raises(OutsideTransaction):
        now()


def test_the_connection_is_not_given_back_inside_a_transaction(acting: Tenant) -> None:
    with transaction.atomic(), pytest.raises(OutsideTransaction):
        release_connection()
    release_connection()


def test_a_savepoint_names_the_tenant_once_only(acting: Tenant) -> None:
    with seen_statements() as seen, transaction.atomic(), transaction.atomic():
        Memory.objects.count()
    assert [sql.split()[0] for sql in seen] == ["SAVEPOINT", "SELECT", "RELEASE"]


def test_another_thread_acts_for_nobody(acting: Tenant) -> None:
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(actor_or_none()))
    thread.start()
    thread.join()
    assert found == [None]


def test_a_turn_is_taken_as_a_transaction_begins_and_ends_with_it(acting: Tenant) -> None:
    held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
    with taking_turn(Turn.TOGETHER), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(held)
        assert cursor.fetchone() == (1,)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(held)
        assert cursor.fetchone() == (0,)


def test_a_turn_inside_atomic_is_refused(acting: Tenant) -> None:
    with transaction.atomic(), pytest.raises(OutsideTransaction), taking_turn(Turn.ALONE):
        pass


def test_a_failed_transaction_leaves_nothing_behind(acting: Tenant) -> None:
    with transaction.atomic():
        record("memory.get", Target("memory", "left-behind"))
        transaction.set_rollback(True)
    with transaction.atomic():
        assert not Event.objects.filter(target_id="left-behind").exists()


def test_rows_read_in_chunks_do_not_outlive_their_transaction(acting: Tenant) -> None:
    held = "SELECT count(*) FROM pg_cursors WHERE is_holdable"
    with transaction.atomic(), connection.chunked_cursor() as chunks:
        chunks.execute("SELECT generate_series(1, 3)")
        with connection.cursor() as cursor:
            cursor.execute(held)
            assert cursor.fetchone() == (0,)
        assert len(chunks.fetchall()) == 3
