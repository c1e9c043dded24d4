"""What is known of a request before who sends it: an id, the network, machine or person."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from sealing.hashing import keyed_hash
from tenants.access.addresses import network_of, parse_address
from tenants.context import Origin, coming_from
from tenants.ids import uuid7

Responder = Callable[[HttpRequest], HttpResponseBase]

_REQUEST_ID = re.compile(r"[A-Za-z0-9._:\-]{1,128}")


class RequestFacts:
    """Gives each request an id and an `Origin`, and the answer its X-Request-Id."""

    def __init__(self, get_response: Responder) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        given = request.META.get("HTTP_X_REQUEST_ID", "")
        request_id = given if _REQUEST_ID.fullmatch(given) else uuid7().hex
        request.request_id = request_id  # type: ignore[attr-defined]
        request.is_machine = _is_machine(request)  # type: ignore[attr-defined]
        with coming_from(_origin(request, request_id)):
            response = self.get_response(request)
        response.headers["X-Request-Id"] = request_id
        return response


def _is_machine(request: HttpRequest) -> bool:
    """A call with a key, or without a session cookie on the API."""
    if not request.path_info.startswith("/api/"):
        return False
    has_key = "HTTP_AUTHORIZATION" in request.META or "HTTP_X_API_KEY" in request.META
    return has_key or settings.SESSION_COOKIE_NAME not in request.COOKIES


def client_address(request: HttpRequest) -> str:
    """The client's address; X-Forwarded-For counts only behind a proxy we were told of."""
    address: str = request.META.get("REMOTE_ADDR", "")
    if address in settings.TRUSTED_PROXIES:
        forwarded = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
        return forwarded or address
    return address


def _origin(request: HttpRequest, request_id: str) -> Origin:
    return Origin(request_id, *_client_of(client_address(request)))


@lru_cache(maxsize=1024)
def _client_of(text: str) -> tuple[str, str]:
    """An address as events hold it: its network, and its keyed hash."""
    address = parse_address(text)
    if address is None:
        return "", ""
    return network_of(address), keyed_hash(str(address), purpose="client-address")[:32]
