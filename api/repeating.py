"""Idempotency-Key at the edge: who asks, for what, with which body; and the answer once more.

A handler that makes something is decorated with `repeatable(replay)`. Its use case says inside its
transaction what it made (`audit.repeating.settle`), by an id, and the decorator where that has its
address; a handler whose use case does not is settled after it, with the `Location` of its answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import copy
from functools import wraps
from typing import Any

import structlog
from django.db import DatabaseError
from django.http import QueryDict
from django.urls import resolve
from rest_framework.request import Request

from api.problems import problem_response
from api.rendering import Response
from audit.repeating import (
    Claim,
    Made,
    Overtaken,
    claim_call,
    holding,
    release,
    settle_afterwards,
)
from memoryhub.errors import (
    Conflict,
    Gone,
    HubError,
    Invalid,
    Missing,
    VersionMismatch,
)
from sealing.hashing import keyed_hash
from tenants.context import current_actor

log = structlog.get_logger(__name__)

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replay"
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_KEPT: dict[int, type[HubError]] = {404: Missing, 409: Conflict, 410: Gone, 412: VersionMismatch}
"""Refusals that say how things stood. What the body itself is refused for is judged again: the
same body gets the same answer, and nothing of it is kept."""

Handler = Callable[..., Response]
Replay = Callable[[Request, Mapping[str, Any]], Any]


def repeatable(replay: Replay, *, at: str = "") -> Callable[[Handler], Handler]:
    """Decorates a handler: with the header, its work is done once in 24 hours.

    `replay(request, made)` gives the answer's document again, from what was made; `at` is the
    address of a made thing, with `{id}` in it.
    """

    def decorate(handler: Handler) -> Handler:
        @wraps(handler)
        def answer(view: Any, request: Request, *args: Any, **kwargs: Any) -> Response:
            key = request._request.META.get("HTTP_IDEMPOTENCY_KEY")
            if key is None:
                return handler(view, request, *args, **kwargs)
            scope, body = _scope_of(request, key), _hash_of(request)
            while True:
                claimed = claim_call(scope, body)
                if isinstance(claimed, Made):
                    return _answer_again(_addressed(claimed, at), request, replay)
                try:
                    return _answer_once(claimed, lambda: handler(view, request, *args, **kwargs))
                except Overtaken:
                    continue

        return answer

    return decorate


def read_again(request: Request, made: Mapping[str, Any]) -> Any:
    """The replay of what has an address: a GET of it, as the caller may see it now. What has none
    is told as it was made."""
    if "location" not in made:
        return dict(made)
    match = resolve(made["location"])
    again = copy(request._request)
    again.method, again.GET = "GET", QueryDict("")
    response = match.func(again, *match.args, **match.kwargs)
    if response.status_code != 200:
        raise Missing("It was made, and is not there any more.")
    return response.data


def _scope_of(request: Request, key: str) -> str:
    """Tenant and caller and method and path, and the key: one keyed hash."""
    if not _KEY.fullmatch(key):
        raise Invalid.at(HEADER, "invalid_idempotency_key", "Use 1 to 255 visible characters.")
    actor = current_actor()
    parts = (actor.kind.value, actor.id, request.method or "", request.path, key)
    return keyed_hash("\n".join(parts), purpose="repeatable-call", tenant_id=actor.tenant_id)


def _hash_of(request: Request) -> str:
    """The body as sent, and the query string."""
    text = request._request.body.decode("latin-1")
    query = request._request.META.get("QUERY_STRING", "")
    return keyed_hash(
        f"{query}\n{text}", purpose="repeatable-body", tenant_id=current_actor().tenant_id
    )


def _answer_once(claim: Claim, work: Callable[[], Response]) -> Response:
    try:
        with holding(claim):
            response = work()
    except Overtaken:
        raise
    except HubError as error:
        if error.status in _KEPT:
            settle_afterwards(claim, _refusal(error), status=error.status)
        else:
            _release(claim)
        raise
    except BaseException:
        _release(claim)
        raise
    settle_afterwards(claim, _made_of(response), status=response.status_code)
    return response


def _addressed(made: Made, at: str) -> Made:
    """With its `location`, where only its id was settled."""
    if not at or "id" not in made.made or "location" in made.made:
        return made
    return Made(made.status, {**made.made, "location": at.format(id=made.made["id"])})


def _release(claim: Claim) -> None:
    try:
        release(claim)
    except DatabaseError:
        log.warning("claim_not_released")  # its lease ends by itself


def _made_of(response: Response) -> dict[str, Any]:
    made = {"location": response["Location"]} if response.has_header("Location") else {}
    if isinstance(response.data, dict) and "id" in response.data:
        made["id"] = str(response.data["id"])
    return made


def _refusal(error: HubError) -> dict[str, Any]:
    facts = {name: error.facts[name] for name in ("version", "state", "at") if name in error.facts}
    return {"code": error.code, "detail": error.detail, "facts": facts}


def _answer_again(made: Made, request: Request, replay: Replay) -> Response:
    headers = {REPLAYED: "true"}
    if made.status < 400:
        try:
            document = None if made.status == 204 else replay(request, made.made)
        except HubError as error:
            return _refused_again(error, request)
        if "location" in made.made:
            headers["Location"] = made.made["location"]
        return Response(document, status=made.status, headers=headers)
    kind = _KEPT.get(made.status, Conflict)
    refusal = kind(made.made["detail"], code=made.made["code"], **made.made["facts"])
    return _refused_again(refusal, request)


def _refused_again(error: HubError, request: Request) -> Response:
    response = problem_response(error, request._request)
    response[REPLAYED] = "true"
    return response
