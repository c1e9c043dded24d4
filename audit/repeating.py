"""Requests that may be sent twice and shall act once (the header Idempotency-Key).

A key is claimed in a transaction of its own before the work, and settled **inside the transaction
of the work**, by `settle`: the thing and the record of it commit together or not at all. So:

* The process dies in the work: nothing was made, the claim is a row without a status, and whoever
  comes once its lease is over takes it.
* The holder was only slow and is overtaken: both work, one settles; the other finds the claim no
  longer its own, raises `Overtaken`, and its transaction rolls back with everything it made.
* The process dies after the commit: the next attempt finds what was made.

Kept are the status, ids and the outcome. A replay reads the thing again, as whoever asks may see
it then.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction

from audit.models import RepeatableCall
from memoryhub.errors import Conflict
from tenants.context import now

KEPT = timedelta(hours=24)
LEASE = timedelta(seconds=10)
WAIT_SECONDS = 10.5
FIRST_PAUSE, LONGEST_PAUSE = 0.02, 0.25


class Overtaken(Exception):
    """Another attempt with the same key has settled: this one must leave nothing."""


@dataclass(slots=True)
class Claim:
    """The right to do the work of a key, once."""

    scope: str
    holder: UUID
    is_settled: bool = False


@dataclass(frozen=True, slots=True)
class Made:
    """What the first attempt made, and the status it answered."""

    status: int
    made: Mapping[str, Any] = field(default_factory=dict)


_claim: ContextVar[Claim | None] = ContextVar("hub_claim", default=None)


def claim_call(scope: str, body: str) -> Claim | Made:
    """The claim, or what was made before; waits for an attempt that is under way.

    Raises Conflict `idempotency_conflict` when the key came with another body before, or when the
    attempt under way is still at it after ten seconds.
    """
    claim, deadline, pause = Claim(scope, uuid4()), time.monotonic() + WAIT_SECONDS, FIRST_PAUSE
    while True:
        with transaction.atomic():
            calls = RepeatableCall.objects.all()
            calls.clear(now())
            if calls.claim(
                scope=scope, body=body, holder=claim.holder, at=now(), kept=KEPT, lease=LEASE
            ):
                return claim
            known = calls.filter(scope=scope).first()
        if known is not None and known.body != body:
            raise Conflict("The key was used for another body.", code="idempotency_conflict")
        if known is not None and known.status is not None:
            return Made(known.status, known.made)
        if time.monotonic() > deadline:
            raise Conflict("The first request is still under way.", code="idempotency_conflict")
        time.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE)


@contextmanager
def holding(claim: Claim) -> Iterator[None]:
    """What runs in this block settles this claim."""
    token = _claim.set(claim)
    try:
        yield
    finally:
        _claim.reset(token)


def settle(made: Mapping[str, Any], *, status: int = 200) -> None:
    """Say what the request made, in the transaction that makes it. Nothing without a key.

    `made` holds ids and outcomes, never content. Raises Overtaken.
    """
    claim = _claim.get()
    if claim is None:
        return
    mine = RepeatableCall.objects.filter(scope=claim.scope, holder=claim.holder)
    if mine.update(status=status, made=dict(made)) != 1:
        raise Overtaken
    transaction.on_commit(lambda: _mark_settled(claim))


def _mark_settled(claim: Claim) -> None:
    claim.is_settled = True


def settle_afterwards(claim: Claim, made: Mapping[str, Any], *, status: int) -> None:
    """For a request whose work did not settle by itself (a refusal, a thing without content)."""
    if not claim.is_settled:
        with transaction.atomic():
            mine = RepeatableCall.objects.filter(scope=claim.scope, holder=claim.holder)
            mine.update(status=status, made=dict(made))


def release(claim: Claim) -> None:
    """Nothing was made: the key is free for another try."""
    if not claim.is_settled:
        with transaction.atomic():
            RepeatableCall.objects.filter(scope=claim.scope, holder=claim.holder).delete()
