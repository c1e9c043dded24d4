"""Rules on their way into force: simulated, approved by another person, activated."""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit.jobs import OVER, cancel_job
from audit.models import Job
from dashboard import addresses
from dashboard.keeping import take_kept_form
from dashboard.pages import page
from dashboard.rehearsing import present_simulation
from dashboard.rule_forms import ActivationForm, ApprovalForm
from dashboard.ruling import compare_versions
from dashboard.shell import language_of
from dashboard.views.retention import job_of, open_version, standing_of
from memories.activating import activate_rules
from memories.masking import mask_text
from memories.namespaces import check_prefix, decode, encode
from memories.rehearsed import list_rehearsed
from memories.staging import simulate_rules
from memories.statements.moving import Effect
from memoryhub.errors import HubError, Invalid, Missing
from policies.approving import approve_rules
from policies.versions import find_active
from tenants.roles import Action
from tenants.snapshots import tenant_settings

FORM = ("GET", "HEAD", "POST")
POST = ("POST",)

REFUSALS: dict[str, tuple[str | Promise, str | Promise]] = {
    "simulation_stale": (
        gettext_lazy("The simulation is stale"),
        gettext_lazy(
            "It is older than a day, or rules or settings changed since, or another version was "
            "simulated after it. Simulate again: then approvals stay, and you can activate."
        ),
    ),
    "data_moved": (
        gettext_lazy("Too much has been written since the simulation"),
        gettext_lazy("Its counts are no longer true. Simulate again, then activate soon after."),
    ),
    "confirm_count_required": (
        gettext_lazy("Type the count"),
        gettext_lazy("So many memories leave use that the number has to be typed, exactly."),
    ),
    "case_failed": (
        gettext_lazy("An example of the set fails"),
        gettext_lazy("Correct the rules, or the example if it expects the wrong thing."),
    ),
    "second_person_required": (
        gettext_lazy("It takes another person"),
        gettext_lazy("Whoever wrote these rules cannot approve or activate them. Ask a colleague."),
    ),
    "rule_locked": (
        gettext_lazy("A locked rule would become looser"),
        gettext_lazy("Locked rules only become stricter. Set it back as it is in force."),
    ),
    "invalid_state": (
        gettext_lazy("Not possible in this state"),
        gettext_lazy("A step is missing or somebody was faster. Look at the steps above."),
    ),
}


@page(Action.SEE_FIGURES)
def simulation(request: HttpRequest, n: int) -> HttpResponse:
    """The result of the simulation, or how far it is; htmx asks for the part `progress` again."""
    with transaction.atomic():
        version = open_version(n)
        context = standing_of(version, find_active())
    if request.htmx:  # type: ignore[attr-defined]
        if _is_over(context["job"]):
            return HttpResponse(status=204, headers={"HX-Refresh": "true"})
        return render(request, "hub/retention/simulation.html#progress", context)
    context |= present_simulation(version, language_of(request))
    return render(request, "hub/retention/simulation.html", context)


EFFECTS: dict[str, str | Promise] = {
    "hidden": gettext_lazy("Newly hidden"),
    "destroyed": gettext_lazy("Newly destroyed"),
    "longer": gettext_lazy("Kept longer"),
}


@page(Action.SEE_FIGURES)
def moved(request: HttpRequest, n: int) -> HttpResponse:
    """The memories behind the numbers of a simulation."""
    with transaction.atomic():
        version = open_version(n)
        context = standing_of(version, find_active())
    query = request.GET
    effect = addresses.chosen(query, "effect", EFFECTS, "hidden")
    text = query.get("ns", "").strip().strip("/")
    namespace = encode(check_prefix(decode(f"{text}/"), path="ns")) if text else ""
    found = list_rehearsed(
        n, cast("Effect", effect), namespace=namespace, kind=query.get("kind", ""),
        after=_cursor(query.get("cursor", "")),
    )  # fmt: skip
    lines = [(row, mask_text(row.key, today=found.at.date())) for row in found.rows]
    context |= {
        "moved": found, "lines": lines, "effect": effect, "title": EFFECTS[effect],
        "effects": EFFECTS.items(), "ns": namespace,
    }  # fmt: skip
    return render(request, "hub/retention/moved.html", context)


def _cursor(text: str) -> UUID | None:
    if not text:
        return None
    try:
        return UUID(text)
    except ValueError:
        raise Invalid.at("cursor", "invalid_cursor", "Start from the beginning.") from None


@page(Action.DRAFT_RULES, methods=POST)
def begin_simulation(request: HttpRequest, n: int) -> HttpResponse:
    """Start it; it goes on when the page is left."""
    with transaction.atomic():
        version = open_version(n)
    simulate_rules(version.n)
    return redirect("simulation", n=n)


@page(Action.DRAFT_RULES, methods=POST)
def end_simulation(request: HttpRequest, n: int) -> HttpResponse:
    """Cancel it."""
    with transaction.atomic():
        identifier = job_of(open_version(n))
    if identifier is None:
        raise Missing("Nothing is being simulated.")
    cancel_job(identifier)
    messages.info(request, _("The simulation is cancelled. Nothing was changed."))
    return redirect("simulation", n=n)


@page(Action.APPROVE_RULES, methods=FORM)
def approve(request: HttpRequest, n: int) -> HttpResponse:
    """What it means first, then the reason."""
    kept = take_kept_form(request)
    form = ApprovalForm(request.POST or kept or None)
    if request.method == "POST" and form.is_valid():
        try:
            version = approve_rules(n, reason=form.cleaned_data["reason"])
        except HubError as error:
            return _refused(request, n, error, "approve", form)
        if version.state == version.State.APPROVED:
            messages.success(request, _("Approved. It can be activated now."))
        else:
            messages.success(request, _("Approved. One more person has to approve."))
        return redirect("rule_version", n=n)
    status = 422 if request.method == "POST" else 200
    return _decide(request, n, "approve", {"form": form, "was_kept": kept is not None}, status)


@page(Action.APPROVE_RULES, methods=FORM)
def activate(request: HttpRequest, n: int) -> HttpResponse:
    """The consequence first, the count where it is asked for, then the switch."""
    form = ActivationForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            activate_rules(n, confirm_count=form.cleaned_data["confirm_count"])
        except HubError as error:
            return _refused(request, n, error, "activate", form)
        messages.success(request, _("Rule set %(n)s is in force, in every process.") % {"n": n})
        return redirect("retention")
    status = 422 if request.method == "POST" else 200
    return _decide(request, n, "activate", {"form": form}, status)


def _decide(
    request: HttpRequest, n: int, what: str, more: dict[str, Any], status: int
) -> HttpResponse:
    with transaction.atomic():
        version, active = open_version(n), find_active()
        context = standing_of(version, active)
    lang = language_of(request)
    context |= {
        **present_simulation(version, lang), "compared": compare_versions(version, active, lang),
        "notice_days": tenant_settings().notice_days, **more,
    }  # fmt: skip
    return render(request, f"hub/retention/{what}.html", context, status=status)


def _refused(request: HttpRequest, n: int, error: HubError, what: str, form: Any) -> HttpResponse:
    """A refusal of a step: what stands against it, and what to do."""
    if isinstance(error, Missing) or error.code not in REFUSALS:
        raise error
    title, advice = REFUSALS[error.code]
    refusal = {"code": error.code, "title": title, "advice": advice, "facts": error.facts}
    return _decide(request, n, what, {"form": form, "refusal": refusal}, error.status)


def _is_over(job: Job | None) -> bool:
    return job is None or job.state in OVER
