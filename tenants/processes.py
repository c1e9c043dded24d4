"""The hub's processes: each says every few seconds that it is there, and by which rules it acts.

Kept in Redis, where it ends by itself: a process that died is gone from the list within
`SEEN_SECONDS`. The rule set is the one of the tenant's settings that the process used last, so a
process that were left behind after an activation would be seen here with the old number. Nothing
depends on it: with Redis away a process is silent, and the list is empty.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Literal
from uuid import UUID

import redis
import structlog
from django.conf import settings

from tenants.clock import wall_clock
from tenants.context import current_tenant_id
from tenants.snapshots import rulesets_in_use

log = structlog.get_logger(__name__)

Kind = Literal["web", "worker", "beat"]

EVERY_SECONDS = 3.0
SEEN_SECONDS = 15.0
KEPT_SECONDS = 24 * 3600
TIMEOUT_SECONDS = 1.0
PROCESSES = "hub:engine:processes"


@dataclass(frozen=True, slots=True)
class Process:
    """One process; `ruleset` is the version it used last for the acting tenant, None: never yet."""

    id: str
    kind: str
    ruleset: int | None
    seen_at: datetime


def keep_reporting(kind: Kind) -> None:
    """From now on this process reports itself, in a thread that ends with it."""
    stop = threading.Event()

    def run() -> None:
        while True:
            report_process(kind)
            stop.wait(EVERY_SECONDS)

    threading.Thread(target=run, name="hub-reporting", daemon=True).start()


def report_process(kind: Kind) -> None:
    """Say once that this process is there. Silent where Redis does not answer."""
    identity, at = own_identity(), wall_clock()
    try:
        with _client().pipeline(transaction=False) as pipe:
            seen = json.dumps({"kind": kind, "at": at.isoformat()})
            pipe.hset(PROCESSES, identity, seen)
            for tenant, ruleset in rulesets_in_use().items():
                pipe.hset(_of_tenant(tenant), identity, ruleset)
                pipe.expire(_of_tenant(tenant), KEPT_SECONDS)
            pipe.execute()
    except redis.RedisError:
        log.debug("process_not_reported")


def own_identity() -> str:
    """Host and number of this process: asked each time, because a fork has another."""
    return f"{socket.gethostname()}:{os.getpid()}"


def list_processes() -> list[Process]:
    """Who reported lately, with the rule set of the acting tenant; by kind, then by id.

    Raises redis.RedisError.
    """
    with _client().pipeline(transaction=False) as pipe:
        pipe.hgetall(PROCESSES)
        pipe.hgetall(_of_tenant(current_tenant_id()))
        seen, rulesets = pipe.execute()
    at, found, gone = wall_clock(), [], []
    for name, text in seen.items():
        said = json.loads(text)
        seen_at = datetime.fromisoformat(said["at"]).astimezone(UTC)
        if (at - seen_at).total_seconds() > SEEN_SECONDS:
            gone.append(name)
            continue
        number = rulesets.get(name)
        ruleset = None if number is None else int(number)
        found.append(Process(name.decode(), said["kind"], ruleset, seen_at))
    if gone:
        _client().hdel(PROCESSES, *gone)
    return sorted(found, key=lambda one: (one.kind, one.id))


def count_waiting(queue: str) -> int:
    """Messages that no worker has taken yet. Raises redis.RedisError."""
    return int(_client().llen(queue))


def _of_tenant(tenant: UUID) -> str:
    return f"hub:engine:rulesets:{tenant}"


@lru_cache(maxsize=1)
def _client() -> redis.Redis:
    return redis.Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
    )
