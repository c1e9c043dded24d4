"""Nobody is answered while the ledger of erasures is ahead of the database.

A restored dump holds people who were erased. Each web process looks once, at its first request, and
answers 503 until the ledger has been replayed (`up` and `replay_erasures` do so before web starts,
beat's scan makes up for who forgot). Afterwards it costs a look at a variable. `/healthz` and
`/readyz` are answered always.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import structlog
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponseBase, JsonResponse

from erasure.applying import lacking_entries, overdue_entries
from erasure.ledger import LedgerDamaged

log = structlog.get_logger(__name__)

OPEN_ALWAYS = ("/healthz", "/readyz", "/metrics")
ASK_EVERY_SECONDS = 1.0
RETRY_AFTER = 5


class Gate:
    """Closed until the database is level with the ledger; then open for this process."""

    def __init__(self) -> None:
        self._is_open = False
        self._asked_at = 0.0
        self._lock = threading.Lock()

    def is_open(self) -> bool:
        """Whether requests are answered; asks the database at most once a second until then."""
        if self._is_open:
            return True
        with self._lock:
            if self._is_open or time.monotonic() - self._asked_at < ASK_EVERY_SECONDS:
                return self._is_open
            self._asked_at = time.monotonic()
            try:
                self._is_open = not lacking_entries()
            except (LedgerDamaged, DatabaseError):
                log.exception("ledger_not_level")
            return self._is_open

    def close(self) -> None:
        """Look again (tests; after a restore under a running process)."""
        self._is_open, self._asked_at = False, 0.0


gate = Gate()


def is_level() -> bool:
    """For `/readyz`: this process answers, and no erasure is missing that should be here by now."""
    try:
        return gate.is_open() and not overdue_entries()
    except LedgerDamaged:
        return False


class Gating:
    """The middleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path in OPEN_ALWAYS or gate.is_open():
            return self.get_response(request)
        document = {
            "type": "https://memoryhub.dev/problems/erasures_missing",
            "title": "Temporarily not available", "status": 503, "code": "erasures_missing",
            "detail": "Erasures are carried out again after a restore; this takes a moment.",
            "request_id": getattr(request, "request_id", ""),
        }  # fmt: skip
        return JsonResponse(
            document, status=503, content_type="application/problem+json",
            headers={"Retry-After": str(RETRY_AFTER)},
        )  # fmt: skip
