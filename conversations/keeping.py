"""Sessions in Redis: where they lie, and the scripts that touch one in a single round trip.

A session is a hash and a list of its last message ids, both with the same sliding expiry. The
expiry to slide by stands in the hash itself, and a hash that expired meanwhile must not come back
in part; so what reads and slides, or writes and slides, is a script: one round trip, atomic.

Keys carry the tenant (as a hash tag too: in a cluster a tenant's sessions lie on one node). Values
hold ids, counts, instants, the masked task state, and the subject sealed: nothing clear about a
person. Redis is the only place where sessions are; without it they are `Unavailable`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import redis
from django.conf import settings
from redis.commands.core import Script

from memoryhub.errors import Unavailable
from sealing.hashing import keyed_hash
from tenants.context import current_tenant_id

TIMEOUT_SECONDS = 0.5
RETRY_AFTER = 2
WINDOW = 5
"""Message ids that a session keeps."""

CLAIM_SECONDS = 15
"""How long one who adds a message may take before another try takes over."""

SAID_SECONDS = 86_400
"""How long a message id is known; also for how long an ended session is known as ended."""

CLAIMED = "…"
"""Stands for the outcome of a message that is being added."""


def session_key(session_id: str) -> str:
    """The session's hash."""
    return f"hub:session:{{{current_tenant_id().hex}}}:{session_id}"


def window_key(session_id: str) -> str:
    """The list of its last message ids, newest first."""
    return f"{session_key(session_id)}:window"


def ended_key(session_id: str) -> str:
    """There while an ended session is known as ended."""
    return f"{session_key(session_id)}:ended"


def said_key(session_id: str, message_id: str) -> str:
    """What became of a message; its id, which a client chose, is hashed."""
    digest = keyed_hash(message_id, purpose="message-id", tenant_id=current_tenant_id())
    return f"{session_key(session_id)}:said:{digest[:32]}"


def index_key() -> str:
    """The tenant's sessions by when they expire."""
    return f"hub:sessions:{{{current_tenant_id().hex}}}"


@contextmanager
def reaching() -> Iterator[redis.Redis]:
    """The client. Raises Unavailable when Redis does not answer."""
    try:
        yield client()
    except redis.RedisError:
        raise Unavailable("Sessions cannot be reached.", retry_after=RETRY_AFTER) from None


@lru_cache(maxsize=1)
def client() -> redis.Redis:
    """One pool a process."""
    return redis.Redis.from_url(
        settings.REDIS_URL,
        decode_responses=True,
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
    )


_SLIDE = """
local ttl = tonumber(redis.call('HGET', KEYS[1], 'ttl'))
redis.call('HSET', KEYS[1], 'active', ARGV[1])
redis.call('EXPIRE', KEYS[1], ttl)
redis.call('EXPIRE', KEYS[2], ttl)
redis.call('ZADD', KEYS[3], tonumber(ARGV[1]) + ttl, ARGV[2])
"""
"""KEYS: hash, window, index. ARGV: now in seconds, session id."""

_LOAD = (
    "if redis.call('HEXISTS', KEYS[1], 'ttl') == 0 then return nil end\n"
    + _SLIDE
    + """
return {redis.call('HGETALL', KEYS[1]), redis.call('LRANGE', KEYS[2], 0, ARGV[3] - 1)}
"""
)
"""ARGV from 3: window."""

_CLAIM = (
    "if redis.call('HEXISTS', KEYS[1], 'ttl') == 0 then return nil end\n"
    + _SLIDE
    + """
local said = ''
if not redis.call('SET', KEYS[4], ARGV[4], 'NX', 'EX', ARGV[5]) then
  said = redis.call('GET', KEYS[4])
end
return {redis.call('HGETALL', KEYS[1]), redis.call('LRANGE', KEYS[2], 0, ARGV[3] - 1), said}
"""
)
"""KEYS from 4: what became of the message. ARGV from 3: window, CLAIMED, lease in seconds."""

_SETTLE = (
    """
redis.call('SET', KEYS[4], ARGV[5], 'EX', ARGV[6])
if redis.call('HEXISTS', KEYS[1], 'ttl') == 0 then return {} end
redis.call('LPUSH', KEYS[2], ARGV[4])
redis.call('LTRIM', KEYS[2], 0, ARGV[3] - 1)
for i = 7, #ARGV do redis.call('HINCRBY', KEYS[1], ARGV[i], 1) end
"""
    + _SLIDE
    + """
return redis.call('LRANGE', KEYS[2], 0, ARGV[3] - 1)
"""
)
"""ARGV from 3: window, message id, outcome, seconds it is known, counters to raise."""

_CHANGE = (
    "if redis.call('HEXISTS', KEYS[1], 'ttl') == 0 then return nil end\n"
    + "redis.call('HSET', KEYS[1], ARGV[4], ARGV[5])\n"
    + _SLIDE
    + """
return {redis.call('HGETALL', KEYS[1]), redis.call('LRANGE', KEYS[2], 0, ARGV[3] - 1)}
"""
)
"""ARGV from 3: window, field, its new value."""


@lru_cache(maxsize=8)
def script(name: str) -> Script:
    """`load`, `claim`, `settle` or `change`; sent whole only where the server has not met it."""
    texts = {"load": _LOAD, "claim": _CLAIM, "settle": _SETTLE, "change": _CHANGE}
    return client().register_script(texts[name])
