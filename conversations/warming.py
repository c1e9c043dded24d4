"""Warming: what a web process reads once is read before anybody waits for it.

The local model is mapped, and the prototypes of the intent filter get their vectors: some two
seconds of one core, which the first message of a process had to wait for. It is done in a thread of
low priority, so that what asks whether the process is ready is answered first. An endpoint is not
asked: it needs no warming, and a start is to cost nobody's budget.
"""

from __future__ import annotations

import contextlib
import os
import threading

import structlog
from django.conf import settings

from conversations.intent.filtering import prototype_rows
from memories.embedding.profiles import LOCAL
from memories.embedding.providers import EmbeddingRefused, EmbeddingUnavailable

log = structlog.get_logger(__name__)

LOW_PRIORITY = 10


def warm_in_background() -> threading.Thread | None:
    """Begin, in a thread that ends with the process; None where there is nothing to warm."""
    if LOCAL.provider != settings.EMBEDDING_PROVIDER:
        return None
    thread = threading.Thread(target=_warm, name="hub-warming", daemon=True)
    thread.start()
    return thread


def _warm() -> None:
    with contextlib.suppress(OSError):  # Linux has a priority for each thread, others may not
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOW_PRIORITY)
    try:
        prototype_rows(LOCAL)
    except (EmbeddingUnavailable, EmbeddingRefused, OSError):
        log.warning("not_warmed", exc_info=True)
