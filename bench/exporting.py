"""An export of a million events: memory of the worker, rows a second, and a kill in the middle.

Events are made as the owner by one statement for each piece, because what is measured is the
export. The worker is a process of its own that is killed with -9 once and started again.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psycopg
from django.db import transaction

from audit.files import path_of
from audit.models import Job
from bench.hub import ROOT, running_servers
from evidence.exporting import ask_for_export
from memoryhub import embedded
from tenants.access.provisioning import create_tenant, create_user
from tenants.actors import Actor, ActorKind, operator_actor
from tenants.context import acting_as
from tenants.ids import uuid7
from tenants.models import Tenant

PIECE = 50_000
WORKER = (
    "import os, sys\nfrom uuid import UUID\nimport django\ndjango.setup()\n"
    "from audit.jobs import run_job\nfrom evidence import tasks\n"
    "from tenants.actors import job_actor\nfrom tenants.context import acting_as\n"
    "with acting_as(job_actor('bench', UUID(sys.argv[1]))):\n    run_job(UUID(sys.argv[2]))\n"
)
_EVENTS = """
INSERT INTO audit_event (tenant_id, at, id, code, action, outcome, actor_kind, actor_id, actor_name,
  roles, request_id, client_net, client_hash, target_kind, target_id, namespace, subjects, counts,
  links, payload)
SELECT %(tenant)s, now() - make_interval(secs => n / 100.0), uuidv7(), 'MEM-GET-S', 'memory.get',
  'success', 'key', 'bench', 'bench', '{}', '', '127.0.0.0/24', '', 'memory', gen_random_uuid(),
  'bench/u' || n %% 100 || '/', '{}', '{}', '{}', '{"v":1,"n":' || n || ',"at":"' || now() || '"}'
FROM generate_series(%(low)s::int, %(high)s::int) AS n
"""


def measure(data: Path, *, quick: bool) -> list[dict[str, Any]]:
    """One row."""
    events = 50_000 if quick else 1_000_000
    with running_servers(data):
        tenant, job = _prepare(data, events)
        begin = time.monotonic()
        killed = _start(tenant, job)
        while _done(tenant, job) < events // 4:
            time.sleep(0.05)
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait()
        half = _done(tenant, job)
        worker = _start(tenant, job)
        _, _, usage = os.wait4(worker.pid, 0)
        seconds = time.monotonic() - begin
        with acting_as(operator_actor(tenant.id)), transaction.atomic():
            found = Job.objects.get(id=job)
            size = path_of(job).stat().st_size
            lines = sum(1 for _ in path_of(job).open("rb"))
    return [{
        "events": events, "state": found.state, "killed at": half, "lines": lines,
        "megabytes": size / 1e6, "rows/s": events / seconds,
        "worker's memory, MB": _megabytes(usage),
    }]  # fmt: skip


def _megabytes(usage: resource.struct_rusage) -> float:
    return usage.ru_maxrss / 1024


def _prepare(data: Path, events: int) -> tuple[Tenant, Any]:
    with acting_as(operator_actor()):
        tenant = create_tenant(f"bench-{uuid7().hex[-12:]}", name="bench")
    with acting_as(operator_actor(tenant.id)):
        email = f"{uuid7().hex[-12:]}@example.com"
        officer = create_user(email, tenant=tenant, role="officer", password="x" * 16)
    with psycopg.connect(embedded.locate(data).owner_url, autocommit=True) as owner:
        for low in range(0, events, PIECE):
            with owner.transaction():
                owner.execute(f"SET LOCAL hub.tenant = '{tenant.id}'")
                span = {"tenant": tenant.id, "low": low, "high": min(low + PIECE, events) - 1}
                owner.execute(_EVENTS, span)
        owner.execute("ANALYZE audit_event")
    person = Actor(
        kind=ActorKind.PERSON, id=str(officer.id), name="officer", tenant_id=tenant.id,
        roles=frozenset({"officer"}),
    )  # fmt: skip
    with acting_as(person):
        job = ask_for_export("events", {"action": "memory.get"}, format="jsonl")
    return tenant, job.id


def _start(tenant: Tenant, job: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", WORKER, str(tenant.id), str(job)]
    return subprocess.Popen(command, cwd=ROOT, env=os.environ)


def _done(tenant: Tenant, job: Any) -> int:
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        return int(Job.objects.get(id=job).done)
