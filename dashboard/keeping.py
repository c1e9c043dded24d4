"""What a person typed outlives the session in which they typed it.

A form that is sent after the session ended is kept in the fresh, anonymous session of the same
browser; after signing in, the page it belongs to is shown with it once. Secrets are not kept.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, QueryDict

KEPT = "hub_kept_form"
LONGEST = 64_000
SECRETS = frozenset(
    {
        "csrfmiddlewaretoken",
        "password",
        "password1",
        "password2",
        "oldpassword",
        "code",
        "sample",
        "form_token",
    }
)


def keep_form(request: HttpRequest) -> None:
    """Remember the fields of this POST for the address it was sent to."""
    fields = {name: request.POST.getlist(name) for name in request.POST if name not in SECRETS}
    if sum(len(value) for values in fields.values() for value in values) <= LONGEST:
        request.session[KEPT] = {"path": request.path, "fields": fields}


def take_kept_form(request: HttpRequest) -> QueryDict | None:
    """The fields kept for this page, once; None when there are none."""
    kept: dict[str, Any] | None = request.session.get(KEPT)
    if kept is None or kept["path"] != request.path or request.method != "GET":
        return None
    del request.session[KEPT]
    fields = QueryDict(mutable=True)
    for name, values in kept["fields"].items():
        fields.setlist(name, values)
    return fields
