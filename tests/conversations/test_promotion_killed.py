"""Workers killed in the middle of promotion, again and again: nothing lost, nothing twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import transaction

from audit.models import Event
from conversations.candidates import Said, keep_candidates
from conversations.extracting.statements import Statement
from conversations.models import OpenCandidate
from memories.models import Memory, MemoryVersion
from tenants.actors import job_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.plugin import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

SUBJECTS = 30
WORKER = """
import django, sys
django.setup()
from uuid import UUID
from conversations.promoting import promote_pending
from tenants.actors import job_actor
from tenants.context import acting_as
print("ready", flush=True)
sys.stdin.readline()
with acting_as(job_actor("promote", UUID(sys.argv[1]))):
    promote_pending()
"""


def let_go(*processes: subprocess.Popen[str]) -> None:
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()


@contextmanager
def worker(tenant: Tenant, database_url: str) -> Iterator[subprocess.Popen[str]]:
    """A process that promotes once it is let go; killed with SIGKILL at the end."""
    environ = {
        **os.environ, "DATABASE_URL": database_url, "DJANGO_SETTINGS_MODULE": "memoryhub.settings",
    }  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-c", WORKER, str(tenant.id)], cwd=ROOT, env=environ,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def promoted(tenant: Tenant) -> int:
    with acting_as(job_actor("look", tenant.id)), transaction.atomic():
        count: int = Memory.objects.filter(tier="long").count()
        return count


def test_killed_anywhere_each_fact_is_promoted_once(tenant: Tenant, database_url: str) -> None:
    with acting_as(job_actor("note", tenant.id)):
        for number in range(SUBJECTS):
            for session in ("s1", "s2"):
                subject = f"u{number}"
                said = Said(("users", subject), subject, session, session, None)
                city = f"第{number}城"  # each is embedded anew
                statement = Statement("residence", city, "profile", f"我住在{city}")
                assert keep_candidates(said, [statement], extractor="test") == 1
    kills, chance = 0, random.Random(7)
    while (before := promoted(tenant)) < SUBJECTS:
        with worker(tenant, database_url) as one, worker(tenant, database_url) as two:
            let_go(one, two)
            goal = before + chance.randint(4, 9)
            while promoted(tenant) < min(goal, SUBJECTS) and (
                one.poll() is None or two.poll() is None
            ):
                time.sleep(0.002)
            kills += (one.poll() is None) + (two.poll() is None)
    with worker(tenant, database_url) as last:
        let_go(last)
        assert last.wait(60) == 0
    assert kills >= 4
    with acting_as(job_actor("look", tenant.id)), transaction.atomic():
        rows = list(Memory.objects.filter(tier="long"))
        assert len(rows) == SUBJECTS
        assert {row.version for row in rows} == {1}
        assert all(len(set(row.derived_from)) == 2 for row in rows)
        assert OpenCandidate.objects.count() == 0
        assert MemoryVersion.objects.count() == 0
        assert Event.objects.filter(action="memory.promote").count() == SUBJECTS
        assert Memory.objects.filter(kind="candidate", version=1).count() == 2 * SUBJECTS
