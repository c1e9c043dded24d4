"""The gate before a provider: how many ask at once, and who goes on without."""

from __future__ import annotations

import threading
import time

import pytest

from memories.embedding import gating
from memories.embedding.gating import Gate
from memories.embedding.providers import EmbeddingUnavailable


def _hold(gate: Gate, release: threading.Event) -> threading.Thread:
    inside = threading.Event()

    def call() -> None:
        with gate.passing():
            inside.set()
            release.wait(5)

    thread = threading.Thread(target=call)
    thread.start()
    assert inside.wait(5)
    return thread


def test_a_slow_provider_holds_a_few_calls_and_the_others_go_on_at_once() -> None:
    gate, release = Gate(), threading.Event()
    gate._usual = 0.8
    held = [_hold(gate, release) for _ in range(gating.CALLS_AT_ONCE)]
    begin = time.monotonic()
    with pytest.raises(EmbeddingUnavailable, match="busy"), gate.passing():
        pass
    assert time.monotonic() - begin < 0.2
    release.set()
    for thread in held:
        thread.join()
    with gate.passing():
        pass


def test_at_a_quick_provider_a_call_waits_for_its_turn() -> None:
    gate, release = Gate(), threading.Event()
    held = [_hold(gate, release) for _ in range(gating.CALLS_AT_ONCE)]
    threading.Timer(0.05, release.set).start()
    with gate.passing():
        assert release.is_set()  # nobody passes before one of those inside has left
    for thread in held:
        thread.join()


def test_after_failures_one_call_tries_and_a_success_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gating, "OPEN_SECONDS", 0.0)
    gate = Gate()

    def fail() -> None:
        with gate.passing():
            raise EmbeddingUnavailable("down")

    for _ in range(gating.FAILURES_TO_OPEN):
        with pytest.raises(EmbeddingUnavailable, match="down"):
            fail()
    monkeypatch.setattr(gating, "OPEN_SECONDS", 60.0)
    trying = gate.passing()
    with trying, pytest.raises(EmbeddingUnavailable, match="left alone"):
        fail()
    with gate.passing():
        pass
