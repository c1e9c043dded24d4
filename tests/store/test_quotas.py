"""Quotas of a tenant, and requests a minute of a key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import redis

from tenants.access import limiting
from tenants.models import Tenant
from tests.callers import Caller


def test_a_new_memory_over_the_quota_is_429_and_changes_are_not(
    make_tenant: Callable[..., Tenant], make_caller: Callable[..., Caller]
) -> None:
    agent = make_caller(make_tenant(quota_memories=3))
    for n in range(3):
        assert agent.put(["a"], str(n), {"n": n}, index=False).status_code == 200
    over = agent.put(["a"], "3", {"n": 3}, index=False)
    assert (over.status_code, over.json()["code"]) == (429, "quota_exceeded")
    assert over.json()["quota"] == "memories"
    assert int(over.headers["Retry-After"]) > 0
    assert agent.put(["a"], "0", {"n": 9}, index=False).status_code == 200
    agent.delete(["a"], "0")
    assert agent.put(["a"], "3", {"n": 3}, index=False).status_code == 200


def test_a_batch_over_the_quota_leaves_nothing(
    make_tenant: Callable[..., Tenant], make_caller: Callable[..., Caller]
) -> None:
    agent = make_caller(make_tenant(quota_memories=3))
    ops = [
        {"op": "put", "namespace": ["a"], "key": str(n), "value": {}, "index": False}
        for n in range(4)
    ]
    assert agent.batch(*ops).status_code == 429
    assert agent.keys(["a"]) == []
    assert agent.batch(*ops[:3]).status_code == 200


def test_bytes_over_the_quota_are_429(
    make_tenant: Callable[..., Tenant], make_caller: Callable[..., Caller]
) -> None:
    agent = make_caller(make_tenant(quota_bytes=10_000))
    assert agent.put(["a"], "1", {"a": "xyz" * 1000}, index=False).status_code == 200
    over = agent.put(["a"], "2", {"a": "x" * 20_000}, index=False)
    assert (over.status_code, over.json()["quota"]) == (429, "bytes")


class FakeRedis:
    """Counts as Redis would, in one round trip."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.trips = 0
        self.names: list[str] = []

    def pipeline(self, transaction: bool) -> FakeRedis:
        return self

    def __enter__(self) -> FakeRedis:
        return self

    def __exit__(self, *_: Any) -> None:
        self.names = []

    def incr(self, name: str) -> None:
        self.names.append(name)

    def expire(self, name: str, seconds: int) -> None:
        assert seconds >= 60

    def execute(self) -> list[int]:
        self.trips += 1
        name = self.names[0]
        self.counts[name] = self.counts.get(name, 0) + 1
        return [self.counts[name], 1]


class DownRedis(FakeRedis):
    def execute(self) -> list[int]:
        self.trips += 1
        raise redis.ConnectionError("down")


def test_a_key_over_its_rate_is_429_with_retry_after(
    make_tenant: Callable[..., Tenant],
    make_caller: Callable[..., Caller],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = FakeRedis()
    monkeypatch.setattr(limiting, "_client", lambda: server)
    monkeypatch.setattr(limiting.time, "time", lambda: 1_000_000_010.0)
    tenant = make_tenant(quota_requests_per_minute=3)
    agent, other = make_caller(tenant), make_caller(tenant)
    assert [agent.get(["a"], "k").status_code for _ in range(4)] == [404, 404, 404, 429]
    over = agent.get(["a"], "k")
    assert over.json()["code"] == "rate_limited"
    assert over.headers["Retry-After"] == "10"
    assert other.get(["a"], "k").status_code == 404
    assert server.trips == 6


def test_without_redis_nobody_is_refused_and_it_is_left_alone_for_a_while(
    make_tenant: Callable[..., Tenant],
    make_caller: Callable[..., Caller],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = DownRedis()
    monkeypatch.setattr(limiting, "_left_alone_until", 0.0)  # and back again at the end
    monkeypatch.setattr(limiting, "_client", lambda: server)
    agent = make_caller(make_tenant(quota_requests_per_minute=1))
    assert {agent.get(["a"], "k").status_code for _ in range(4)} == {404}
    assert server.trips == 1
