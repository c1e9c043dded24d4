"""Every page of the dashboard, with 100,000 memories and 1,000,000 events: server milliseconds.

In this process, by Django's test client with the middleware and templates of the hub: what is
measured is the server's time, without the network. An officer and an admin sign in through the
page; each address is asked forty times after one that warms up. Worst first.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from django.db import transaction
from django.test import Client

from audit.jobs import run_job
from audit.models import Event
from bench.filling import Draw, fill
from bench.hub import running_servers
from dashboard.urls import urlpatterns
from memories.forecasting import build_calendar
from memories.models import Finding, Memory, SweepScope
from memoryhub import embedded
from tenants.access.provisioning import create_user, issue_key
from tenants.actors import operator_actor
from tenants.context import acting_as, now
from tenants.ids import uuid7
from tenants.models import Membership, Tenant

BUDGET_MS = 150
RUNS = 40
PIECE = 50_000
PASSWORD = "correct horse battery"
MORE = {
    "memories": ("?q=customer+wants+a+refund", "?state=all&sort=destroyed", "?kind=fact"),
    "audit": ("?action=memory.get", "?area=memory"),
}  # fmt: skip
UNASKED = frozenset({
    "invitation", "styleguide", "job_file", "job_manifest", "audit_bundle", "certificate",
    "request_package", "account_login",
})  # fmt: skip
"""Files, and what needs a thing that is not there: 404 says nothing of a page."""
_EVENTS = """
INSERT INTO audit_event (tenant_id, at, id, code, action, outcome, actor_kind, actor_id, actor_name,
  roles, request_id, client_net, client_hash, target_kind, target_id, namespace, subjects, counts,
  links, payload)
SELECT %(tenant)s, now() - make_interval(secs => n * %(apart)s), uuidv7(),
  (ARRAY['MEM-GET-S', 'MEM-PUT-S', 'MEM-SRC-S', 'MEM-DEL-S'])[1 + n %% 4],
  (ARRAY['memory.get', 'memory.put', 'memory.search', 'memory.delete'])[1 + n %% 4],
  'success', 'key', 'bench', 'bench', '{}', 'r' || n, '127.0.0.0/24', '', 'memory',
  gen_random_uuid(), 'fill/u' || n %% 10 || '/', '{}', '{}', '{}',
  '{"v":1,"n":' || n || ',"at":"' || now() || '"}'
FROM generate_series(%(low)s::int, %(high)s::int) AS n
"""
# lifetimes, so that the calendar and the lists by date have rows
_DATES = """
UPDATE memories_memory SET visible_until = now() + make_interval(days => 1 + (hashtext(key) & 511)),
  purge_at = now() + make_interval(days => 31 + (hashtext(key) & 511)), rule = 'rule-' ||
  (hashtext(key) & 7)
