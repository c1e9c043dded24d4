"""Sessions, CSRF and the like: for people only.

A machine's call carries a key and no cookie. It needs no session, no messages, no CSRF token; each
of those layers costs it time and can only go wrong. Each name below is the middleware that steps
aside for such a call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.utils.module_loading import import_string

Responder = Callable[[HttpRequest], HttpResponseBase]


def _for_people(path: str) -> type:
    """The middleware at `path`, which machines' calls pass by."""
    inner_class = import_string(path)

    class ForPeople:
        def __init__(self, get_response: Responder) -> None:
            self.get_response = get_response
            self.inner = inner_class(get_response)
            if hasattr(self.inner, "process_view"):
                self.process_view = self._process_view

        def __call__(self, request: HttpRequest) -> HttpResponseBase:
            if request.is_machine:  # type: ignore[attr-defined]
                return self.get_response(request)
            return self.inner(request)

        def _process_view(self, request: HttpRequest, *args: Any) -> Any:
            if request.is_machine:  # type: ignore[attr-defined]
                return None
            return self.inner.process_view(request, *args)

    ForPeople.__name__ = ForPeople.__qualname__ = f"ForPeople({inner_class.__name__})"
    return ForPeople


security = _for_people("django.middleware.security.SecurityMiddleware")
whitenoise = _for_people("whitenoise.middleware.WhiteNoiseMiddleware")
sessions = _for_people("django.contrib.sessions.middleware.SessionMiddleware")
common = _for_people("django.middleware.common.CommonMiddleware")
csrf = _for_people("django.middleware.csrf.CsrfViewMiddleware")
authentication = _for_people("django.contrib.auth.middleware.AuthenticationMiddleware")
messages = _for_people("django.contrib.messages.middleware.MessageMiddleware")
locale = _for_people("django.middleware.locale.LocaleMiddleware")
htmx = _for_people("django_htmx.middleware.HtmxMiddleware")
