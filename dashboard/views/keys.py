"""Machines' keys: their list, a new one (shown once), and the end of one."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from dashboard.forms import KeyForm
from dashboard.keeping import take_kept_form
from dashboard.pages import page
from dashboard.wording import SCOPE_NAMES
from memoryhub.errors import HubError
from tenants.access.provisioning import (
    issue_tenant_key,
    list_keys,
    open_key,
    revoke_tenant_key,
)
from tenants.clock import wall_clock
from tenants.models import ApiKey
from tenants.roles import AGENT_SCOPES, Action

FORM = ("GET", "HEAD", "POST")


def state_of_key(key: ApiKey) -> str:
    """`revoked`, `ended` or `good`."""
    if key.revoked_at is not None:
        return "revoked"
    if key.expires_at is not None and key.expires_at <= wall_clock():
        return "ended"
    return "good"


@page(Action.ADMINISTER)
def keys(request: HttpRequest) -> HttpResponse:
    """All keys, those that ended included."""
    rows = [(key, state_of_key(key)) for key in list_keys()]
    return render(request, "hub/keys.html", {"keys": rows})


@page(Action.ADMINISTER, methods=FORM)
def new_key(request: HttpRequest) -> HttpResponse:
    """A key, shown once and stored nowhere."""
    kept = take_kept_form(request)
    initial = {"scopes": [scope.value for scope in AGENT_SCOPES], "days": "90"}
    form = KeyForm(request.POST or kept or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            issued = issue_tenant_key(
                name=data["name"], scopes=data["scopes"], prefixes=data["prefixes"],
                networks=data["networks"],
                expires_in=timedelta(days=data["days"]) if data["days"] else None,
            )  # fmt: skip
        except HubError as error:
            form.add_fault(error)
        else:
            shown = {"key": issued.row, "text": str(issued.text), "host": request.get_host()}
            answer = render(request, "hub/key.html", {**shown, "scheme": request.scheme})
            answer.shows_once = True  # type: ignore[attr-defined]  # see dashboard.once
            return answer
    context: dict[str, Any] = {"form": form, "senses": SCOPE_NAMES, "was_kept": kept is not None}
    return render(
        request, "hub/new_key.html", context, status=422 if request.method == "POST" else 200
    )


@page(Action.ADMINISTER, methods=FORM)
def revoke(request: HttpRequest, key_id: str) -> HttpResponse:
    """End a key; first what that means."""
    key = open_key(key_id)
    if request.method == "POST":
        revoke_tenant_key(key_id)
        messages.success(request, _("The key is revoked. It ends everywhere within 5 seconds."))
        return redirect("keys")
    return render(request, "hub/revoke.html", {"key": key, "state": state_of_key(key)})
