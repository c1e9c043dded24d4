"""The one way into a page: who asks is known, may do this, and a refusal becomes a page too.

A view parses, calls one use case, renders. Everything that all of them need stands here: sending
people to the sign-in and back, keeping what they typed, the tenant's time zone, and turning
`HubError` into a page that says what to do. Refusals are events, as they are in the API.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode, urlsplit
from zoneinfo import ZoneInfo

import structlog
from django.db import DatabaseError, OperationalError, connection, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.debug import sensitive_post_parameters

from audit.events import Outcome
from audit.recording import Facts, Target, record
from dashboard.failing import show_failure
from dashboard.keeping import keep_form
from dashboard.once import answer_again, forget, settle
from memoryhub.errors import Denied, HubError, Missing, Unavailable
from tenants.authorising import require
from tenants.context import actor_or_none, current_actor
from tenants.roles import Action
from tenants.snapshots import tenant_settings

log = structlog.get_logger(__name__)
View = Callable[..., HttpResponse]
READS = ("GET", "HEAD")


def page(*actions: Action, methods: tuple[str, ...] = READS) -> Callable[[View], View]:
    """A page of a tenant, for those who may do one of these (none named: any member)."""

    def decorate(view: View) -> View:
        @wraps(view)
        @sensitive_post_parameters()
        def run(request: HttpRequest, **parts: Any) -> HttpResponse:
            if request.method not in methods:
                return HttpResponseNotAllowed(methods)
            if not request.user.is_authenticated:
                return send_to_sign_in(request)
            try:
                _admit(request, actions)
                with timezone.override(ZoneInfo(tenant_settings().timezone)):
                    return _once(view, request, parts)
            except HubError as error:
                return refuse(request, error)
            except OperationalError:
                log.exception("page_without_database", path=request.path)
                return refuse(request, Unavailable("The database is not reachable."))

        run.actions = actions  # type: ignore[attr-defined]
        run.methods = methods  # type: ignore[attr-defined]
        return run

    return decorate


def _once(view: View, request: HttpRequest, parts: dict[str, Any]) -> HttpResponse:
    """The view, once for each form sent; one that it refused by raising may be sent again."""
    again = answer_again(request)
    if again is not None:
        return again
    try:
        answer = view(request, **parts)
    except BaseException:
        forget(request)
        raise
    settle(request, answer)
    return answer


def personal(*, methods: tuple[str, ...] = READS) -> Callable[[View], View]:
    """A page about the signed-in person's own account, which needs no tenant."""

    def decorate(view: View) -> View:
        @wraps(view)
        @sensitive_post_parameters()
        def run(request: HttpRequest, **parts: Any) -> HttpResponse:
            if request.method not in methods:
                return HttpResponseNotAllowed(methods)
            if not request.user.is_authenticated:
                return send_to_sign_in(request)
            try:
                return _once(view, request, parts)
            except HubError as error:
                return refuse(request, error)

        run.actions = ()  # type: ignore[attr-defined]
        run.methods = methods  # type: ignore[attr-defined]
        return run

    return decorate


def _admit(request: HttpRequest, actions: tuple[Action, ...]) -> None:
    """Raises what stands between this person and the page."""
    refusal: HubError | None = getattr(request, "refusal", None)
    if refusal is not None:
        raise refusal
    if not actions:
        if not current_actor().roles:
            raise Missing
        return
    for action in actions[:-1]:
        try:
            require(action)
        except Denied:
            continue
        return
    require(actions[-1])


def send_to_sign_in(request: HttpRequest) -> HttpResponse:
    """To the sign-in and back to the page one was on; what was typed there waits in the session."""
    target = _page_of(request)
    if request.method == "POST":
        keep_form(request, urlsplit(target).path)
    address = f"{reverse('account_login')}?{urlencode({'next': target})}"
    if request.headers.get("HX-Request"):
        return HttpResponse(status=204, headers={"HX-Redirect": address})
    return HttpResponseRedirect(address)


def _page_of(request: HttpRequest) -> str:
    """The page that the request came from: of a form and of a part of a page, not its own address,
    which may show nothing by itself."""
    if request.headers.get("HX-Request"):
        came_from = request.headers.get("HX-Current-URL", "")
    elif request.method == "POST":
        came_from = request.headers.get("Referer", request.path)
    else:
        return request.get_full_path()
    if not url_has_allowed_host_and_scheme(came_from, allowed_hosts={request.get_host()}):
        return reverse("overview")
    parts = urlsplit(came_from)
    return f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"


def refuse(request: HttpRequest, error: HubError) -> HttpResponse:
    """The page of a refusal. A person without a tenant is asked to choose one."""
    if isinstance(error, Denied):
        _record_refusal(request, error)
        if error.code == "tenant_required":
            return HttpResponseRedirect(reverse("tenants"))
    return show_failure(request, error)


def _record_refusal(request: HttpRequest, error: Denied) -> None:
    """Never turns a refusal into a crash."""
    if actor_or_none() is None or connection.in_atomic_block:
        return
    try:
        with transaction.atomic():
            record(
                "access.call",
                Target("page", f"{request.method} {request.path}"[:254]),
                Facts(outcome=Outcome.DENIED, links={"code": error.code}),
            )
    except DatabaseError:
        log.exception("refusal_not_recorded")
