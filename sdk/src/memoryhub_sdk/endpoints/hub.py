"""The hub itself, and whatever has no function of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memoryhub_sdk.calling import API, Call, Reply, Send, request
from memoryhub_sdk.models import (
    Health,
)


def check_health() -> Call[Health]:
    """Whether the process answers."""
    return _health_of("/healthz")


def check_readiness() -> Call[Health]:
    """Whether all that it needs is there; if not, `missing` says what."""
    return _health_of("/readyz")


def _health_of(path: str) -> Call[Health]:
    def read(reply: Reply) -> Health:
        ok = reply.status < 300
        return Health(ok, None if ok else reply.json())

    return Call(Send("GET", path), read, frozenset({503}), tries_again=False)


def raw_request(
    method: str,
    path: str,
    body: Any = None,
    *,
    params: Mapping[str, Any] | None = None,
) -> Call[Any]:
    """Any other endpoint: `path` below the API's base path; the JSON answer, None without one."""
    makes = method.upper() == "POST"
    asked = request(
        method.upper(), path.removeprefix(API), params=params, body=body, makes_something=makes
    )
    return Call(asked, lambda reply: reply.json() if reply.body else None)
