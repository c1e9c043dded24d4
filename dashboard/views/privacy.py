"""Personal data: what was found, how soon it is dealt with, what waits, detectors."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from dashboard import charts
from dashboard.figures import keep_large
from dashboard.forms import DetectorForm, QuarantineForm
from dashboard.keeping import take_kept_form
from dashboard.pages import page
from dashboard.wording import ACTION_NAMES, ENTITY_NAMES
from memories.clocking import count_waits
from memories.masking import mask_text
from memories.protecting import guard_of_now
from memories.quarantining import (
    Waiting,
    decide_quarantined,
    list_quarantined,
    open_quarantined,
)
from memories.scanning import count_found, read_clock
from memoryhub.errors import HubError
from privacy.choosing import PrivacyRegime, Scope, choose_action
from privacy.configuring import known_entities
from privacy.detecting import EXTRAS
from privacy.masking import mask_span
from tenants.context import current_actor
from tenants.roles import Action, allows

FORM = ("GET", "HEAD", "POST")
SHOWN = 50


@page(Action.SEE_FIGURES)
def privacy(request: HttpRequest) -> HttpResponse:
    """Figures, findings, and what waits for a decision."""
    may_see = allows(current_actor(), Action.READ_VALUES)
    waiting = list_quarantined(limit=SHOWN) if may_see else []
    clock = keep_large("scan-clock", read_clock)
    context: dict[str, Any] = {
        "clock": clock,
        "waits": draw_waits(),
        "share": clock["within_24h"] * 100,
        "found": [
            (ENTITY_NAMES.get(entity, entity), ACTION_NAMES.get(action, action), memories, places)
            for entity, action, memories, places in keep_large("found", count_found)
        ],
        "waiting": [_described(one) for one in waiting],
    }
    return render(request, "hub/privacy.html", context)


def draw_waits() -> dict[str, Any]:
    """How long memories waited to be looked at: a bar for each span, and the most in one."""
    counts = keep_large("waits", count_waits)
    names = (
        _("1 second"), _("1 minute"), _("1 hour"), _("24 hours"), _("longer"),
    )  # fmt: skip
    pairs = [(str(name), count) for name, count in zip(names, counts, strict=True)]
    return {"bars": charts.lay_out_bars(pairs), "most": max(counts)}


@page(Action.SEE_FIGURES, methods=FORM)
def detectors(request: HttpRequest) -> HttpResponse:
    """What is done with each kind, and a box to try a text; the text is kept nowhere."""
    form = DetectorForm(request.POST or None)
    guard = guard_of_now()
    tried: list[dict[str, Any]] | None = None
    if request.method == "POST" and form.is_valid():
        spans = [span for one in guard.find(form.cleaned_data["sample"]) for span in one.spans]
        tried = [
            {
                "name": ENTITY_NAMES.get(span.entity, span.entity),
                "text": mask_span(span),
                "action": ACTION_NAMES[guard.action_of(span, Scope())],
                "score": span.score, "detector": span.detector,
            }
            for span in spans
        ]  # fmt: skip
    kinds = [
        (ENTITY_NAMES.get(entity, entity), entity, _action_of(entity, guard.regime))
        for entity in known_entities()
    ]
    context = {"form": form, "tried": tried, "kinds": kinds}
    return render(request, "hub/detectors.html", context)


@page(Action.GOVERN_MEMORY, methods=FORM)
def quarantined(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Release, redact or destroy; first what each means."""
    waiting = open_quarantined(memory_id)
    kept = take_kept_form(request)
    form = QuarantineForm(request.POST or kept or None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            decide_quarantined(memory_id, decision=data["decision"], reason=data["reason"])
        except HubError as error:
            form.add_fault(error)
        else:
            messages.success(request, _("The decision was carried out."))
            return redirect("privacy")
    context = {"form": form, "one": _described(waiting), "was_kept": kept is not None}
    return render(
        request, "hub/quarantined.html", context, status=422 if request.method == "POST" else 200
    )


def _action_of(entity: str, regime: PrivacyRegime) -> str | Promise:
    if entity in EXTRAS and entity not in regime.base:
        return _("not looked for")
    return ACTION_NAMES[choose_action(entity, regime, Scope())]


def _described(one: Waiting) -> dict[str, Any]:
    memory = one.memory
    found = [(ENTITY_NAMES.get(entity, entity), path, n) for entity, path, n in one.found]
    key = mask_text(memory.key, today=memory.quarantined_at.date())
    return {"row": memory, "key": key, "found": found, "is_overdue": one.because == "overdue"}
