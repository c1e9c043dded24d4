"""`/metrics` for Prometheus, to allowed networks only. No label names a tenant or its content."""

from __future__ import annotations

import ipaddress

from django.conf import settings
from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.http import Http404, HttpRequest, HttpResponse
from prometheus_client import CONTENT_TYPE_LATEST, Gauge, generate_latest

from audit.sealing.lagging import read_lag
from memoryhub.health import CHECKS, holds
from tenants.access.requests import client_address

READY = Gauge("hub_ready", "1 where what a request may need is there", ["part"])
OVERDUE = Gauge("hub_schedule_overdue_seconds", "How late the latest due job is", ["job"])
SEAL_LAG = Gauge("hub_seal_lag_seconds", "Since the oldest event that is not sealed was begun")
SEAL_BLOCKED = Gauge("hub_seal_blocked_seconds", "How long the oldest open writer has been at it")

_OVERDUE = (
    "SELECT s.job, greatest(0, extract(epoch FROM now() - min(s.next_at))) FROM tenants_schedule s "
    "JOIN tenants_tenant t ON t.id = s.tenant_id WHERE t.closed_at IS NULL GROUP BY s.job"
)

SWEEP_LAG = Gauge("hub_sweep_lag_seconds", "How late the latest of the last sweeps was")
SWEEP_DUE = Gauge("hub_sweep_due", "What the last sweeps of all scopes found to do")
SWEPT = Gauge("hub_swept_total", "What sweeps did since the first, by action", ["action"])
SWEEP_FAILED = Gauge("hub_sweep_failed_total", "What sweeps could not evaluate, in sum")

_SWEEPS = (
    "SELECT coalesce(max(t.lag_seconds), 0), coalesce(sum(t.due), 0) FROM memories_sweeptally t"
)
_SWEPT = (
    "SELECT d.key, sum(d.value::bigint) FROM memories_sweeptally t, jsonb_each_text(t.done) d "
    "GROUP BY d.key"
)


def metrics(request: HttpRequest) -> HttpResponse:
    """The process's figures, what is ready, and how late the jobs are. 404 from elsewhere."""
    if not _is_allowed(client_address(request)):
        raise Http404
    for part, check in CHECKS.items():
        READY.labels(part).set(holds(check))
    if holds(CHECKS["database"]):
        with connection.cursor() as cursor:
            cursor.execute(_OVERDUE)
            for job, seconds in cursor.fetchall():
                OVERDUE.labels(job).set(float(seconds))
            _read_sweeps(cursor)
        lag = read_lag()
        SEAL_LAG.set(lag.seconds)
        SEAL_BLOCKED.set(lag.blocked_seconds)
    return HttpResponse(generate_latest(), content_type=CONTENT_TYPE_LATEST)


def _read_sweeps(cursor: CursorWrapper) -> None:
    """Sweeps run in workers; what they did in sum stands in a table across tenants."""
    cursor.execute(_SWEEPS)
    lag, due = cursor.fetchone()
    SWEEP_LAG.set(float(lag))
    SWEEP_DUE.set(int(due))
    cursor.execute(_SWEPT)
    for action, count in cursor.fetchall():
        (SWEEP_FAILED if action == "failed" else SWEPT.labels(action)).set(int(count))


def _is_allowed(address: str) -> bool:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(parsed in ipaddress.ip_network(network) for network in settings.METRICS_NETWORKS)
