"""Each task of a worker, with work to do and with none: exactly what it leaves.

The tasks are those that a worker knows: a new one has no line here and fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from audit.events import EVENTS
from audit.sealing.lagging import read_lag
from memoryhub.celery import app
from tenants.tasks import TenantTask
from tests.audit.everywhere import works
from tests.audit.everywhere.works import Prepare, Stage, due, no_such_thing, nothing, own_scope
from tests.audit.everywhere.world import NOTHING, World


@dataclass(frozen=True)
class Line:
    """What a task leaves with work, and with none; and how either is made ready."""

    work: Prepare
    left: tuple[str, ...] = NOTHING
    rest: Prepare = nothing
    left_idle: tuple[str, ...] = NOTHING


# Those that only ask for others (`…_all`) leave nothing: what they ask for does.
TASKS: dict[str, Line] = {
    "audit.tasks.extend_months": Line(nothing),
    # a new epoch is an event: test_restored_dumps.py
    "audit.tasks.seal_audit": Line(works.an_event_not_sealed, rest=works.a_sealed_log),
    "audit.tasks.run_jobs_all": Line(due("job", works.a_job)),
    "audit.tasks.run_job_of": Line(works.a_job, ("audit.verify", "job.end"), no_such_thing),
    "audit.tasks.drop_old_files": Line(works.an_old_file),
    "memories.tasks.sweep_all": Line(due("sweep", works.what_is_expired)),
    "memories.tasks.sweep_tenant": Line(
        works.what_is_expired, ("sweep.hide", "sweep.purge", "sweep.run"), own_scope
    ),
    "memories.tasks.embed_pending_all": Line(due("embed", works.not_embedded)),
    "memories.tasks.embed_tenant": Line(works.not_embedded, ("memory.embed", "tenant.settings")),
    "memories.tasks.scan_all": Line(due("pii-scan", works.not_scanned)),
    "memories.tasks.scan_tenant": Line(works.not_scanned, ("privacy.quarantine", "privacy.scan")),
    "memories.tasks.rotate_keys_all": Line(works.an_old_key),
    "memories.tasks.rotate_keys_of": Line(works.an_old_key, ("keys.rotate",)),
    "memories.tasks.apply_events_all": Line(due("event", works.a_later_event)),
    "memories.tasks.apply_event": Line(works.a_later_event, rest=no_such_thing),
    "memories.tasks.count_calendars_all": Line(due("calendar")),
    "memories.tasks.count_calendar_of": Line(nothing, ("job.begin",), works.a_count_under_way),
    "memories.tasks.recognise_models": Line(works.not_embedded),
    "memories.tasks.reconcile_all": Line(nothing),
    # that it looked is evidence too
    "memories.tasks.reconcile_of": Line(
        works.not_embedded, ("audit.reconcile",), left_idle=("audit.reconcile",)
    ),
    "conversations.tasks.read_all": Line(due("read", works.said_to_the_llm)),
    "conversations.tasks.read_tenant": Line(works.said_to_the_llm, ("memory.put",)),
    "conversations.tasks.promote_all": Line(due("promote", works.said_twice)),
    "conversations.tasks.promote_tenant": Line(works.said_twice, ("memory.promote", "memory.put")),
    "conversations.tasks.measure_recall_all": Line(due("recall", works.a_question)),
    "conversations.tasks.measure_recall_of": Line(works.a_question, ("job.begin",)),
    "erasure.tasks.continue_all": Line(due("erasure", works.a_hold_released)),
    "erasure.tasks.continue_one": Line(
        works.a_hold_released, ("job.begin", "request.purge"), works.a_request_withdrawn
    ),
    "erasure.tasks.replay_missing": Line(
        works.an_erasure_missing, ("erasure.replay", "request.purge")
    ),
    "dashboard.tasks.count_figures_all": Line(nothing),
    "dashboard.tasks.count_figures_of": Line(nothing),
    "memoryhub.tasks.heartbeat": Line(nothing),
}


@pytest.fixture
def stage(fresh: World, owner_url: str, settings: Any, anchors: Any) -> Iterator[Stage]:
    settings.MEMORYHUB_ANCHORS = str(anchors)
    with ExitStack() as ends:
        yield Stage(fresh, owner_url, settings, ends)


def test_every_task_has_its_line() -> None:
    """A new task must say here what it leaves, and every action that it names must be known."""
    app.loader.import_default_modules()
    registered = {name for name in app.tasks if not name.startswith("celery.")}
    assert registered == set(TASKS)
    assert {action for line in TASKS.values() for action in line.left} <= set(EVENTS)


def _run(stage: Stage, name: str, words: tuple[str, ...]) -> list[str]:
    """What one run of a task leaves; the sealer runs until nothing waits for it."""
    task = app.tasks[name]
    tenant = (str(stage.world.tenant.id),) if isinstance(task, TenantTask) else ()
    with stage.world.watching() as left:
        task(*tenant, *words)
        while name.endswith("seal_audit") and read_lag().seconds > 0:
            task()
    return left


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS)
def test_a_task_with_work_leaves_exactly_its_events(stage: Stage, name: str) -> None:
    line = TASKS[name]
    assert tuple(_run(stage, name, line.work(stage))) == line.left


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS)
def test_a_task_with_nothing_to_do_leaves_nothing(stage: Stage, name: str) -> None:
    line = TASKS[name]
    assert tuple(_run(stage, name, line.rest(stage))) == line.left_idle


SWEPT = [
    (works.what_rules_do, ("sweep.anonymise", "sweep.archive", "sweep.degrade", "sweep.run")),
    (works.what_a_hold_prevents, ("hold.prevent", "sweep.hide", "sweep.run")),
]
ENDED = [(works.an_unused_key, ("keys.destroy",)), (works.an_orphan, ("privacy.drop",))]


@pytest.mark.slow
@pytest.mark.parametrize(("prepare", "left"), SWEPT)
def test_a_sweep_leaves_an_event_for_each_sort_of_what_it_did(
    stage: Stage, prepare: Prepare, left: tuple[str, ...]
) -> None:
    assert tuple(_run(stage, "memories.tasks.sweep_tenant", prepare(stage))) == left
    assert _run(stage, "memories.tasks.sweep_tenant", ("",)) == []


@pytest.mark.slow
@pytest.mark.parametrize(("prepare", "left"), ENDED)
def test_what_ends_a_key_or_an_original_says_so(
    stage: Stage, prepare: Prepare, left: tuple[str, ...]
) -> None:
    assert tuple(_run(stage, "memories.tasks.rotate_keys_of", prepare(stage))) == left
    assert _run(stage, "memories.tasks.rotate_keys_of", ()) == []
