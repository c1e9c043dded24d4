"""What a person typed outlives the session in which they typed it.

A form that is sent after the session ended is kept in the fresh, anonymous session of the same
browser; after signing in, the page on which it stood is shown with it once, to the person who typed
it and in the tenant where they did. Secrets are not kept. (`static/hub/typed.js` does the same in
the browser for every form, also for what was typed and not sent.)
"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, QueryDict

from dashboard.once import FIELD, is_shown_to

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
        FIELD,
    }
)


def keep_form(request: HttpRequest, path: str) -> None:
    """Remember the fields of this POST for the page at `path`."""
    fields = {name: request.POST.getlist(name) for name in request.POST if name not in SECRETS}
    if sum(len(value) for values in fields.values() for value in values) <= LONGEST:
        token = request.POST.get(FIELD, "")
        request.session[KEPT] = {"path": path, "fields": fields, "token": token}


def take_kept_form(request: HttpRequest) -> QueryDict | None:
    """The fields kept for this page, once; None when there are none of this person's."""
    kept: dict[str, Any] | None = request.session.get(KEPT)
    if kept is None or kept["path"] != request.path or request.method != "GET":
        return None
    del request.session[KEPT]
    if not is_shown_to(request, kept.get("token", "")):
        return None
    fields = QueryDict(mutable=True)
    for name, values in kept["fields"].items():
        fields.setlist(name, values)
    return fields
