"""The worker's heartbeat, which /readyz looks for."""

from __future__ import annotations

import redis
from celery import shared_task
from django.conf import settings

from memoryhub.health import HEARTBEAT_KEY

HEARTBEAT_SECONDS = 30


@shared_task
def heartbeat() -> None:
    """A worker is there and takes tasks."""
    client = redis.Redis.from_url(settings.REDIS_URL, socket_timeout=1)
    client.set(HEARTBEAT_KEY, "1", ex=HEARTBEAT_SECONDS)
