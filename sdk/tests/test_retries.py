"""What is tried again, how often, and that nothing is done twice."""

from __future__ import annotations

import pytest
from fake_hub import HANG_UP, LOSE_ANSWER, FakeHub, Problem

from memoryhub_sdk import (
    NO_RETRIES,
    AsyncMemoryHub,
    Get,
    MemoryHub,
    MemoryHubError,
    Put,
    RateLimited,
    Retries,
    ServerError,
    TimedOut,
    Unavailable,
    Unreachable,
)

BUSY = Problem(429, "rate_limited", {"retry-after": "0"})
DOWN = Problem(503, "unavailable")


@pytest.mark.parametrize("trouble", [BUSY, DOWN, HANG_UP])
def test_a_refusal_and_a_lost_connection_are_tried_again(
    hub: MemoryHub, fake: FakeHub, trouble: object
) -> None:
    fake.script = [trouble, trouble]
    hub.store.put(("a",), "k", {"n": 1})
    assert len(fake.requests) == 3


@pytest.mark.parametrize("trouble", [BUSY, DOWN, HANG_UP])
async def test_the_async_client_tries_again_as_well(
    ahub: AsyncMemoryHub, fake: FakeHub, trouble: object
) -> None:
    fake.script = [trouble, trouble]
    await ahub.store.put(("a",), "k", {"n": 1})
    assert len(fake.requests) == 3


@pytest.mark.parametrize(
    ("trouble", "error"), [(BUSY, RateLimited), (DOWN, Unavailable), (HANG_UP, Unreachable)]
)
def test_after_the_last_attempt_the_error_is_raised(
    hub: MemoryHub, fake: FakeHub, trouble: object, error: type[Exception]
) -> None:
    fake.script = [trouble] * 9
    with pytest.raises(error):
        hub.store.list_namespaces()
    assert len(fake.requests) == 3


def test_an_internal_error_is_not_tried_again(hub: MemoryHub, fake: FakeHub) -> None:
    fake.script = [Problem(500, "internal")]
    with pytest.raises(ServerError):
        hub.store.list_namespaces()
    assert len(fake.requests) == 1


def test_a_post_that_makes_something_keeps_its_key_over_attempts(
    hub: MemoryHub, fake: FakeHub
) -> None:
    fake.script = [LOSE_ANSWER, BUSY]
    hub.store.batch([Put(("a",), "k", {"n": 1})])
    hub.store.batch([Put(("a",), "k", {"n": 1})])
    *first, second = [request.headers["idempotency-key"] for request in fake.requests]
    assert len(first) == 3
    assert len(set(first)) == 1
    assert second != first[0]


def test_what_a_replayed_batch_does_not_tell_is_asked_again(hub: MemoryHub, fake: FakeHub) -> None:
    hub.store.put(("a",), "old", {"n": 1})
    fake.script = [LOSE_ANSWER]
    put, old = hub.store.batch([Put(("a",), "new", {"n": 2}), Get(("a",), "old")])
    assert put.outcome == "created"
    assert old.value == {"n": 1}
    lost, replayed, reads = fake.of("POST", "/api/v1/store/batch")
    assert lost.headers["idempotency-key"] == replayed.headers["idempotency-key"]
    assert [op["op"] for op in reads.body["ops"]] == ["get"]


def test_reading_posts_need_no_key(hub: MemoryHub, fake: FakeHub) -> None:
    hub.store.search(("a",))
    hub.store.list_namespaces()
    hub.store.batch([])
    assert all("idempotency-key" not in request.headers for request in fake.requests)


def test_readiness_is_asked_once(hub: MemoryHub, fake: FakeHub) -> None:
    fake.canned["GET", "/readyz"] = (503, {"missing": ["worker"]})
    readiness = hub.ready()
    assert (readiness.ok, readiness.missing) == (False, {"missing": ["worker"]})
    assert len(fake.requests) == 1


def _waits(retries: Retries, fault: MemoryHubError) -> list[float]:
    """The waits of one call that never succeeds."""
    waits: list[float] = []
    while (wait := retries.wait_after(fault, attempt=len(waits) + 1)) is not None:
        waits.append(wait)
    return waits


def test_waits_double_within_bounds_and_are_not_all_alike() -> None:
    retries = Retries(attempts=6, first_wait=1, longest_wait=5)
    runs = [_waits(retries, Unreachable("gone")) for _ in range(20)]
    for waits in runs:
        assert all(
            bound / 2 <= wait <= bound for wait, bound in zip(waits, [1, 2, 4, 5, 5], strict=True)
        )
    assert len({waits[0] for waits in runs}) > 1


def test_a_retry_after_is_honoured() -> None:
    fault = Unavailable("down", status=503, retry_after=3)
    waits = _waits(Retries(attempts=2, first_wait=0.5), fault)
    assert len(waits) == 1
    assert 3 <= waits[0] <= 3.5


def test_a_retry_after_that_is_too_long_is_left_to_the_caller() -> None:
    fault = RateLimited("quota", status=429, retry_after=3600)
    assert _waits(Retries(longest_wait=20), fault) == []


def test_a_timeout_is_not_tried_again() -> None:
    assert _waits(Retries(), TimedOut("slow")) == []


def test_retries_can_be_switched_off() -> None:
    assert _waits(NO_RETRIES, Unreachable("gone")) == []


@pytest.mark.parametrize("header", ["soon", "-3", "inf", "nan", ""])
def test_a_retry_after_that_is_no_number_of_seconds_is_passed_over(
    hub: MemoryHub, fake: FakeHub, header: str
) -> None:
    fake.script = [Problem(429, "rate_limited", {"retry-after": header})]
    assert hub.store.list_namespaces() == []
