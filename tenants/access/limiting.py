"""Requests a minute for each key: one counter in Redis, one round trip, open when Redis is away.

A tenant without the quota costs nothing here. The counter is of a whole minute by the clock, so
around its end a key may send two minutes' worth at once; what is guarded is the hub, not a price.
"""

from __future__ import annotations

import time
from functools import lru_cache

import redis
import structlog
from django.conf import settings

from memoryhub.errors import TooMany
from tenants.actors import Actor, ActorKind
from tenants.snapshots import tenant_settings

log = structlog.get_logger(__name__)

MINUTE = 60
TIMEOUT_SECONDS = 0.2
LEFT_ALONE_SECONDS = 5.0

_left_alone_until = 0.0


def require_within_rate(actor: Actor) -> None:
    """Count this request. Raises TooMany `rate_limited` with the seconds until the next minute."""
    if actor.kind is not ActorKind.KEY:
        return
    most = tenant_settings().quota_requests_per_minute
    if most is None:
        return
    at = time.time()
    if _count(f"hub:rate:{actor.id}:{int(at) // MINUTE}") > most:
        wait = MINUTE - int(at) % MINUTE
        raise TooMany(f"The key may send {most} requests a minute.", retry_after=wait)


def _count(name: str) -> int:
    """How many there were under this name with this one; 0 when Redis does not answer."""
    global _left_alone_until
    if time.monotonic() < _left_alone_until:
        return 0
    try:
        with _client().pipeline(transaction=False) as both:
            both.incr(name)
            both.expire(name, 2 * MINUTE)
            count: int = both.execute()[0]
        return count
    except redis.RedisError:
        _left_alone_until = time.monotonic() + LEFT_ALONE_SECONDS
        log.warning("rate_not_counted")
        return 0


@lru_cache(maxsize=1)
def _client() -> redis.Redis:
    return redis.Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
    )
