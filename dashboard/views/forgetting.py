"""Forgetting at work: what waits for review, what sweeps did, what they could not do."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from dashboard import addresses, charts
from dashboard.forgetting_forms import CloseForm, ReviewForm
from dashboard.formatting import show_instant
from dashboard.keeping import take_kept_form
from dashboard.pages import page
from memories.following_up import close_finding, list_findings, open_finding
from memories.forecasting import count_calendar_anew
from memories.masking import mask_text
from memories.reviewing import (
    count_reviews,
    decide_review,
    list_reviews,
    open_review,
    review_column,
)
from memories.scopes import list_runs
from memories.statements.slots import column
from memoryhub.errors import HubError
from tenants.clock import wall_clock
from tenants.roles import Action

FORM = ("GET", "HEAD", "POST")
SHOWN = 100


@page(Action.GOVERN_MEMORY)
def reviews(request: HttpRequest) -> HttpResponse:
    """What waits for a decision, the longest waiting first."""
    waiting = [_described(row) for row in list_reviews(limit=SHOWN)]
    return render(
        request, "hub/forgetting/reviews.html", {"waiting": waiting, "total": count_reviews()}
    )


@page(Action.GOVERN_MEMORY, methods=FORM)
def review(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Keep, label or destroy; first what each means."""
    waiting = open_review(memory_id)
    kept = take_kept_form(request)
    form = ReviewForm(request.POST or kept or None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            decide_review(
                memory_id, decision=data["decision"], reason=data["reason"], label=data["label"]
            )
        except HubError as error:
            form.add_fault(error)
        else:
            messages.success(request, _("The decision was carried out."))
            return redirect("reviews")
    context = {"form": form, "one": _described(waiting), "was_kept": kept is not None}
    status = 422 if request.method == "POST" else 200
    return render(request, "hub/forgetting/review.html", context, status=status)


@page(Action.SEE_FIGURES)
def sweep_runs(request: HttpRequest) -> HttpResponse:
    """The last sweeps with all that they did, and how late they were."""
    runs = list_runs(limit=SHOWN)
    late = [(show_instant(run.started_at), round(run.lag_seconds)) for run in reversed(runs)]
    context = {"runs": runs, "bars": charts.lay_out_bars(late)}
    return render(request, "hub/forgetting/runs.html", context)


@page(Action.SEE_USAGE)
def findings(request: HttpRequest) -> HttpResponse:
    """What jobs could not do."""
    shown = addresses.chosen(request.GET, "show", ("open", "all"), "open")
    rows = list_findings(is_open=True if shown == "open" else None, limit=SHOWN)
    return render(request, "hub/forgetting/findings.html", {"findings": rows, "shown": shown})


@page(Action.SEE_USAGE, methods=FORM)
def finding(request: HttpRequest, finding_id: UUID) -> HttpResponse:
    """Close a finding, with a reason."""
    one = open_finding(finding_id)
    kept = take_kept_form(request)
    form = CloseForm(request.POST or kept or None)
    if request.method == "POST" and form.is_valid():
        try:
            close_finding(finding_id, reason=form.cleaned_data["reason"])
        except HubError as error:
            form.add_fault(error)
        else:
            messages.success(request, _("The finding was closed."))
            return redirect("findings")
    context = {"form": form, "one": one, "was_kept": kept is not None}
    status = 422 if request.method == "POST" else 200
    return render(request, "hub/forgetting/finding.html", context, status=status)


@page(Action.SEE_USAGE, methods=("POST",))
def count_calendar(request: HttpRequest) -> HttpResponse:
    """Count the calendar of forgetting anew; a job does it."""
    count_calendar_anew()
    messages.info(request, _("The calendar is counted anew; it stands here when that is done."))
    return redirect("overview")


def _described(row: Any) -> dict[str, Any]:
    return {
        "row": row, "key": mask_text(row.key, today=wall_clock().date()),
        "since": getattr(row, review_column()), "rule": getattr(row, column("rule")),
    }  # fmt: skip
