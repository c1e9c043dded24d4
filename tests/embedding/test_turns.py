"""Turns at the local model: short calls one after another, long ones beside them."""

from __future__ import annotations

import threading

from memories.embedding import providers
from memories.embedding.profiles import E5_DIMENSIONS
from memories.embedding.providers import SHORT_CHARACTERS, LocalProvider


def test_a_short_call_waits_for_a_short_one_and_a_long_one_for_nobody() -> None:
    local, answered = LocalProvider(), threading.Event()

    def ask() -> None:
        assert local.query("how to ship").shape == (1, E5_DIMENSIONS)
        answered.set()

    with providers._short_calls:
        short = threading.Thread(target=ask)
        short.start()
        assert local.passages(["a" * (SHORT_CHARACTERS + 1)]).shape[0] == 1
        assert not answered.is_set()
    short.join(30)
    assert answered.is_set()
