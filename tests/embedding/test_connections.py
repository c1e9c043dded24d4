"""No database connection is held while somebody else computes vectors."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections

from tenants.models import Tenant
from tests.callers import Caller
from tests.embedding.endpoints import Endpoint, letters_of

AT_ONCE, POOL = 40, 4


@pytest.fixture
def small_pool(hub: str) -> Iterator[None]:
    """A pool of four connections in place of the usual one."""
    options = connections["default"].settings_dict["OPTIONS"]
    usual = options["pool"]
    connections["default"].close()
    connections["default"].close_pool()
    options["pool"] = {**usual, "max_size": POOL}
    yield
    connections["default"].close()
    connections["default"].close_pool()
    options["pool"] = usual


def call_at_once(work: Callable[[int], Any]) -> list[int]:
    """The statuses of forty calls, each in a thread of its own."""

    def call(number: int) -> int:
        try:
            return work(number).status_code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(call, range(AT_ONCE)))


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["put", "search"])
def test_forty_calls_wait_for_the_embedder_at_once_with_four_connections(
    endpoint: Endpoint, make_tenant: Callable[..., Tenant],
    make_caller: Callable[..., Caller], verb: str, small_pool: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The endpoint answers nobody before all forty are there: each holds no connection then."""
    monkeypatch.setattr("memories.embedding.gating.CALLS_AT_ONCE", AT_ONCE)
    tenant = make_tenant()
    callers = [make_caller(tenant) for _ in range(AT_ONCE)]  # each key is looked up: a connection
    callers[0].put(["warm"], "k", {"text": "warm"}, index=False)
    together = threading.Barrier(AT_ONCE)

    def answer(texts: list[str]) -> Any:
        together.wait(15)
        return letters_of(texts)

    endpoint.answer = answer
    if verb == "put":
        statuses = call_at_once(lambda n: callers[n].put(["a"], str(n), {"text": f"text {n}"}))
    else:
        statuses = call_at_once(lambda n: callers[n].search(["a"], query=f"text {n}"))
    assert statuses == [200] * AT_ONCE
    assert not together.broken
    if verb == "put":
        assert len(callers[0].keys(["a"], limit=100)) == AT_ONCE
        assert callers[0].search(["a"], limit=1).json()["items"][0]["embedding"] == "ready"
