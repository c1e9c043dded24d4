"""Files of jobs: kept for 30 days from their last byte, then deleted."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from audit.files import append_at, path_of
from audit.tasks import drop_old_files
from memoryhub.celery import app
from tenants.actors import operator_actor
from tenants.clock import wall_clock
from tenants.context import acting_as
from tenants.models import Tenant

DAY = timedelta(days=1)


def test_old_files_of_every_tenant_go_and_younger_ones_stay(
    make_tenant: Callable[..., Tenant], settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    drop_old_files()  # nothing was made yet, not even the folder
    paths = []
    for tenant in (make_tenant(), make_tenant()):
        with acting_as(operator_actor(tenant.id)):
            for age in (29 * DAY, 31 * DAY):
                job = uuid4()
                append_at(job, 0, [b"content"])
                at = (wall_clock() - age).timestamp()
                os.utime(path_of(job), (at, at))
                paths.append(path_of(job))
    drop_old_files()
    assert [path.exists() for path in paths] == [True, False, True, False]
    assert paths[0].read_bytes() == b"content"


def test_beat_asks_for_it() -> None:
    app.loader.import_default_modules()
    asked = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert drop_old_files.name in asked
    assert asked <= set(app.tasks)
