"""Giving way: background work runs below requests, here and in its part of Postgres.

Most of what a sweep costs is spent by the Postgres process at the other end of its connection, and
a lower priority of ours does not touch that one. Where the server is embedded it runs beside us and
is ours to lower; of an external server the number of a process means nothing on this machine.
"""

from __future__ import annotations

import contextlib
import os
from typing import Any

from django.conf import settings
from django.db.backends.signals import connection_created


def give_way() -> None:
    """From now on, for the life of this process and of the connections it opens."""
    os.nice(settings.WORKER_NICENESS)
    if "postgres" in settings.EMBEDDED_SERVERS:
        connection_created.connect(_lower, dispatch_uid="give_way")


def _lower(connection: Any, **_: object) -> None:
    """The server's process for this connection. It may have ended, or belong to another user."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.setpriority(
            os.PRIO_PROCESS, connection.connection.info.backend_pid, settings.WORKER_NICENESS
        )
