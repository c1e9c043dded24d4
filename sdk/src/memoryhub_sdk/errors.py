"""One family of errors, made from the hub's problem documents (RFC 9457).

`MemoryHubError` carries `status`, a stable `code`, `detail`, `request_id`, `errors` (the places in
the input that are wrong) and `facts` (whatever else the hub told). Catch the class for what to do,
read the code for why. `status` is None when no answer came, or none was asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong at one place of the input: `path` as in `value.a[2]`, a stable code."""

    path: str
    code: str
    detail: str


class MemoryHubError(Exception):
    """Base of everything this package raises on purpose."""

    def __init__(
        self,
        detail: str,
        *,
        status: int | None = None,
        code: str = "error",
        request_id: str | None = None,
        errors: Iterable[FieldError] = (),
        facts: Mapping[str, Any] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.status = status
        self.code = code
        self.request_id = request_id
        self.errors = tuple(errors)
        self.facts = dict(facts or {})
        self.retry_after = retry_after

    def __str__(self) -> str:
        head = self.code if self.status is None else f"{self.status} {self.code}"
        request = f" [request {self.request_id}]" if self.request_id else ""
        places = "; ".join(f"{e.path}: {e.detail}" if e.path else e.detail for e in self.errors)
        return f"{head}: {places or self.detail}{request}"


class BadRequest(MemoryHubError):
    """400: the request could not be read."""


class Unauthenticated(MemoryHubError):
    """401: the key is missing, malformed, unknown, expired or revoked."""


class Forbidden(MemoryHubError):
    """403: the key may not do this; for `scope_missing`, `facts["required"]` names the scope."""


class NotFound(MemoryHubError):
    """404: not there, or not yours."""


class Conflict(MemoryHubError):
    """409: the state of the thing does not allow this."""


class Purged(MemoryHubError):
    """410: the memory was destroyed; `facts` hold the tombstone."""


class VersionMismatch(MemoryHubError):
    """412: `if_version` named another version than `version`, the current one."""

    @property
    def version(self) -> int | None:
        """The version that the hub has."""
        return self.facts.get("version")


class TooLarge(MemoryHubError):
    """413: the body is over the limit."""


class InvalidRequest(MemoryHubError, ValueError):
    """422, or refused before it was sent (`status` None): `errors` names each place."""

    @classmethod
    def at(cls, path: str, code: str, detail: str) -> Self:
        """One fault at one place, found by this package."""
        return cls(detail, code=code, errors=[FieldError(path, code, detail)])


class RateLimited(MemoryHubError):
    """429: over a rate or a quota; `retry_after` in seconds."""


class ServerError(MemoryHubError):
    """5xx: the hub, or something before it, failed."""


class Unavailable(ServerError):
    """503: a part that this request needs is down; `retry_after` in seconds."""


class UnexpectedReply(MemoryHubError):
    """The answer is not what the contract says; something else may be answering at this address."""


class Unreachable(MemoryHubError):
    """No answer came: refused, reset, not resolved. The request may or may not have been done."""


class TimedOut(Unreachable):
    """No answer came in time. The request may or may not have been done."""


class JobFailed(MemoryHubError):
    """The job that was waited for failed or was cancelled; `facts["job"]` is its record."""


_CLASSES: dict[int, type[MemoryHubError]] = {
    400: BadRequest,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: Purged,
    412: VersionMismatch,
    413: TooLarge,
    422: InvalidRequest,
    429: RateLimited,
    503: Unavailable,
}
_STANDARD = frozenset({"type", "title", "status", "code", "detail", "request_id", "errors"})


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> MemoryHubError:
    """The error that an answer stands for; `headers` are looked up in lower case."""
    problem = _problem_in(body)
    kind = _CLASSES.get(status) or (ServerError if status >= 500 else MemoryHubError)
    title = problem.get("title") or _phrase(status)
    return kind(
        str(problem.get("detail") or title),
        status=status,
        code=str(problem.get("code") or f"http_{status}"),
        request_id=problem.get("request_id") or headers.get("x-request-id"),
        errors=_field_errors(problem.get("errors")),
        facts={name: fact for name, fact in problem.items() if name not in _STANDARD},
        retry_after=_seconds(headers.get("retry-after")),
    )


def _problem_in(body: bytes) -> dict[str, Any]:
    try:
        problem = json.loads(body)
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}


def _field_errors(listed: object) -> list[FieldError]:
    if not isinstance(listed, list):
        return []
    return [
        FieldError(str(e.get("path", "")), str(e.get("code", "")), str(e.get("detail", "")))
        for e in listed
        if isinstance(e, dict)
    ]


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown status"


def _seconds(header: str | None) -> float | None:
    try:
        seconds = float(header) if header else None
    except ValueError:
        return None
    return seconds if seconds is not None and 0 <= seconds < float("inf") else None
