"""Puts with the sealer beside them, and a stream of events that is sealed as it comes.

The sealer is the real one, in a process of its own, once a second as beat asks for it. Puts are
measured in turns, without and with it, so that both see the same machine. Lag is what the log
itself says: from the beginning of an event's transaction to the checkpoint that covers it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import psycopg
from django.db import transaction

from audit.recording import Draft, Facts, Target, append, draft
from bench.hub import ROOT, Hub, running_hub, running_servers
from bench.load import press
from bench.requests import hub_asks
from memoryhub import embedded
from tenants.access.provisioning import create_tenant
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.ids import uuid7
from tenants.models import Tenant

CLIENTS = 8
BATCH = 10
RATES = (1_000, 2_000)
SEALER = (
    "import time\nfrom audit.tasks import seal_audit\nseal_audit()\nprint('ready', flush=True)\n"
    "while True:\n    began = time.monotonic()\n    seal_audit()\n"
    "    time.sleep(max(0.0, 1.0 - (time.monotonic() - began)))\n"
)
_LAG = (
    "SELECT count(*), coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY lag), 0), "
    "coalesce(percentile_cont(0.95) WITHIN GROUP (ORDER BY lag), 0), coalesce(max(lag), 0) FROM ("
    "SELECT extract(epoch FROM (SELECT min(c.at) FROM audit_checkpoint c WHERE c.tenant_id = "
    "l.tenant_id AND c.epoch = l.epoch AND c.size > l.index) - l.event_at) AS lag "
    "FROM audit_leaf l WHERE l.tenant_id = %(tenant)s) AS lags"
)


def measure(data: Path, *, quick: bool) -> list[dict[str, Any]]:
    """A row for puts without and with the sealer, and one for each rate of events."""
    seconds, turns = (4, 3) if quick else (15, 4)
    with running_servers(data):
        with running_hub(data) as hub:
            rows = _measure_puts(hub, seconds, turns)
        return [*rows, *(_measure_stream(data, rate, 8 if quick else 30) for rate in RATES)]


@contextmanager
def sealing(data: Path) -> Iterator[None]:
    """The sealer, once a second, in a process of its own."""
    environ = {**os.environ, "MEMORYHUB_DATA": str(data)}
    command = [sys.executable, "manage.py", "shell", "-v0", "-c", SEALER]
    process = subprocess.Popen(command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    while "ready" not in (line := process.stdout.readline()):  # its start is not its work
        if not line:
            raise RuntimeError("the sealer did not start")
    try:
        yield
    finally:
        process.terminate()
        process.wait(20)


def _measure_puts(hub: Hub, seconds: float, turns: int) -> list[dict[str, Any]]:
    make = hub_asks(hub, hub.make_tenant())["put"]
    make(0)(0)  # the first request of a process loads what it needs
    press(make, clients=CLIENTS, seconds=5)  # and every thread wants its connection and plans
    without, with_it = [], []
    for _ in range(turns):
        without.append(press(make, clients=CLIENTS, seconds=seconds))
        with sealing(hub.data):
            with_it.append(press(make, clients=CLIENTS, seconds=seconds))
    bare = median(one.rate for one in without)
    return [
        {"what": f"put, {CLIENTS} clients, no sealer", "a second": bare},
        {
            "what": f"put, {CLIENTS} clients, sealer beside", "ratio": median(
                one.rate / before.rate for one, before in zip(with_it, without, strict=True)
            ), "a second": median(one.rate for one in with_it),
        },
    ]  # fmt: skip


def _measure_stream(data: Path, rate: int, seconds: float) -> dict[str, Any]:
    """Events at a steady rate into one tenant, ten a transaction, while they are sealed."""
    with sealing(data):
        with acting_as(operator_actor()):
            tenant = create_tenant(f"stream-{uuid7().hex[-12:]}", name="stream")
        begin = time.perf_counter()
        written = _write(tenant, rate, seconds)
        spent = time.perf_counter() - begin
        time.sleep(3.0)
    url = embedded.locate(data).owner_url
    with psycopg.connect(url) as connection:
        connection.execute(f"SET LOCAL hub.tenant = '{tenant.id}'")  # our own id
        sealed, half, most, worst = connection.execute(_LAG, {"tenant": tenant.id}).fetchone()
    return {
        "what": f"events, {rate} a second asked for", "a second": written / spent,
        "ratio": sealed / (written + 1),  # its making is an event too
        "lag p50 s": float(half), "lag p95 s": float(most), "lag max s": float(worst),
    }  # fmt: skip


def _write(tenant: Tenant, rate: int, seconds: float) -> int:
    written, begin = 0, time.perf_counter()
    actor = operator_actor(tenant.id)
    while (at := time.perf_counter() - begin) < seconds:
        if written > at * rate:
            time.sleep(0.001)
            continue
        with acting_as(actor), transaction.atomic():
            append([_event(number) for number in range(BATCH)])
        written += BATCH
    return written


def _event(number: int) -> Draft:
    target = Target("memory", str(uuid7()), f"users/u{number}/")
    return draft("memory.put", target, Facts(counts={"n": number}, links={"version": 1}))
