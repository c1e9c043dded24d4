"""What an officer does to one memory: reveal what is sealed, restore, label, delete."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from dashboard.failing import say_fault
from dashboard.keeping import take_kept_form
from dashboard.pages import page
from dashboard.privacy_forms import LabelForm, ReasonForm, RevealForm
from memories.deleting import delete_by_id
from memories.foreseeing import Foreseen, foresee_delete, foresee_label, foresee_restore
from memories.governing import label_memory, restore_memory
from memories.inspecting import find_memory
from memories.masking import mask_text
from memories.presenting import state_of
from memories.revealing import SHOWN_FOR, reveal_value
from memories.rows import StoredMemory
from memoryhub.errors import HubError, Missing
from tenants.access.second_factor import needs_factor, show_factor
from tenants.clock import wall_clock
from tenants.roles import Action

FORM = ("GET", "HEAD", "POST")
STEPS = ("restore", "label", "delete")


@page(Action.REVEAL, methods=FORM)
def reveal(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """The reason first, then the text for five minutes: the answer leaves by itself, unkept."""
    kept = take_kept_form(request)
    form = RevealForm(
        request.POST or kept or None, needs_code=needs_factor(request),
        initial={"path": request.GET.get("path", "")},
    )  # fmt: skip
    with transaction.atomic():
        row = find_memory(memory_id)
    context: dict[str, Any] = {**_head(row), "form": form, "was_kept": kept is not None}
    status = 422 if request.method == "POST" else 200
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        if "code" in data and not show_factor(request, data["code"]):
            form.add_error("code", _("The code is wrong, or was used already."))
        else:
            try:
                shown = reveal_value(memory_id, path=data["path"], reason=data["reason"])
            except HubError as error:
                form.add_fault(error)
                status = error.status
            else:
                return _shown(request, row, {**context, "shown": shown, "place": data["path"]})
    answer = render(request, "hub/memory/reveal.html", context, status=status)
    answer["Cache-Control"] = "no-store"
    return answer


def _shown(request: HttpRequest, row: StoredMemory, context: Mapping[str, Any]) -> HttpResponse:
    answer = render(request, "hub/memory/reveal.html", dict(context))
    answer["Cache-Control"] = "no-store"
    seconds = int(SHOWN_FOR.total_seconds())
    answer["Refresh"] = f"{seconds}; url={reverse('memory', args=[row.id])}"
    return answer


@page(Action.GOVERN_MEMORY, methods=FORM)
def memory_step(request: HttpRequest, memory_id: UUID, do: str) -> HttpResponse:
    """What the step does to this memory, then the reason. `show` only looks at a label."""
    if do not in STEPS:
        raise Missing("There is no such step.")
    kept = take_kept_form(request)
    given = request.POST or kept or None
    only_looks = "show" in request.POST
    form = LabelForm(given) if do == "label" else ReasonForm(given)
    if request.method == "POST" and form.is_valid() and not only_looks:
        try:
            said = _take(do, memory_id, form.cleaned_data)
        except HubError as error:
            form.add_fault(error)
        else:
            messages.success(request, said)
            return redirect("memory", memory_id)
    label = (form["label"].value() or "").strip() if do == "label" else ""
    foreseen = _foresee(do, memory_id, label)
    if do == "label" and given is None:
        form = LabelForm(initial={"label": foreseen.before.label or ""})
    if only_looks:
        form.errors.pop("reason", None)
    context = {
        **_head(foreseen.before), "form": form, "step": do, "foreseen": foreseen,
        "then": state_of(foreseen.after, foreseen.at), "refusal": _refusal(foreseen),
        "is_looked_at": do != "label" or only_looks, "was_kept": kept is not None,
    }  # fmt: skip
    status = 422 if request.method == "POST" and not only_looks else 200
    return render(request, "hub/memory/step.html", context, status=status)


def _take(do: str, memory_id: UUID, data: Mapping[str, Any]) -> str:
    """The step; what to say of it."""
    if do == "restore":
        restore_memory(memory_id, reason=data["reason"])
        return _("The memory is back in use.")
    if do == "delete":
        delete_by_id(memory_id, reason=data["reason"])
        return _("The memory is in the trash.")
    label_memory(memory_id, label=data["label"].strip() or None, reason=data["reason"])
    return _("The label was changed.")


def _foresee(do: str, memory_id: UUID, label: str) -> Foreseen:
    if do == "restore":
        return foresee_restore(memory_id)
    if do == "delete":
        return foresee_delete(memory_id)
    return foresee_label(memory_id, label[:64] or None)


def _refusal(foreseen: Foreseen) -> str | Promise | None:
    return None if foreseen.refusal is None else say_fault(foreseen.refusal)


def _head(row: StoredMemory) -> dict[str, Any]:
    """Which memory it is, masked."""
    at = wall_clock()
    return {"row": row, "key": mask_text(row.key, today=at.date()), "state": state_of(row, at)}
