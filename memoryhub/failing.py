"""What Django answers when no view did: problems for the API, pages for people."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse

from api import failing as for_machines
from dashboard.failing import show_failure
from memoryhub.errors import Denied, HubError, Malformed, Missing


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """No such address."""
    if _is_machine(request):
        return for_machines.page_not_found(request, exception)
    return show_failure(request, Missing("There is no such address."))


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A host, a path or a query that Django would not read."""
    if _is_machine(request):
        return for_machines.bad_request(request, exception)
    return show_failure(request, Malformed("The request could not be read.", code="bad_request"))


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Refused by Django itself: a form without its token."""
    if _is_machine(request):
        return for_machines.permission_denied(request, exception)
    return show_failure(request, Denied())


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form that did not come from a page of ours (settings.CSRF_FAILURE_VIEW)."""
    return show_failure(request, Denied("The form's token is missing or old.", code="csrf_failed"))


def server_error(request: HttpRequest, *args: Any) -> HttpResponse:
    """A crash; the log has it. The page asks nothing of what may have crashed."""
    if _is_machine(request):
        return for_machines.server_error(request)
    try:
        return show_failure(request, HubError("Something went wrong here."))
    except Exception:  # the database may be the cause, and the page wants the tenant's name
        return HttpResponse("Something went wrong here.", status=500, content_type="text/plain")


def _is_machine(request: HttpRequest) -> bool:
    return request.path_info.startswith("/api/")
