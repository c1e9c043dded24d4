"""The one core under both clients: what is asked, how an answer is read, when to try again.

An operation is a *flow*: a generator that yields `Send` and `Sleep` steps and returns the result.
It does no I/O and knows no event loop. The sync client walks it with `httpx.Client` and
`time.sleep`, the async one with `httpx.AsyncClient` and `asyncio.sleep`; nothing is written twice.

Only what is safe is tried again: 429 and 503 (the hub refused), and connections that failed. A POST
that makes something carries an `Idempotency-Key` from its first attempt on, so that a retry after a
lost answer is not done twice. A timeout is not tried again: the hub may still be at work.
"""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from memoryhub_sdk.encoding import encode_json
from memoryhub_sdk.errors import (
    MemoryHubError,
    RateLimited,
    TimedOut,
    Unavailable,
    UnexpectedReply,
    Unreachable,
    error_of,
)
from memoryhub_sdk.unset import without_unset

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

API = "/api/v1"


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: status, headers in lower case, body."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_problem(self) -> bool:
        """Whether the hub itself says so, and not some proxy or another server."""
        return self.headers.get("content-type", "").startswith("application/problem+json")

    def json(self) -> Any:
        """The body as JSON; `UnexpectedReply` when it is none."""
        try:
            return json.loads(self.body)
        except ValueError:
            raise UnexpectedReply(
                "The answer is not JSON",
                status=self.status,
                code="unexpected_reply",
                request_id=self.headers.get("x-request-id"),
            ) from None


@dataclass(frozen=True, slots=True)
class Send:
    """Step: send this request, come back with the `Reply` or throw `Unreachable` in.

    `patience`: seconds to wait for the answer on top of the client's timeout.
    """

    method: str
    path: str
    params: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None
    patience: float = 0.0


@dataclass(frozen=True, slots=True)
class Sleep:
    """Step: wait so many seconds."""

    seconds: float


Flow: TypeAlias = Generator[Send | Sleep, Reply | None, T]


class Operation(Protocol[T_co]):
    """What a client can run."""

    def flow(self, retries: Retries) -> Flow[T_co]: ...


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and how long to try again: at most `attempts` sends and `longest_wait` a wait.

    Waits double from `first_wait` seconds, each drawn at random below that bound; a `Retry-After`
    is honoured, with a little on top so that clients do not return in step. One that is longer
    than `longest_wait` is not waited for: the error is raised and carries it.
    """

    attempts: int = 4
    first_wait: float = 0.25
    longest_wait: float = 20.0

    def wait_after(self, fault: MemoryHubError, *, attempt: int) -> float | None:
        """Seconds to wait before the next attempt, None to give up."""
        again = isinstance(fault, (RateLimited, Unavailable, Unreachable))
        if not again or isinstance(fault, TimedOut) or attempt >= self.attempts:
            return None
        spread = _RANDOM.random()
        if fault.retry_after is None:
            bound: float = min(self.longest_wait, self.first_wait * 2 ** (attempt - 1))
            return bound * (0.5 + spread / 2)
        if fault.retry_after > self.longest_wait:
            return None
        return fault.retry_after + spread * self.first_wait


NO_RETRIES = Retries(attempts=1)
_RANDOM = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One request and how its answer is read. `accepts`: error statuses that `read` understands."""

    request: Send
    read: Callable[[Reply], T]
    accepts: frozenset[int] = frozenset()
    tries_again: bool = True

    def flow(self, retries: Retries) -> Flow[T]:
        """Send, read, and try again while that is safe and the policy allows."""
        attempt = 0
        while True:
            attempt += 1
            try:
                reply = yield self.request
            except Unreachable as unreachable:
                fault: MemoryHubError = unreachable
            else:
                if reply is None:
                    raise AssertionError("a Send is answered with a Reply")
                if reply.status < 300 or reply.status in self.accepts:
                    return self.read(reply)
                fault = error_of(reply.status, reply.headers, reply.body)
            wait = retries.wait_after(fault, attempt=attempt) if self.tries_again else None
            if wait is None:
                raise fault
            yield Sleep(wait)


def request(
    method: str,
    path: str,
    *,
    params: Mapping[str, Any] | None = None,
    body: Any = None,
    content: bytes | None = None,
    makes_something: bool = False,
    patience: float = 0.0,
) -> Send:
    """A request below the API's base path; unset parameters and fields are left out."""
    headers: dict[str, str] = {}
    if body is not None:
        content = encode_json(without_unset(body) if isinstance(body, Mapping) else body)
    if content is not None:
        headers["content-type"] = "application/json"
    if makes_something:
        headers["idempotency-key"] = uuid.uuid4().hex
    given = without_unset(params or {})
    texts = {name: _as_text(value) for name, value in given.items() if value is not None}
    return Send(method, API + path, texts, headers, content, patience)


def _as_text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)
