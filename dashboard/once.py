"""A form sent twice makes one thing: a double click, a reload, the back button and "send again".

Every form of a signed-in person carries a token of its own. The first request with it does the
work; what it led to is kept for an hour, and the same token again leads there. What cannot be shown
again (a new key), or is still under way, is answered with a page that says the form was sent
already. A form that came back with faults was not sent. Without the cache nothing is remembered.

The token also says for whom the form was shown, and in which tenant, without naming either: when a
session ends under a form, what was typed is given back to that person there and to nobody else.
"""

from __future__ import annotations

import secrets

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.crypto import constant_time_compare, salted_hmac

from memoryhub.errors import Conflict
from tenants.context import actor_or_none

FIELD = "form_token"
KEPT_SECONDS = 3600
LONGEST = 64
UNDER_WAY = ""
MARK_LENGTH = 22


def make_token(request: HttpRequest) -> str:
    """A token for one form as it is shown now, to whom it is shown."""
    chance = secrets.token_urlsafe(12)
    return f"{chance}.{_mark(request, chance)}"


def is_shown_to(request: HttpRequest, token: str) -> bool:
    """Whether a form with this token was shown to the person of this request, in this tenant."""
    chance, _, mark = token.partition(".")
    return constant_time_compare(mark, _mark(request, chance))


def _mark(request: HttpRequest, chance: str) -> str:
    actor = actor_or_none()
    tenant = None if actor is None else actor.tenant_id
    whose = f"{request.user.pk} {tenant} {chance}"
    return salted_hmac("hub.form", whose, algorithm="sha256").hexdigest()[:MARK_LENGTH]


def answer_again(request: HttpRequest) -> HttpResponse | None:
    """None for the first request with its token, which is claimed; else where that one led.

    Raises Conflict `sent_already` where it led nowhere that can be shown again.
    """
    key = _key(request)
    if key is None or cache.add(key, UNDER_WAY, KEPT_SECONDS):
        return None
    address = cache.get(key)
    if address:
        return HttpResponseRedirect(address)
    raise Conflict("This form was sent already.", code="sent_already")


def settle(request: HttpRequest, answer: HttpResponse) -> None:
    """Keep where the request led; what was refused, or only counted, may be sent again.

    An answer that shows what was made, instead of leading there, has `shows_once`.
    """
    key = _key(request)
    if key is None:
        return
    if 300 <= answer.status_code < 400:
        cache.set(key, answer.headers["Location"], KEPT_SECONDS)
    elif not getattr(answer, "shows_once", False):
        forget(request)


def forget(request: HttpRequest) -> None:
    """Nothing was done: the token is good again."""
    key = _key(request)
    if key is not None:
        cache.delete(key)


def _key(request: HttpRequest) -> str | None:
    """By person, so that nobody can spend or follow another's token. Live previews have none."""
    token = request.POST.get(FIELD, "") if request.method == "POST" else ""
    if request.headers.get("HX-Request") or not token or len(token) > LONGEST:
        return None
    return f"hub:form:{request.user.pk}:{request.path}:{token}"
