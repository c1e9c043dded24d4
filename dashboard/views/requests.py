"""Subject requests: the board, intake, one request with its steps, package and certificate."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from dashboard.asking import (
    GROUND_NAMES,
    describe,
    ids_in,
    is_erasure,
    name_grounds,
    read_board,
)
from dashboard.failing import say_fault
from dashboard.forms import HubForm
from dashboard.keeping import take_kept_form
from dashboard.pages import page
from dashboard.request_forms import FORMS, RequestForm
from dashboard.shell import language_of
from erasure.certifying import read_certificate, show_certificate
from erasure.documents import Lang, store_name
from erasure.finding import find_request
from erasure.packaging import take_package
from erasure.presenting import list_memories, open_request_of
from erasure.previewing import preview_request
from erasure.scoping import compute_scope
from erasure.signing import as_text
from erasure.stepping import (
    approve_request,
    decide_request,
    exclude_memories,
    extend_request,
    open_request,
    verify_identity,
    withdraw_request,
)
from memories.namespaces import encode
from memoryhub.errors import HubError, Missing
from tenants.clock import wall_clock
from tenants.roles import Action

FORM = ("GET", "HEAD", "POST")
MEMORIES_SHOWN = 200


@page(Action.SEE_FIGURES)
def requests(request: HttpRequest) -> HttpResponse:
    """The board: open requests by step, the ones due first on top."""
    return render(request, "hub/requests/board.html", read_board(wall_clock()))


@page(Action.OPEN_REQUEST, methods=FORM)
def new_request(request: HttpRequest) -> HttpResponse:
    """The intake."""
    kept = take_kept_form(request)
    form = RequestForm(request.POST or kept or None, initial={"kind": "erasure"})
    if request.method == "POST" and form.is_valid():
        facts = form.cleaned_data
        try:
            made = open_request(
                subject=facts["subject"], kind=facts["kind"], reason=facts["reason"],
                received_at=_beginning_of(facts["received_at"]),
            )  # fmt: skip
        except HubError as error:
            form.add_fault(error)
        else:
            messages.success(request, _("The request was opened."))
            return redirect("request", request_id=made.id)
    context = {"form": form, "was_kept": kept is not None}
    return render(request, "hub/requests/new.html", context, status=_status(request))


@page(Action.SEE_FIGURES)
def request_page(request: HttpRequest, request_id: UUID) -> HttpResponse:
    """One request; htmx asks for the part `progress` again while a job is at it."""
    row = find_request(request_id)
    if request.htmx:  # type: ignore[attr-defined]
        context = describe(row, {}, wall_clock())
        if not context["is_busy"]:
            return HttpResponse(status=204, headers={"HX-Refresh": "true"})
        return render(request, "hub/requests/request.html#progress", context)
    context = describe(row, open_request_of(request_id), wall_clock())
    memories = list_memories(request_id)
    lang = language_of(request)
    stores = (row.result or {}).get("stores", [])
    context |= {
        "memories": [
            {**one, "path": encode(one["namespace"]), "is_out": one["id"] in context["excluded"]}
            for one in memories[:MEMORIES_SHOWN]
        ],
        "more": max(len(memories) - MEMORIES_SHOWN, 0), "total": len(memories),
        "stores": [
            {**line, "name": store_name(line["store"], lang), "why": name_grounds(line["ground"])}
            for line in stores if line["found"]
        ],
        "exclusions": [
            {**one, "why": GROUND_NAMES.get(one["ground"], one["ground"])}
            for one in context["shown"]["exclusions"]
        ],
        "probe": (row.result or {}).get("probe"),
    }  # fmt: skip
    return render(request, "hub/requests/request.html", context)


@page(Action.STEP_REQUEST, methods=FORM)
def request_step(request: HttpRequest, request_id: UUID, step: str) -> HttpResponse:
    """What a step means first, then its form; a POST takes it."""
    row = find_request(request_id)
    if step == "scope":
        if request.method == "POST":
            compute_scope(request_id)
            messages.info(request, _("The search has begun."))
        return redirect("request", request_id=request_id)
    if step not in FORMS:
        raise Missing("There is no such step.")
    kept = take_kept_form(request)
    form = FORMS[step](request.POST or kept or None)
    chosen = ids_in((request.POST or request.GET).getlist("memory"))
    if request.method == "POST" and form.is_valid():
        try:
            said = _STEPS[step](request_id, form.cleaned_data, chosen)
        except HubError as error:
            _say_refusal(form, error)
        else:
            messages.success(request, said)
            return redirect("request", request_id=request_id)
    preview = preview_request(request_id)
    context: dict[str, Any] = {
        "form": form, "step": step, "was_kept": kept is not None, "chosen": chosen,
        "is_erasure": is_erasure(row), "preview": preview,
        "stays": [(name_grounds(ground), n) for ground, n in sorted(preview.stays.items())],
        **describe(row, {}, wall_clock()),
    }  # fmt: skip
    return render(request, "hub/requests/step.html", context, status=_status(request))


def _say_refusal(form: HubForm, error: HubError) -> None:
    words = {
        "second_person_required": _("You had a hand in it, so another officer has to approve it."),
        "already_extended": _("It was extended once; the law knows no second time."),
    }
    if error.code in words:
        form.add_error(None, words[error.code])
    elif error.code == "invalid_state":
        form.add_error(None, _("Somebody was faster: the request is at another step now."))
    else:
        form.add_fault(error)
        if not form.errors:
            form.add_error(None, str(say_fault(error.code, error.detail)))


def _identify(request_id: UUID, facts: dict[str, Any], chosen: list[UUID]) -> str:
    verify_identity(request_id, method=facts["method"], reference=facts["reference"])
    return _("The identity is verified.")


def _exclude(request_id: UUID, facts: dict[str, Any], chosen: list[UUID]) -> str:
    exclude_memories(request_id, memory_ids=chosen, ground=facts["ground"], text=facts["text"])
    return _("They stay.")


def _decide(request_id: UUID, facts: dict[str, Any], chosen: list[UUID]) -> str:
    is_granted = facts["grant"] == "yes"
    decide_request(request_id, grant=is_granted, reason=facts["reason"])
    if is_granted:
        return _("Granted. Another officer has to approve it now.")
    return _("Refused. What it restricted is in use again.")


def _approve(request_id: UUID, facts: dict[str, Any], chosen: list[UUID]) -> str:
    approve_request(request_id, reason=facts["reason"])
    return _("Approved. It is being carried out.")


def _extend(request_id: UUID, facts: dict[str, Any], chosen: list[UUID]) -> str:
    extend_request(request_id, reason=facts["reason"])
    return _("It is due a month later.")


def _withdraw(request_id: UUID, facts: dict[str, Any], chosen: list[UUID]) -> str:
    withdraw_request(request_id, reason=facts["reason"])
    return _("Taken back. What it restricted is in use again.")


_STEPS: dict[str, Callable[[UUID, dict[str, Any], list[UUID]], str]] = {
    "identity": _identify, "exclusions": _exclude, "decide": _decide, "approve": _approve,
    "extend": _extend, "withdraw": _withdraw,
}  # fmt: skip


@page(Action.STEP_REQUEST)
def request_package(request: HttpRequest, request_id: UUID) -> HttpResponse:
    """What an access request gives, as a ZIP in the language asked for."""
    lang: Lang = "zh" if request.GET.get("lang") == "zh" else "en"
    answer = HttpResponse(take_package(request_id, lang), content_type="application/zip")
    answer["Content-Disposition"] = f'attachment; filename="personal-data-{lang}.zip"'
    return answer


@page(Action.SEE_FIGURES)
def certificate(request: HttpRequest, request_id: UUID) -> HttpResponse:
    """The certificate: a page, or with `as` a file (json, html)."""
    document, wanted = read_certificate(request_id), request.GET.get("as")
    if wanted == "json":
        return _attached(as_text(document), "application/json", "certificate.json")
    if wanted == "html":
        text = show_certificate(request_id, language_of(request))
        return _attached(text, "text/html; charset=utf-8", "certificate.html")
    lang = language_of(request)
    stores = [
        {**line, "name": store_name(line["store"], lang), "why": name_grounds(line["ground"])}
        for line in document["stores"]
    ]
    last = document["backups"]["last_expires_at"]
    context = {
        "document": document, "stores": stores, "request_id": request_id,
        "kept": [(name_grounds(one["ground"]), one["memories"]) for one in document["kept"]],
        "completed_at": datetime.fromisoformat(document["completed_at"]),
        "approved_at": datetime.fromisoformat(document["approved_at"]),
        "copies_end": datetime.fromisoformat(last) if last else None,
    }  # fmt: skip
    return render(request, "hub/requests/certificate.html", context)


def _attached(text: str, kind: str, name: str) -> HttpResponse:
    answer = HttpResponse(text, content_type=kind)
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _beginning_of(day: Any) -> datetime | None:
    """A day in the tenant's zone as the instant it began; today counts as now."""
    if day is None or day == timezone.localdate():
        return None
    return timezone.make_aware(datetime.combine(day, time.min))


def _status(request: HttpRequest) -> int:
    return 422 if request.method == "POST" else 200
