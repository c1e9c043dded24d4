"""Is the process alive (`/healthz`), and can it serve (`/readyz`, with what is missing)."""

from __future__ import annotations

from collections.abc import Callable

import redis
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse

from audit.sealing.lagging import read_lag
from erasure.gating import is_level
from memories.models import EmbeddingProfile

HEARTBEAT_KEY = "hub:heartbeat:worker"
MONTHS_AHEAD_WARNED = 2


def healthz(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """200 when everything a request may need is there; 503 names what is missing.

    `warnings` names what somebody should look at while requests are served all the same.
    """
    missing = [name for name, check in CHECKS.items() if not holds(check)]
    return JsonResponse(
        {
            "status": "unavailable" if missing else "ok",
            "missing": missing,
            "warnings": [name for name, check in WARNINGS.items() if not holds(check)],
        },
        status=503 if missing else 200,
        headers={"Retry-After": "2"} if missing else None,
    )


def holds(check: Callable[[], bool]) -> bool:
    """Whether a check passes; a part that does not answer does not."""
    try:
        return check()
    except (DatabaseError, redis.RedisError, OSError):
        return False


def _database() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return bool(cursor.fetchone())


def _migrations() -> bool:
    executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


def _months_ahead() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT hub_months_ahead()")
        return bool(cursor.fetchone()[0] >= MONTHS_AHEAD_WARNED)


def _sealing() -> bool:
    return not read_lag().is_alarm


def _models() -> bool:
    """Every model is the one its profile's vectors came from."""
    return not EmbeddingProfile.objects.exclude(changed_at=None).exists()


def _redis() -> bool:
    return bool(_client().ping())


def _worker() -> bool:
    return bool(_client().exists(HEARTBEAT_KEY))


def _client() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=0.3)


CHECKS: dict[str, Callable[[], bool]] = {
    "database": _database,
    "migrations": _migrations,
    "event_partitions": _months_ahead,
    "erasures": is_level,
    "redis": _redis,
    "worker": _worker,
}
WARNINGS: dict[str, Callable[[], bool]] = {
    "seal_lag": _sealing,
    "embedding_model": _models,
}
