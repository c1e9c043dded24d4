"""What Django answers when no view did: problems for the API, plain words for people."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse

from api.problems import problem_response
from memoryhub.errors import Denied, HubError, Malformed, Missing


def _answer(error: HubError, request: HttpRequest) -> HttpResponse:
    if request.path_info.startswith("/api/"):
        return problem_response(error, request)
    return HttpResponse(error.detail, status=error.status, content_type="text/plain")


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """No such address."""
    return _answer(Missing("There is no such address."), request)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A host, a path or a query that Django would not read."""
    return _answer(Malformed("The request could not be read.", code="bad_request"), request)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Refused by Django itself."""
    return _answer(Denied(), request)


def server_error(request: HttpRequest, *args: Any) -> HttpResponse:
    """A crash; the log has it."""
    return _answer(HubError("Something went wrong here."), request)
