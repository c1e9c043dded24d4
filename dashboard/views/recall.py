"""Recall quality: how much of what should be found is found, over time, and by which questions."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from conversations.feedback import FeedbackFigures, count_feedback
from conversations.golden import (
    add_question,
    list_questions,
    note_read,
    open_question,
    remove_question,
)
from conversations.measuring import (
    BASELINE_RUNS,
    Figures,
    history,
    last_results,
    measure_now,
    running_job,
    which_dropped,
)
from conversations.reporting import RECALL_DROPPED, is_reported
from dashboard.charts import lay_out_curve
from dashboard.formatting import show_day
from dashboard.keeping import take_kept_form
from dashboard.pages import page
from dashboard.recall_forms import GoldenQuestionForm
from memoryhub.errors import HubError
from tenants.authorising import require
from tenants.roles import Action

FORM = ("GET", "HEAD", "POST")
RUNS_SHOWN = 60
QUESTIONS_SHOWN = 200


@page(Action.SEE_USAGE, methods=FORM)
def recall(request: HttpRequest) -> HttpResponse:
    """Figures, the picture, the questions; a POST adds one."""
    if request.method == "POST":
        require(Action.DRAFT_RULES)
    kept = take_kept_form(request)
    form = GoldenQuestionForm(request.POST or kept or None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            add_question(
                data["question"], namespace_prefix=data["namespace_prefix"],
                expected=data["expected"],
            )  # fmt: skip
        except HubError as error:
            form.add_fault(error)
        else:
            messages.success(request, _("The golden question was added."))
            return redirect("recall")
    context = {"form": form, "was_kept": kept is not None, **_figures(), **_questions()}
    return render(
        request, "hub/recall.html", context, status=422 if request.method == "POST" else 200
    )


@page(Action.DRAFT_RULES, methods=("POST",))
def measure_recall(request: HttpRequest) -> HttpResponse:
    """Ask all questions now."""
    try:
        measure_now()
    except HubError as error:
        messages.error(request, say(error))
    else:
        messages.success(request, _("All golden questions are being asked; look again soon."))
    return redirect("recall")


@page(Action.DRAFT_RULES, methods=("POST",))
def remove_golden(request: HttpRequest, question_id: UUID) -> HttpResponse:
    """A question with its results."""
    remove_question(open_question(question_id).id)
    messages.success(request, _("The golden question was removed."))
    return redirect("recall")


def say(error: HubError) -> str:
    """Why a run did not begin."""
    if error.code == "already_running":
        return _("A run is under way.")
    return _("There is no golden question yet.")


def _figures() -> dict[str, Any]:
    runs = history(RUNS_SHOWN)
    drawn = [(run.recall, run.found) for run in runs]
    known = [Figures(*one) for one in drawn]
    before = known[-BASELINE_RUNS - 1 : -1]
    job = running_job()
    return {
        "runs": list(reversed(runs)),
        "last": runs[-1] if runs else None,
        "curves": [
            ("found", lay_out_curve([found for _, found in drawn])),
            ("recall", lay_out_curve([figure for figure, _ in drawn])),
        ],
        "first_day": show_day(timezone.localtime(runs[0].started_at)) if runs else "",
        "dropped": which_dropped(before, known[-1]) if known else frozenset(),
        "is_alarmed": is_reported(RECALL_DROPPED),
        "job": job,
        "feedback": _shares(count_feedback()),
    }


def _shares(figures: FeedbackFigures) -> dict[str, Any]:
    return {
        "given": figures.given,
        "judged": figures.judged,
        "used": 100 * figures.used / figures.given if figures.given else None,
        "helpful": 100 * figures.helpful / figures.judged if figures.judged else None,
    }


def _questions() -> dict[str, Any]:
    with transaction.atomic():
        rows = list(list_questions().order_by("-created_at", "-id")[: QUESTIONS_SHOWN + 1])
        results = last_results([row.id for row in rows])
        note_read([row.id for row in rows[:QUESTIONS_SHOWN]])
    return {
        "questions": [(row, results.get(row.id)) for row in rows[:QUESTIONS_SHOWN]],
        "has_more": len(rows) > QUESTIONS_SHOWN,
        "shown": QUESTIONS_SHOWN,
    }
