"""Errors on the wire: RFC 9457, one shape, stable codes. Translated here and nowhere else.

A refusal is recorded too. The view's transaction is over by then (rolled back or never begun), so
the event has a transaction of its own and survives.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import structlog
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.http import Http404, HttpRequest
from rest_framework import exceptions

from api.rendering import Response
from audit.events import Outcome
from audit.recording import Facts, Target, record
from memoryhub.errors import (
    Denied,
    HubError,
    Invalid,
    Malformed,
    Missing,
    TooMany,
    Unauthenticated,
    Unavailable,
    UnsupportedMedia,
)
from tenants.context import actor_or_none, relaxed_commit

log = structlog.get_logger(__name__)

RETRY_SECONDS = 1


class MethodNotAllowed(HubError):
    """The path is there and does not take this method (405)."""

    status = 405
    code = "method_not_allowed"
    title = "Method not allowed"


class NotAcceptable(HubError):
    """Only JSON is spoken here (406)."""

    status = 406
    code = "not_acceptable"
    title = "Answers are JSON"


def problem_document(error: HubError, request_id: str) -> dict[str, Any]:
    """The body of a problem."""
    body = {
        "type": f"https://memoryhub.dev/problems/{error.code}",
        "title": error.title,
        "status": error.status,
        "code": error.code,
        "detail": error.detail,
        "request_id": request_id,
    }
    if isinstance(error, Invalid):
        body["errors"] = [
            # a path may name what was sent, lone surrogates of a query's name included
            {"path": _readable(one.path), "code": one.code, "detail": one.detail}
            for one in error.errors
        ]
    facts: Mapping[str, Any] = error.facts if hasattr(error, "facts") else {}
    return {**facts, **body}


def _readable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def answer_problem(error: Exception, context: dict[str, Any]) -> Response:
    """DRF's exception handler. What is not expected is logged, and answered as `internal`."""
    known = as_hub_error(error)
    request = context["request"]
    if known is None:
        log.exception("request_failed", path=request.path)
        known = HubError("Something went wrong here; the log has it under this request id.")
    _record_refusal(known, request)
    return problem_response(known, request._request)


def problem_response(error: HubError, request: HttpRequest) -> Response:
    """The answer; also to requests that no API view took (404 of the router, a crash outside)."""
    return Response(
        problem_document(error, getattr(request, "request_id", "")),
        status=error.status,
        headers=_headers(error),
        content_type="application/problem+json",
    )


def as_hub_error(error: Exception) -> HubError | None:
    """Ours for what libraries raise, None for a fault of our own."""
    match error:
        case HubError():
            return error
        case Http404() | exceptions.NotFound():
            return Missing()
        case exceptions.ParseError():
            return Malformed()
        case exceptions.UnsupportedMediaType():
            return UnsupportedMedia("Send application/json.")
        case exceptions.MethodNotAllowed():
            return MethodNotAllowed()
        case exceptions.NotAcceptable():
            return NotAcceptable()
        case OperationalError() | InterfaceError():
            return Unavailable("The database is not reachable.", retry_after=RETRY_SECONDS)
        case DatabaseError() if _is_passing(error):
            return Unavailable("Try again.", retry_after=RETRY_SECONDS)
    return None


def _is_passing(error: DatabaseError) -> bool:
    """Serialisation failures and deadlocks (SQLSTATE class 40): trying again helps."""
    return str(getattr(error.__cause__, "sqlstate", "") or "").startswith("40")


def _headers(error: HubError) -> dict[str, str]:
    headers = {}
    if isinstance(error, TooMany | Unavailable):
        headers["Retry-After"] = str(int(error.facts.get("retry_after", RETRY_SECONDS)))
    if isinstance(error, Unauthenticated):
        headers["WWW-Authenticate"] = 'Bearer realm="memoryhub"'
    return headers


def _record_refusal(error: HubError, request: Any) -> None:
    """Denials are events; recording one never turns a refusal into a crash."""
    if not isinstance(error, Denied | Unauthenticated) or actor_or_none() is None:
        return
    if connection.in_atomic_block:
        return
    is_stranger = isinstance(error, Unauthenticated)
    action = "access.key" if is_stranger else "access.call"
    try:
        with relaxed_commit(when=is_stranger), transaction.atomic():
            record(
                action,
                Target("call", f"{request.method} {request.path}"[:254]),
                Facts(outcome=Outcome.DENIED, links={"code": error.code}),
            )
    except DatabaseError:
        log.exception("refusal_not_recorded")
