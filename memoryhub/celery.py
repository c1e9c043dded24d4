"""The Celery application, and what beat asks for and how often."""

from __future__ import annotations

import gc
import os
from typing import Literal

from celery import Celery
from celery.schedules import crontab
from celery.signals import beat_init, setup_logging, worker_process_init, worker_shutdown
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")

app = Celery("memoryhub")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def keep_our_logging(**_: object) -> None:
    """Celery would replace the handlers; Django's LOGGING has set them already."""


@worker_process_init.connect
def report_worker(**_: object) -> None:
    """Each child that runs tasks gives way to requests, and reports itself: it holds the rules.

    What it was forked with is not looked through for garbage again and again, as in web.
    """
    # not at the top: Django reads this module before its apps are there
    from tenants.yielding import give_way

    give_way()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    _keep_reporting("worker")


@worker_shutdown.connect
def seal_the_rest(**_: object) -> None:
    """What was written in the last second is sealed before everything stops."""
    from django.db import connections  # as above

    from audit.tasks import seal_audit

    seal_audit()
    connections["default"].close_pool()  # type: ignore[attr-defined]


@beat_init.connect
def report_beat(**_: object) -> None:
    """So does beat."""
    _keep_reporting("beat")


def _keep_reporting(kind: Literal["worker", "beat"]) -> None:
    from tenants.processes import keep_reporting  # as above

    keep_reporting(kind)


# Messages are hints: each of these looks at the tables for what is due, so one lost is made up
# for by the next. They expire so that a stopped worker does not find a heap of them.
app.conf.beat_schedule = {
    "sweep-all": {
        "task": "memories.tasks.sweep_all",
        "schedule": settings.SWEEP_SCAN_SECONDS,
        "options": {"expires": 30},
    },
    "embed-pending-all": {
        "task": "memories.tasks.embed_pending_all",
        "schedule": settings.EMBED_SCAN_SECONDS,
        "options": {"expires": 30},
    },
    "recognise-models": {
        "task": "memories.tasks.recognise_models",
        "schedule": 300.0,
        "options": {"expires": 60},
    },
    "scan-all": {
        "task": "memories.tasks.scan_all",
        "schedule": settings.PII_SCAN_SECONDS,
        "options": {"expires": 30},
    },
    "read-all": {
        "task": "conversations.tasks.read_all",
        "schedule": settings.CONVERSATIONS_SCAN_SECONDS,
        "options": {"expires": 15},
    },
    "promote-all": {
        "task": "conversations.tasks.promote_all",
        "schedule": settings.CONVERSATIONS_SCAN_SECONDS,
        "options": {"expires": 15},
    },
    "measure-recall-all": {
        "task": "conversations.tasks.measure_recall_all",
        "schedule": 60.0,
        "options": {"expires": 300},
    },
    "rotate-keys-all": {
        "task": "memories.tasks.rotate_keys_all",
        "schedule": 6 * 3600.0,
        "options": {"expires": 3600},
    },
    "count-calendars-all": {
        "task": "memories.tasks.count_calendars_all",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "count-figures-all": {
        "task": "dashboard.tasks.count_figures_all",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "apply-events-all": {
        "task": "memories.tasks.apply_events_all",
        "schedule": 1.0,
        "options": {"expires": 15},
    },
    "seal-audit": {
        "task": "audit.tasks.seal_audit",
        "schedule": settings.SEAL_SCAN_SECONDS,
        "options": {"expires": 5},
    },
    "run-jobs-all": {
        "task": "audit.tasks.run_jobs_all",
        "schedule": 1.0,
        "options": {"expires": 15},
    },
    "continue-erasures": {
        "task": "erasure.tasks.continue_all",
        "schedule": 5.0,
        "options": {"expires": 30},
    },
    "replay-erasures": {
        "task": "erasure.tasks.replay_missing",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "heartbeat": {
        "task": "memoryhub.tasks.heartbeat",
        "schedule": 5.0,
        "options": {"expires": 15},
    },
    "drop-old-files": {
        "task": "audit.tasks.drop_old_files",
        "schedule": 3600.0,
        "options": {"expires": 600},
    },
    "reconcile-all": {
        "task": "memories.tasks.reconcile_all",
        "schedule": crontab(hour=2, minute=40),
        "options": {"expires": 3600},
    },
    "extend-months": {
        "task": "audit.tasks.extend_months",
        "schedule": 6 * 3600.0,
        "options": {"expires": 3600},
    },
}
