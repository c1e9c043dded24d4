"""Sessions, CSRF and the like: for people only.

A machine's call carries a key and no cookie. It needs no session, no messages, no CSRF token; each
of those layers costs it time and can only go wrong. So they are one middleware here, which such a
call passes by.
"""

from __future__ import annotations

from typing import Any

from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponseBase
from django.utils.module_loading import import_string

from tenants.access.requests import Responder

LAYERS = (
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
)
"""From the outside in."""


class ForPeople:
    """All layers, put together as Django puts together what stands in its settings."""

    def __init__(self, get_response: Responder) -> None:
        self.answer_machine = self.answer_person = get_response
        self.view_checks = []
        for path in reversed(LAYERS):
            layer = import_string(path)(self.answer_person)
            self.answer_person = convert_exception_to_response(layer)  # type: ignore[assignment]
            if hasattr(layer, "process_view"):
                self.view_checks.append(layer.process_view)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.is_machine:  # type: ignore[attr-defined]
            return self.answer_machine(request)
        return self.answer_person(request)

    def process_view(self, request: HttpRequest, *view: Any) -> HttpResponseBase | None:
        """The first refusal of a layer that looks at the view too (CSRF)."""
        if request.is_machine:  # type: ignore[attr-defined]
            return None
        refusals = (check(request, *view) for check in reversed(self.view_checks))
        return next((refusal for refusal in refusals if refusal is not None), None)
