"""The settings of a tenant, and how often which namespace is swept."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from audit.models import Event
from audit.retaining import USUAL_MONTHS
from dashboard.figures import keep_large
from dashboard.forms import NewSweepScopeForm, SettingsForm, SweepScopeForm
from dashboard.keeping import take_kept_form
from dashboard.pages import page
from memories.embedding.profiles import profile_of
from memories.embedding.recognising import changed_since
from memories.namespaces import encode, parse_path
from memories.quotas import read_use
from memories.redating import change_settings
from memories.scopes import (
    add_scope,
    change_scope,
    list_runs,
    list_scopes,
    open_scope,
    remove_scope,
    run_sweep,
)
from memoryhub.errors import HubError
from tenants.access.configuring import list_zones, open_settings, parse_settings
from tenants.roles import Action
from tenants.snapshots import tenant_settings

FORM = ("GET", "HEAD", "POST")
RUNS_SHOWN = 12


@page(Action.ADMINISTER, methods=FORM)
def settings(request: HttpRequest) -> HttpResponse:
    """Lifetimes, trash, notice, search; changed with the version they were read at."""
    kept = take_kept_form(request)
    form = SettingsForm.of(open_settings(), request.POST or kept)
    count_asked: int | None = None
    if request.method == "POST" and form.is_valid():
        try:
            change_settings(parse_settings(form.change()))
        except HubError as error:
            count_asked = error.facts.get("count")
            if count_asked is None:
                form.add_fault(error)
        else:
            messages.success(request, _("The settings were changed."))
            return redirect("settings")
    profile = profile_of(tenant_settings())
    context: dict[str, Any] = {
        "form": form,
        "zones": list_zones(),
        "profile": profile,
        "changed_since": changed_since(profile),
        "was_kept": kept is not None,
        "count_asked": count_asked,
        "log": {"months": USUAL_MONTHS, "oldest": _oldest_event()},
        "use": keep_large("use", read_use, size=lambda found: found["memories"].used),
    }
    return render(
        request, "hub/settings.html", context, status=422 if request.method == "POST" else 200
    )


def _oldest_event() -> datetime | None:
    """Since when the tenant's log reaches back."""
    with transaction.atomic():
        return Event.objects.order_by("at", "id").values_list("at", flat=True).first()


@page(Action.ADMINISTER, methods=FORM)
def sweeps(request: HttpRequest) -> HttpResponse:
    """Sweep scopes and the last sweeps; a POST adds a scope."""
    kept = take_kept_form(request)
    initial = {"interval_minutes": 60, "enabled": True}
    form = NewSweepScopeForm(request.POST or kept or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            add_scope(
                data["namespace_prefix"], interval_minutes=data["interval_minutes"],
                enabled=data["enabled"],
            )  # fmt: skip
        except HubError as error:
            form.add_fault(error)
        else:
            messages.success(request, _("The sweep scope was added."))
            return redirect("sweeps")
    context = {
        "form": form, "scopes": list_scopes(), "runs": list_runs(limit=RUNS_SHOWN),
        "was_kept": kept is not None,
    }  # fmt: skip
    return render(
        request, "hub/sweeps.html", context, status=422 if request.method == "POST" else 200
    )


@page(Action.ADMINISTER, methods=FORM)
def sweep_scope(request: HttpRequest, scope_id: UUID) -> HttpResponse:
    """Change a scope's rhythm, or pause it."""
    scope = open_scope(scope_id)
    kept = take_kept_form(request)
    initial = {"interval_minutes": f"{scope.row.interval_minutes:g}", "enabled": scope.row.enabled}
    form = SweepScopeForm(request.POST or kept or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        change_scope(scope_id, interval_minutes=data["interval_minutes"], enabled=data["enabled"])
        messages.success(request, _("The sweep scope was changed."))
        return redirect("sweeps")
    context = {"form": form, "scope": scope, "was_kept": kept is not None}
    return render(
        request, "hub/sweep_scope.html", context, status=422 if request.method == "POST" else 200
    )


@page(Action.ADMINISTER, methods=("POST",))
def drop_sweep_scope(request: HttpRequest, scope_id: UUID) -> HttpResponse:
    """What lies below is swept with the next broader scope."""
    remove_scope(open_scope(scope_id).row.id)
    messages.success(request, _("The sweep scope was removed."))
    return redirect("sweeps")


@page(Action.ADMINISTER, methods=("POST",))
def sweep(request: HttpRequest) -> HttpResponse:
    """Count what a sweep would do, or sweep now."""
    text = request.POST.get("prefix", "").strip().strip("/")
    is_rehearsal = request.POST.get("do") != "sweep"
    run = run_sweep(encode(parse_path(text)) if text else "", dry_run=is_rehearsal)
    hidden, purged = run.counts.get("hidden", 0), run.counts.get("purged", 0)
    facts = {"hidden": hidden, "purged": purged}
    if is_rehearsal:
        said = _("A sweep would take %(hidden)s out of use and destroy %(purged)s.") % facts
    else:
        said = _("The sweep took %(hidden)s out of use and destroyed %(purged)s.") % facts
    messages.info(request, said)
    return redirect("sweeps")
