"""Calls of one loop: gathered into few requests, without one spoiling another."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fake_hub import KEY, FakeHub, Problem
from langgraph.store.base import GetOp, InvalidNamespaceError, Item, PutOp, SearchOp

from memoryhub_sdk import Forbidden, Retries, Unreachable
from memoryhub_sdk.langgraph import AsyncMemoryHubStore


async def test_calls_of_one_tick_share_a_request(
    astore: AsyncMemoryHubStore, fake: FakeHub
) -> None:
    await asyncio.gather(*(astore.aput(("a",), f"k{n}", {"n": n}) for n in range(500)))
    items = await asyncio.gather(*(astore.aget(("a",), f"k{n}") for n in range(500)))
    assert [item.value["n"] for item in items] == list(range(500))
    assert len(fake.requests) == 2


async def test_the_same_read_is_asked_once_and_each_gets_its_own(
    astore: AsyncMemoryHubStore, fake: FakeHub
) -> None:
    await astore.aput(("a",), "k", {"list": [1]})
    one, other = await asyncio.gather(astore.aget(("a",), "k"), astore.aget(("a",), "k"))
    one.value["list"].append(2)
    assert other.value == {"list": [1]}
    assert len(fake.requests[-1].body["ops"]) == 1


async def test_of_two_puts_to_one_key_the_later_call_wins(
    astore: AsyncMemoryHubStore, fake: FakeHub
) -> None:
    results = await asyncio.gather(
        astore.aput(("a",), "k", {"n": 1}),
        astore.adelete(("a",), "k"),
        astore.aput(("a",), "k", {"n": 3}),
    )
    assert results == [None] * 3
    assert (await astore.aget(("a",), "k")).value == {"n": 3}


async def test_writes_of_later_ticks_keep_their_order(
    astore: AsyncMemoryHubStore, fake: FakeHub
) -> None:
    first = threading.Event()
    fake.before = lambda request: None if first.is_set() else first.wait(0.1) or first.set()
    tasks = []
    for n in range(5):
        tasks.append(asyncio.create_task(astore.aput(("a",), "k", {"n": n})))
        await asyncio.sleep(0.01)
    await asyncio.gather(*tasks)
    assert (await astore.aget(("a",), "k")).value == {"n": 4}


async def test_a_cancelled_call_does_not_fail_its_neighbours(
    astore: AsyncMemoryHubStore, fake: FakeHub
) -> None:
    await astore.aput(("a",), "k", {"n": 1})
    answering = threading.Event()
    fake.before = lambda request: answering.wait(5)
    tasks = [asyncio.create_task(astore.aget(("a",), key)) for key in ("k", "x", "k", "y")]
    while len(fake.requests) < 2:
        await asyncio.sleep(0.005)
    tasks[0].cancel()
    tasks[3].cancel()
    answering.set()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(results[0], asyncio.CancelledError)
    assert isinstance(results[3], asyncio.CancelledError)
    assert results[1] is None
    assert results[2].value == {"n": 1}


async def test_a_call_that_is_cancelled_while_it_waits_is_not_sent(
    astore: AsyncMemoryHubStore, fake: FakeHub
) -> None:
    await astore.aget(("a",), "warm")
    dropped = asyncio.create_task(astore.aput(("a",), "dropped", {}))
    kept = asyncio.create_task(astore.aput(("a",), "kept", {}))
    asyncio.get_running_loop().call_soon(dropped.cancel)
    await kept
    assert [op["key"] for op in fake.requests[-1].body["ops"]] == ["kept"]


async def test_a_bad_call_is_refused_before_it_meets_others(
    astore: AsyncMemoryHubStore, fake: FakeHub
) -> None:
    await astore.aput(("foo", "bar"), "k", {"n": 1})
    valid, label, value = await asyncio.gather(
        astore.aget(("foo", "bar"), "k"),
        astore.aget(("foo.bar",), "k"),
        astore.aput(("foo",), "k", {"n": float("nan")}),
        return_exceptions=True,
    )
    assert isinstance(valid, Item)
    assert isinstance(label, InvalidNamespaceError)
    assert isinstance(value, ValueError)


async def test_what_the_hub_refuses_fails_alone(astore: AsyncMemoryHubStore, fake: FakeHub) -> None:
    good = [astore.aput(("a",), f"k{n}", {"n": n}) for n in range(20)]
    *done, bad = await asyncio.gather(
        *good, astore.asearch(("a",), filter={"$bad": 1}), return_exceptions=True
    )
    assert done == [None] * 20
    assert isinstance(bad, ValueError)
    assert len(await astore.asearch(("a",), limit=50)) == 20


async def test_a_key_without_the_scope_to_write_still_reads(
    astore: AsyncMemoryHubStore, fake: FakeHub
) -> None:
    await astore.aput(("a",), "k", {"n": 1})

    def refuse_writes(request: Any) -> None:
        if any(op["op"] == "put" for op in request.body["ops"]):
            fake.canned["POST", request.path] = (403, {"code": "scope_missing"})
        else:
            fake.canned.clear()

    fake.before = refuse_writes
    item, refused = await asyncio.gather(
        astore.aget(("a",), "k"), astore.aput(("a",), "x", {}), return_exceptions=True
    )
    assert item.value == {"n": 1}
    assert isinstance(refused, Forbidden)


async def test_when_the_hub_is_gone_every_call_hears_of_it() -> None:
    retries = Retries(attempts=2, first_wait=0.01)
    async with AsyncMemoryHubStore("http://127.0.0.1:9", KEY, retries=retries) as astore:
        results = await asyncio.gather(
            *(astore.aget(("a",), str(n)) for n in range(5)), return_exceptions=True
        )
    assert all(isinstance(one, Unreachable) for one in results)


async def test_a_batch_of_ones_own_is_one_request_of_its_own(
    astore: AsyncMemoryHubStore, fake: FakeHub
) -> None:
    batch = astore.abatch([PutOp(("a",), "k", {}), SearchOp(("a",)), GetOp(("a",), "k")])
    (put, found, got), _ = await asyncio.gather(batch, astore.aget(("a",), "x"))
    assert (put, found, got) == (None, [], None)
    assert sorted(len(request.body["ops"]) for request in fake.requests) == [1, 3]


async def test_a_cancelled_batch_leaves_the_store_usable(
    astore: AsyncMemoryHubStore, fake: FakeHub
) -> None:
    answering = threading.Event()
    fake.before = lambda request: answering.wait(5)
    batch = asyncio.create_task(astore.abatch([GetOp(("a",), "k"), GetOp(("a",), "x")]))
    while not fake.requests:
        await asyncio.sleep(0.005)
    batch.cancel()
    answering.set()
    with pytest.raises(asyncio.CancelledError):
        await batch
    assert await astore.aget(("a",), "k") is None


async def test_blocking_calls_are_refused_where_they_would_stop_the_loop(
    astore: AsyncMemoryHubStore,
) -> None:
    for call in (
        lambda: astore.put(("a",), "k", {}),
        lambda: astore.get(("a",), "k"),
        lambda: astore.delete(("a",), "k"),
        lambda: astore.search(("a",)),
        lambda: astore.list_namespaces(),
        lambda: astore.batch([]),
    ):
        with pytest.raises(asyncio.InvalidStateError):
            call()
    with ThreadPoolExecutor(1) as pool:
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(pool, astore.put, ("a",), "k", {"n": 1})
        item = await loop.run_in_executor(pool, astore.get, ("a",), "k")
    assert item.value == {"n": 1}


async def test_set_up_and_sweeper_are_awaited(astore: AsyncMemoryHubStore) -> None:
    assert await astore.setup() is None
    assert (await astore.start_ttl_sweeper()).done()
    assert await astore.stop_ttl_sweeper() is True
    assert await astore.sweep_ttl() == 0


async def test_the_hub_is_asked_again_when_it_is_busy(
    astore: AsyncMemoryHubStore, fake: FakeHub
) -> None:
    fake.script = [Problem(429, "rate_limited", {"retry-after": "0"})]
    await asyncio.gather(*(astore.aput(("a",), f"k{n}", {}) for n in range(3)))
    first, again = fake.requests
    assert first.headers["idempotency-key"] == again.headers["idempotency-key"]
