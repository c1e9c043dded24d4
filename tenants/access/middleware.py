"""Makes each request act as somebody: a key, a signed-in person, or the anonymous actor.

`acting_as` is entered here and nowhere else for requests, and left in `finally`, because a server
thread keeps its context variables from one request to the next.
"""

from __future__ import annotations

from uuid import UUID

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.csrf import CsrfViewMiddleware

from memoryhub.errors import Denied, HubError, Unauthenticated, Unavailable
from tenants.access.authenticating import authenticate_key, choose_membership, person_actor
from tenants.access.requests import Responder, client_address
from tenants.actors import ANONYMOUS, Actor
from tenants.context import acting_as

TENANT_IN_SESSION = "hub_tenant"


class Acting:
    """Innermost middleware: the view runs as the actor; a refusal waits in `request.refusal`."""

    def __init__(self, get_response: Responder) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        refusal: HubError | None = None
        actor = ANONYMOUS
        try:
            actor = _actor_of(request)
        except HubError as error:
            refusal = error
        except (OperationalError, InterfaceError):
            refusal = Unavailable("The database is not reachable.", retry_after=1)
        request.refusal = refusal  # type: ignore[attr-defined]
        with acting_as(actor):
            return self.get_response(request)


def _actor_of(request: HttpRequest) -> Actor:
    text = key_text(request)
    if text is not None:
        return authenticate_key(text, address=client_address(request))
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return ANONYMOUS
    if request.path_info.startswith("/api/"):
        _check_csrf(request)
    chosen = request.session.get(TENANT_IN_SESSION)
    membership = choose_membership(
        user,
        slug=request.headers.get("X-Hub-Tenant", ""),
        tenant_id=UUID(chosen) if chosen else None,
    )
    return person_actor(user, membership)


def key_text(request: HttpRequest) -> str | None:
    """The key a request carries, if it tries to; "" when the header is there and empty."""
    header: str | None = request.META.get("HTTP_AUTHORIZATION")
    if header is not None:
        scheme, _, rest = header.partition(" ")
        return rest.strip() if scheme.lower() == "bearer" else ""
    return request.META.get("HTTP_X_API_KEY")


def _check_csrf(request: HttpRequest) -> None:
    """DRF exempts its views from Django's check; a person's session needs it all the same."""
    check = CsrfViewMiddleware(lambda _: HttpResponse())
    check.process_request(request)
    if check.process_view(request, HttpResponse, (), {}) is not None:
        raise Denied("The CSRF token is missing or not valid.", code="csrf_failed")


def require_known(request: HttpRequest, actor: Actor) -> None:
    """Raise what stood in the way of knowing the caller, or Unauthenticated for nobody."""
    refusal: HubError | None = request.refusal  # type: ignore[attr-defined]
    if refusal is not None:
        raise refusal
    if not actor.is_known:
        raise Unauthenticated
