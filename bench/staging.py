"""New rules for a million memories: staged while clients read and write, then switched.

The job runs in a real worker beside the real web server. `idle` and `during` are the same clients
with the same requests; the ratio of their p95 is what the staging costs them. After the switch
rows are compared with what the engine says about them: all of up to a hundred thousand, of more so
many in pieces spread over all.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from psycopg import sql
from psycopg.types.json import Jsonb

from audit.jobs import OVER, find_job
from audit.models import Job
from audit.tasks import run_job_of
from bench.hub import ROOT, Hub, running_hub, running_servers
from bench.load import Ask, Figures, Wire, press
from memories.activating import activate_rules
from memories.dating import evaluate_row, regime_of
from memories.models import Memory
from memories.staging import simulate_rules
from memories.statements.staging import rows_after
from memoryhub.embedded.databases import _connect
from memoryhub.embedded.places import find_places
from memoryhub.supervising.children import worker
from policies.approving import approve_rules
from policies.drafting import draft_rules, write_rules
from tenants.access.authenticating import choose_membership, person_actor
from tenants.access.provisioning import create_tenant, create_user, issue_key
from tenants.actors import Actor, operator_actor
from tenants.context import acting_as, now
from tenants.ids import PLATFORM_TENANT, uuid7
from tenants.models import Tenant
from tenants.snapshots import tenant_settings

CLIENTS = 4
COMPARED, PIECE = 100_000, 2_000
ROOTS, USERS = ("support", "sales", "claims", "chat"), 500
KINDS = ("fact", "episode", "document", "profile")
RULES = [
    {"key": "all", "kind": "expire", "after": {"months": 24}},
    {"key": "support", "kind": "expire", "after": {"days": 300}, "namespace": ["support"]},
    {"key": "chat", "kind": "expire", "after": {"days": 90}, "anchor": "updated",
     "namespace": ["chat"]},
    {"key": "claims", "kind": "keep", "after": {"months": 72}, "namespace": ["claims"]},
    {"key": "cap", "kind": "cap", "after": {"months": 36}},
    {"key": "quiet", "kind": "archive", "after": {"days": 200}, "memory_kind": "profile"},
]  # fmt: skip


def measure(data: Path, *, quick: bool, rows: int | None = None) -> list[dict[str, Any]]:
    """Rows a second and the p95 beside it, the switch, and how many rows are not exact after it."""
    count = rows or (20_000 if quick else 1_000_000)
    with running_servers(data):
        tenant = _make_tenant()
        filled = _timed(lambda: _fill(data, tenant, count))
        with running_hub(data, provider="none") as hub, _running_worker(hub):
            return [{"what": "made", "rows": count, "seconds": filled}, *_rehearse(hub, tenant)]


def _rehearse(hub: Hub, tenant: Tenant) -> list[dict[str, Any]]:
    key = _key(tenant)
    author, approver = (_person(tenant, role) for role in ("admin", "officer"))
    idle = _press(hub, key, seconds=15)
    with acting_as(author):
        n = draft_rules(based_on=None).n
        write_rules(n, rules=RULES, cases=[])
        job = simulate_rules(n)
    began = time.perf_counter()
    run_job_of.delay(str(tenant.id), str(job.id))
    during, seconds = _press_while(hub, key, author, job.id, began)
    with acting_as(author):
        done = find_job(job.id)
    if done.state != Job.State.DONE:
        raise RuntimeError(f"the simulation is {done.state}: {done.error}")
    again = _press(hub, key, seconds=15)
    confirm = (done.result or {})["confirm_count"]
    with acting_as(approver):
        _allow_writes(tenant)
        approve_rules(n, reason="measured")
        switch = _timed(lambda: activate_rules(n, confirm_count=confirm))
    wrong, checked = _differing(tenant, done.done)
    quiet = (idle.p95 + again.p95) / 2
    return [
        {"what": "simulated and staged", "rows": done.done, "seconds": seconds,
         "rows/s": done.done / seconds},
        {"what": "reads and writes, idle before", "p50": idle.p50, "p95": idle.p95},
        {"what": "reads and writes, idle after", "p50": again.p50, "p95": again.p95},
        {"what": "reads and writes, during", "p50": during.p50, "p95": during.p95,
         "ratio": during.p95 / quiet},
        {"what": "activated", "seconds": switch},
        {"what": "rows not exact at once, notice apart", "rows": wrong, "of": checked},
    ]  # fmt: skip


def _press(hub: Hub, key: str, *, seconds: float) -> Figures:
    return press(lambda client: _mixed(hub, key, client), clients=CLIENTS, seconds=seconds)


def _press_while(
    hub: Hub, key: str, author: Actor, job: UUID, began: float
) -> tuple[Figures, float]:
    """Figures of rounds of load until the job is over; and how long that took."""
    times: list[float] = []
    stop = threading.Event()
    asks = [_mixed(hub, key, client) for client in range(CLIENTS)]

    def run(ask: Ask) -> None:
        number = 0
        while not stop.is_set():
            start = time.perf_counter()
            ask(number)
            times.append(time.perf_counter() - start)
            number += 1

    threads = [threading.Thread(target=run, args=(ask,)) for ask in asks]
    for thread in threads:
        thread.start()
    try:
        while not _is_over(author, job):
            time.sleep(0.5)
    finally:
        seconds = time.perf_counter() - began
        stop.set()
        for thread in threads:
            thread.join()
    return Figures.of(times, seconds), seconds


def _is_over(author: Actor, job: UUID) -> bool:
    with acting_as(author):
        found = find_job(job)
    if os.environ.get("BENCH_PROGRESS"):
        print(f"  {found.done}/{found.total}", flush=True)
    return found.state in OVER


def _mixed(hub: Hub, key: str, client: int) -> Ask:
    """Three reads by key and a listing, then a write: of memories of its own and of the others."""
    wire = Wire(hub.port, key)

    def ask(number: int) -> object:
        root, user = ROOTS[number % 4], (number * 7 + client) % USERS
        match number % 5:
            case 0:
                item = {"namespace": ["load", f"c{client}"], "key": f"k{number % 50}",
                        "value": {"text": f"note {number}"}, "index": False}  # fmt: skip
                return wire.call("PUT", "/store/items", item)
            case 1:
                body = {"namespace_prefix": [root, f"u{user}"], "limit": 10}
                return wire.call("POST", "/store/items/search", body)
            case _:
                place = f"namespace=load.c{client}&key=k{(number * 7 + client) % 10 * 5}"
                return wire.call("GET", f"/store/items?{place}")

    for number in range(0, 50, 5):
        ask(number)
    return ask


def _make_tenant() -> Tenant:
    with acting_as(operator_actor()):
        slug = f"staging-{uuid4().hex[:12]}"
        return create_tenant(slug, name=slug)


def _key(tenant: Tenant) -> str:
    with acting_as(operator_actor(tenant.id)):
        return str(issue_key(tenant, name="bench").text)


def _person(tenant: Tenant, role: str) -> Actor:
    with acting_as(operator_actor(tenant.id)):
        user = create_user(f"{role}-{uuid4().hex[:8]}@example.com", tenant=tenant, role=role)
        return person_actor(user, choose_membership(user, tenant_id=tenant.id))


def _allow_writes(tenant: Tenant) -> None:
    """What the load wrote meanwhile would otherwise refuse the activation of a small tenant."""
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        row = Tenant.objects.get(id=tenant.id)
        row.data_share = 1
        row.save(update_fields=["data_share"])


_COPY = "COPY memories_memory ({}) FROM STDIN"


def _fill(data: Path, tenant: Tenant, count: int) -> None:
    """So many memories of the last two years, copied as the superuser, whom RLS does not bind."""
    columns = [field for field in Memory._meta.concrete_fields if field.column]
    names = sql.SQL(", ").join(sql.Identifier(field.column) for field in columns)
    with _connect(find_places(data), "memoryhub") as connection:
        connection.execute("SET synchronous_commit = off")
        row = connection.execute("SELECT now()").fetchone()
        at = row[0] if row else None
        made = ("tenant_id", "id")
        usual = [
            None if field.column in made else _as_column(field.get_default()) for field in columns
        ]
        places = {field.column: place for place, field in enumerate(columns)}
        with connection.cursor() as cursor, cursor.copy(sql.SQL(_COPY).format(names)) as copy:
            for number in range(count):
                cells = list(usual)
                for name, value in _memory(number, at).items():
                    cells[places[name]] = value
                cells[places["tenant_id"]], cells[places["id"]] = tenant.id, uuid7()
                copy.write_row(cells)
        connection.execute("ANALYZE memories_memory")


def _memory(number: int, at: Any) -> dict[str, Any]:
    created = at - timedelta(minutes=number * 7919 % 1_051_200)
    return {
        "namespace": f"{ROOTS[number % 4]}/u{number // 4 % USERS}/", "key": f"k{number}",
        "value": json.dumps({"text": f"note {number}"}), "kind": KINDS[number // 3 % 4],
        "decay": 1.0, "content_hash": b"-", "embedding": "none", "created_at": created,
        "updated_at": created, "scanned_at": at,
    }  # fmt: skip


def _as_column(value: Any) -> Any:
    return Jsonb(value) if isinstance(value, dict) else value


def _differing(tenant: Tenant, count: int) -> tuple[int, int]:
    """(rows whose date of use is not the engine's, all compared) right after the switch."""
    wrong = checked = 0
    for after in _starts(tenant, count):
        with acting_as(operator_actor(tenant.id)), transaction.atomic():
            regime, at = regime_of(tenant_settings()), now()
            for row in rows_after(after, limit=PIECE):
                found = evaluate_row(row, regime, at)
                wrong += (row.visible_until, row.ruleset) != (found.visible_until, regime.ruleset)
                checked += 1
    return wrong, checked


def _starts(tenant: Tenant, count: int) -> list[UUID]:
    """After which ids the pieces to be compared begin."""
    pieces = max(1, min(count, COMPARED) // PIECE)
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        ids = list(Memory.objects.order_by("id").values_list("id", flat=True))
    return [PLATFORM_TENANT, *(ids[len(ids) * piece // pieces] for piece in range(1, pieces))]


@contextmanager
def _running_worker(hub: Hub) -> Iterator[None]:
    log = (hub.data / "bench-worker.log").open("w")
    process = subprocess.Popen(worker("1"), cwd=ROOT, env=hub.environ, stdout=log, stderr=log)
    try:
        yield
    finally:
        process.terminate()
        process.wait(30)


def _timed(work: Any) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
