"""Integrity of the log: what was signed and anchored, verify it now, take it away with proofs."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit.jobs import require_file
from audit.verifying.proving import list_checkpoints
from audit.verifying.running import Span, ask_to_verify
from audit.verifying.standing import (
    ask_for_bundle,
    list_anchors,
    list_epochs,
    newest_bundle,
    read_standing,
)
from dashboard.pages import page
from sealing.signing import public_key
from tenants.roles import Action

POST = ("POST",)
SHOWN = 12

VERDICTS: dict[int, str | Promise] = {
    0: gettext_lazy("The log is whole"),
    1: gettext_lazy("An event is not what was sealed"),
    2: gettext_lazy("Events are missing, or were put in"),
    3: gettext_lazy("A signature does not fit"),
    4: gettext_lazy("The log was put back to an earlier state"),
    5: gettext_lazy("Events wait too long to be sealed"),
    6: gettext_lazy("What is searched by differs from what was sealed"),
}

REASONS: dict[str, str | Promise] = {
    "start": gettext_lazy("The log began"),
    "server_changed": gettext_lazy("The database was put into another server"),
    "transactions_went_back": gettext_lazy("The database's transactions went back"),
    "anchor_ahead": gettext_lazy("An older state of the database was put back"),
}


@page(Action.READ_EVENTS)
def integrity(request: HttpRequest) -> HttpResponse:
    """How the log stands; htmx asks for the part `progress` again while it is verified."""
    standing = read_standing()
    context: dict[str, Any] = {"standing": standing, "job": standing.running}
    if request.htmx:  # type: ignore[attr-defined]
        if standing.running is None:
            return HttpResponse(status=204, headers={"HX-Refresh": "true"})
        return render(request, "hub/integrity.html#progress", context)
    context |= {
        "verdict": None if standing.code is None else VERDICTS[standing.code],
        "checkpoints": list_checkpoints(limit=SHOWN),
        "anchors": list_anchors(limit=SHOWN),
        "epochs": [(one, REASONS.get(one.reason, one.reason)) for one in list_epochs()],
        "bundle": newest_bundle(),
        "key": public_key().text,
    }
    return render(request, "hub/integrity.html", context)


@page(Action.EXPORT_EVENTS, methods=POST)
def verify(request: HttpRequest) -> HttpResponse:
    """Verify now; it goes on when the page is left."""
    if read_standing().running is None:
        ask_to_verify(Span())
    return redirect("integrity")


@page(Action.EXPORT_EVENTS, methods=POST)
def bundle(request: HttpRequest) -> HttpResponse:
    """A bundle of the whole log, made in the background."""
    ask_for_bundle(Span())
    messages.success(request, _("The bundle is being made. It appears here when it is ready."))
    return redirect("integrity")


@page(Action.EXPORT_EVENTS)
def bundle_file(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """The bundle."""
    found = require_file(job_id)
    return FileResponse(  # type: ignore[return-value]
        found.path.open("rb"), as_attachment=True, filename=found.name,
        content_type=found.media_type,
    )  # fmt: skip
