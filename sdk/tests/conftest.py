"""Fixtures: a fake hub, and clients of it that do not wait long."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
from fake_hub import KEY, FakeHub

from memoryhub_sdk import AsyncMemoryHub, MemoryHub, Retries
from memoryhub_sdk.langgraph import AsyncMemoryHubStore, MemoryHubStore

QUICK = Retries(attempts=3, first_wait=0.01, longest_wait=0.5)


@pytest.fixture
def fake() -> Iterator[FakeHub]:
    with FakeHub() as fake:
        yield fake


@pytest.fixture
def hub(fake: FakeHub) -> Iterator[MemoryHub]:
    with MemoryHub(fake.url, KEY, retries=QUICK, timeout=2) as hub:
        yield hub


@pytest.fixture
async def ahub(fake: FakeHub) -> AsyncIterator[AsyncMemoryHub]:
    async with AsyncMemoryHub(fake.url, KEY, retries=QUICK, timeout=2) as ahub:
        yield ahub


@pytest.fixture
def store(fake: FakeHub) -> Iterator[MemoryHubStore]:
    with MemoryHubStore.from_conn_string(fake.url, KEY, retries=QUICK, timeout=5) as store:
        yield store


@pytest.fixture
async def astore(fake: FakeHub) -> AsyncIterator[AsyncMemoryHubStore]:
    async with AsyncMemoryHubStore.from_conn_string(
        fake.url, KEY, retries=QUICK, timeout=5
    ) as astore:
        yield astore
