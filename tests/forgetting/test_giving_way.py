"""A sweep that gives way: a lower priority for its process and for its part of Postgres."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.plugin import DATA, ROOT

SAYS = """
import os, django
django.setup()
from django.conf import settings
from django.db import connection
from tenants.yielding import give_way
give_way()
with connection.cursor() as cursor:
    cursor.execute("SELECT pg_backend_pid()")
    backend = cursor.fetchone()[0]
print(os.nice(0), os.getpriority(os.PRIO_PROCESS, backend), settings.WORKER_NICENESS)
"""


@pytest.mark.slow
def test_the_process_and_its_part_of_the_embedded_postgres_give_way(hub: str) -> None:
    asked = {"MEMORYHUB_DATA": str(DATA), "WORKER_NICENESS": "3"}
    environ = {
        name: value for name, value in os.environ.items()
        if name not in ("DATABASE_URL", "DATABASE_OWNER_URL")
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", SAYS], cwd=ROOT, env=environ | asked, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    ours, server, wanted = map(int, done.stdout.split())
    before = os.nice(0)
    assert (ours, server) == (before + wanted, wanted)