WHERE tenant_id = %(tenant)s AND hashtext(key) & 1 = 0
"""
SPREAD_SECONDS = 14 * 86_400.0
AGE = timedelta(days=250)


def measure(data: Path, *, quick: bool) -> list[dict[str, Any]]:
    """A row for each address and person, the slowest first."""
    memories, events = (10_000, 50_000) if quick else (100_000, 1_000_000)
    with running_servers(data):
        tenant = fill(data, [memories], draw=Draw(13), over=AGE)[0].tenant_id
        _add_events(data, tenant, events)
        with acting_as(operator_actor(tenant)):
            calendar = build_calendar().id
            run_job(calendar)  # as beat does each night
        people = {role: _sign_in(tenant, role) for role in ("officer", "admin")}
        places = {"job_id": str(calendar)}
        places |= _places(tenant, people["admin"]) | _things(tenant, people["officer"])
        # As web does: a collection that walks what was made to fill the store is no page's time.
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        rows = [
            row
            for role, client in people.items()
            for address in addresses(places)
            if (row := _measure(client, role, address)) is not None
        ]
    return sorted(rows, key=lambda row: -row["p95"])


def _add_events(data: Path, tenant: UUID, events: int) -> None:
    with psycopg.connect(embedded.locate(data).owner_url, autocommit=True) as owner:
        for low in range(0, events, PIECE):
            with owner.transaction():
                owner.execute(f"SET LOCAL hub.tenant = '{tenant}'")
                owner.execute(_EVENTS, {
                    "tenant": tenant, "low": low, "high": min(low + PIECE, events) - 1,
                    "apart": SPREAD_SECONDS / events,
                })  # fmt: skip
        with owner.transaction():
            owner.execute(f"SET LOCAL hub.tenant = '{tenant}'")
            owner.execute(_DATES, {"tenant": tenant})
        owner.execute("VACUUM ANALYZE memories_memory")
        owner.execute("VACUUM ANALYZE audit_event")


def _sign_in(tenant_id: UUID, role: str) -> Client:
    with acting_as(operator_actor(tenant_id)):
        tenant = Tenant.objects.get(id=tenant_id)
        email = f"{uuid7().hex[-12:]}@example.com"
        create_user(email, tenant=tenant, role=role, password=PASSWORD)
    client = Client(REMOTE_ADDR=f"10.0.0.{len(role)}", HTTP_HOST="127.0.0.1")
    answer = client.post("/signin", {"login": email, "password": PASSWORD})
    if answer.status_code != 302:
        raise RuntimeError(f"cannot sign in: {answer.status_code}")
    return client


def _places(tenant_id: UUID, admin: Client) -> dict[str, str]:
    """What stands for the variable parts of addresses."""
    draft = admin.post(
        "/api/v1/policies/rulesets", {"note": ""}, content_type="application/json"
    ).json()["n"]
    rule = {"key": "e", "kind": "expire", "after": {"days": 90}}
    body = {"rules": [rule], "cases": []}
    admin.put(f"/api/v1/policies/rulesets/{draft}", body, content_type="application/json")
    admin.get("/settings/sweeps")  # makes the tenant's own scope
    with acting_as(operator_actor(tenant_id)), transaction.atomic():
        tenant = Tenant.objects.get(id=tenant_id)
        memory = Memory.objects.filter(namespace="fill/u1/").first()
        newest = Event.objects.order_by("-at", "-id")[0]
        return {
            "memory_id": str(memory.id), "event_id": str(newest.id),
            "member_id": str(Membership.objects.of_tenant(tenant_id)[0].id),
            "key_id": issue_key(tenant, name="bench").row.id, "n": str(draft), "place": "0",
            "scope_id": str(SweepScope.objects.all()[0].id), "slug": tenant.slug, "name": "events",
        }  # fmt: skip


def _things(tenant_id: UUID, officer: Client) -> dict[str, str]:
    """A hold over a tenth of the memories, a subject request, a finding: each has pages."""

    def make(path: str, body: dict[str, Any]) -> str:
        answer = officer.post(f"/api/v1/{path}", body, content_type="application/json")
        if answer.status_code != 201:
            raise RuntimeError(f"{path}: {answer.status_code} {answer.content[:300]!r}")
        return str(answer.json()["id"])

    why = {"reason": "measured"}
    scope = {"namespaces": [["fill", "u2"]]}
    hold = make("policies/holds", {"matter": "M 1", "custodian": "Legal", "scope": scope, **why})
    request = make("subject-requests", {"subject": "u3", "kind": "erasure", **why})
    with acting_as(operator_actor(tenant_id)), transaction.atomic():
        memory = Memory.objects.filter(namespace="fill/u4/").first()
        finding = Finding.objects.create(
            kind="sweep_failed", memory_id=memory.id, detail="ValueError", found_at=now(),
            namespace=memory.namespace,
        )  # fmt: skip
    return {
        "hold_id": hold, "request_id": request, "finding_id": str(finding.id),
        "do": "label", "act": "release", "step": "identity",
    }  # fmt: skip


def addresses(places: dict[str, str]) -> Iterator[str]:
    """The addresses of every page whose variable parts are known."""
    for pattern in urlpatterns:
        route = "/" + str(pattern.pattern)
        for name, value in places.items():
            for kind in ("uuid", "slug", "int", "str"):
                route = route.replace(f"<{kind}:{name}>", value)
        if "<" in route or pattern.name in UNASKED:
            continue
        yield route
        yield from (route + more for more in MORE.get(pattern.name, ()))


def _measure(client: Client, role: str, address: str) -> dict[str, Any] | None:
    """None for what is no page for this person: another role's, or for a POST only."""
    if client.get(address).status_code != 200:
        return None
    taken, computed = [], []
    for _ in range(RUNS):
        begin, own = time.perf_counter(), time.process_time()
        client.get(address)
        taken.append((time.perf_counter() - begin) * 1000)
        computed.append((time.process_time() - own) * 1000)
    taken.sort()
    return {
        "page": address, "role": role,
        "cpu": statistics.median(computed), "p50": statistics.median(taken), "p95": taken[-1],
        "within": "yes" if taken[-1] <= BUDGET_MS else f"over {BUDGET_MS} ms",
    }  # fmt: skip
