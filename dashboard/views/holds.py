"""Legal holds: the matters, what one covers, placing it, and releasing it by two people."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from dashboard.hold_forms import HoldForm, StepForm
from dashboard.holding import describe_hold, describe_preview, list_page
from dashboard.keeping import take_kept_form
from dashboard.pages import page
from memories import holding
from memoryhub.errors import HubError, Missing
from policies.models import Hold
from policies.placing import find_hold
from policies.releasing import find_releasers
from tenants.context import current_actor
from tenants.roles import Action

FORM = ("GET", "HEAD", "POST")
SHOWN = 200
STEPS = ("release", "keep")
LOOKED_AT = 200
"""Memories evaluated before the page is answered; of a larger hold the page asks for the rest."""
MOST_LOOKED_AT = 20_000


@page(Action.SEE_FIGURES)
def holds(request: HttpRequest) -> HttpResponse:
    """The matters: those that hold something first, then those released."""
    with transaction.atomic():
        rows = holding.describe_holds(list(Hold.objects.all().newest_first()[:SHOWN]))
    context = {
        "standing": [one for one in rows if one.row.released_at is None],
        "released": [one for one in rows if one.row.released_at is not None],
    }
    return render(request, "hub/holds/list.html", context)


@page(Action.PLACE_HOLD, methods=FORM)
def place_hold(request: HttpRequest) -> HttpResponse:
    """What it covers first; then it is placed. `show` only looks."""
    kept = take_kept_form(request)
    query = request.GET
    initial = {
        "subjects": query.getlist("subject"), "namespaces": query.getlist("ns"),
        "memories": query.getlist("memory"),
    }  # fmt: skip
    form = HoldForm(request.POST or kept or None, initial=initial)
    only_looks = "show" in request.POST
    if request.method == "POST" and form.is_valid() and not only_looks:
        try:
            held = holding.place(form.matter_of(), form.scope())
        except HubError as error:
            form.add_fault(error)
        else:
            messages.success(request, _("The hold stands: nothing it covers is destroyed."))
            return redirect("hold", hold_id=held.row.id)
    looked_at = HoldForm({name: "\n".join(given) for name, given in initial.items()})
    asked = form if form.is_bound else looked_at if any(initial.values()) else None
    context: dict[str, Any] = {
        "form": form, "was_kept": kept is not None, **describe_preview(asked),
    }  # fmt: skip
    status = 422 if request.method == "POST" and not only_looks else 200
    return render(request, "hub/holds/place.html", context, status=status)


@page(Action.PLACE_HOLD, methods=("POST",))
def preview_hold(request: HttpRequest) -> HttpResponse:
    """The part of the page that says what is covered, as it is typed."""
    context = describe_preview(HoldForm(request.POST))
    return render(request, "hub/holds/place.html#covers", context)


@page(Action.SEE_FIGURES)
def hold(request: HttpRequest, hold_id: UUID) -> HttpResponse:
    """One hold: what it covers and what it prevented."""
    held = holding.open_hold(hold_id)
    context = {**describe_hold(held), **list_page(hold_id, request.GET.get("cursor"))}
    return render(request, "hub/holds/hold.html", context)


@page(Action.RELEASE_HOLD, methods=FORM)
def hold_step(request: HttpRequest, hold_id: UUID, act: str) -> HttpResponse:
    """What a release lets fall due, or that it is kept; then the reason."""
    if act not in STEPS:
        raise Missing("There is no such step.")
    kept = take_kept_form(request)
    form = StepForm(request.POST or kept or None)
    if request.method == "POST" and form.is_valid():
        try:
            take = holding.release if act == "release" else holding.keep
            held = take(hold_id, reason=form.cleaned_data["reason"])
        except HubError as error:
            _say_refusal(form, error)
        else:
            messages.success(request, _said(act, held.row))
            return redirect("hold", hold_id=hold_id)
    with transaction.atomic():
        row = find_hold(hold_id)
        others = [one for one in find_releasers(row) if one != current_actor().name]
    falling = None
    if act == "release":
        most = MOST_LOOKED_AT if "all" in request.GET else LOOKED_AT
        falling = holding.preview_release(hold_id, most=most)
    context = {
        "form": form, "step": act, "row": row, "falling": falling, "others": others,
        "is_counting": falling is not None and not falling.is_whole and "all" not in request.GET,
        "is_first": row.state == Hold.State.ACTIVE, "was_kept": kept is not None,
        "is_own": row.release_requested_by == current_actor().id,
    }  # fmt: skip
    status = 422 if request.method == "POST" else 200
    return render(request, "hub/holds/step.html", context, status=status)


def _said(act: str, row: Hold) -> str:
    if act == "keep":
        return _("The hold stays.")
    if row.released_at is None:
        return _("The release is asked for. Another officer has to make it.")
    return _("The hold is released.")


def _say_refusal(form: StepForm, error: HubError) -> None:
    if error.code == "second_person_required":
        form.add_error(None, _("You asked for the release, so another officer has to make it."))
    elif error.code == "invalid_state":
        form.add_error(None, _("Somebody was faster: the hold is in another state now."))
    else:
        form.add_fault(error)
