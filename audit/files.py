"""Files that jobs make: beside the database, one a job, read by whoever may see the job.

A step appends at the offset its cursor names and cuts off what a killed step left behind, so a
file is whole whatever happened. Several web servers need this folder shared (docs/jobs.md).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

from django.conf import settings

from tenants.context import current_tenant_id

KEPT = timedelta(days=30)


def path_of(job_id: UUID) -> Path:
    """Where the file of a job of the acting tenant lies."""
    return Path(settings.DATA_DIR) / "files" / str(current_tenant_id()) / str(job_id)


def append_at(job_id: UUID, offset: int, parts: Iterable[bytes]) -> int:
    """Write behind the first `offset` bytes, dropping what is there; the new length.

    On the disk when it returns, so that a cursor never names bytes that are not there.
    """
    path = path_of(job_id)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with path.open("r+b" if path.exists() else "w+b") as file:
        file.truncate(offset)
        file.seek(offset)
        file.writelines(parts)
        file.flush()
        os.fsync(file.fileno())
        return file.tell()


def drop_old(now: datetime) -> int:
    """Remove what was last written more than 30 days ago, of all tenants; how many files.

    A file that somebody is reading stays open for them: its name goes, its bytes when they end.
    """
    oldest, dropped = (now - KEPT).timestamp(), 0
    for path in (Path(settings.DATA_DIR) / "files").glob("*/*"):
        try:
            if path.is_file() and path.stat().st_mtime < oldest:
                path.unlink()
                dropped += 1
        except FileNotFoundError:  # another server was quicker
            continue
    return dropped


def drop(job_id: UUID) -> None:
    """Remove the file of a job; again is no error."""
    path_of(job_id).unlink(missing_ok=True)
