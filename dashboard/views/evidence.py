"""Evidence in few clicks: exports, reports, what an agent knew, and the jobs that make them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID
from zoneinfo import ZoneInfo

from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from audit.jobs import OVER, cancel_job, find_job, list_jobs, require_file
from audit.models import Job
from audit.presenting import say
from dashboard import addresses
from dashboard.forms import KnownForm, ReportForm
from dashboard.pages import page
from dashboard.shell import language_of
from dashboard.views.audit import read_filter
from dashboard.views.memories import read_wanted
from evidence import exporting
from evidence.exporting import ask_for_export
from evidence.filters import show_events_filter, show_memories_filter
from evidence.knowing import list_agents, read_known
from evidence.lists import LISTS
from evidence.report import writing
from evidence.report.writing import ask_for_report
from memories.namespaces import decode, encode, parse_path
from memoryhub.errors import HubError, Missing
from tenants.clock import wall_clock
from tenants.roles import Action
from tenants.snapshots import tenant_settings

FORM = ("GET", "HEAD", "POST")
POST = ("POST",)
SHOWN = 50
KNOWN_SHOWN = 50

JOB_NAMES: dict[str, str | Promise] = {
    exporting.KIND: _("Export of a list"),
    writing.KIND: _("Report"),
    "audit.verify": _("Verification of the log"),
    "audit.bundle": _("Bundle of the log"),
    "rules.simulate": _("Simulation of rules"),
    "namespace.delete": _("Deletion of a namespace"),
    "dates.redate": _("New dates after a change of settings"),
    "rules.settle": _("New dates after an activation"),
    "holds.redate": _("New dates under a hold"),
    "event.apply": _("A business event"),
    "calendar.build": _("The calendar of forgetting"),
    "recall": _("Measurement of recall"),
    "keys.rotate": _("Rotation of the keys"),
    "request.access": _("Access package"),
    "request.scope": _("Scope of a request"),
    "request.erase": _("Erasure"),
    "request.restrict": _("Restriction"),
}


@page(Action.EXPORT_EVENTS, methods=FORM)
def reports(request: HttpRequest) -> HttpResponse:
    """Ask for the report of a period; the reports there are."""
    today = timezone.localdate()
    initial = {
        "since": today - timedelta(days=30), "until": today, "lang": language_of(request),
    }  # fmt: skip
    form = ReportForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid():
        zone = ZoneInfo(tenant_settings().timezone)
        data = form.cleaned_data
        since = datetime.combine(data["since"], datetime.min.time(), zone)
        until = datetime.combine(data["until"] + timedelta(days=1), datetime.min.time(), zone)
        try:
            asked = ask_for_report(since=since, until=until, lang=data["lang"])
        except HubError as error:
            form.add_fault(error)
        else:
            return redirect("job", asked.id)
    rows = list_jobs(kind=writing.KIND, limit=SHOWN)
    return render(
        request, "hub/evidence/reports.html", {"form": form, "jobs": rows},
        status=422 if form.errors else 200,
    )  # fmt: skip


@page(Action.READ_EVENTS)
def known(request: HttpRequest) -> HttpResponse:
    """What an agent could recall at an instant."""
    form = KnownForm(request.GET or None, agents=list_agents())
    context: dict[str, Any] = {"form": form}
    status = 200
    if request.GET and form.is_valid():
        data = form.cleaned_data
        try:
            namespace = encode(parse_path(data["ns"].strip().strip("/"))) if data["ns"] else ""
            found = read_known(
                data["agent"], data["at"], namespace=namespace, limit=KNOWN_SHOWN,
                after=addresses.read_identifier(request.GET.get("cursor", "")),
            )  # fmt: skip
        except HubError as error:
            form.add_fault(error)
            status = 422
        else:
            language = language_of(request)
            context |= {
                "found": found,
                "items": [(one, "/".join(decode(one.namespace))) for one in found.items],
                "reads": [(event, say(event, lang=language)) for event in found.reads],
            }
    elif form.errors:
        status = 422
    return render(request, "hub/evidence/known.html", context, status=status)


def _of_events(request: HttpRequest) -> Mapping[str, Any]:
    return show_events_filter(read_filter(request))


def _of_memories(request: HttpRequest) -> Mapping[str, Any]:
    return show_memories_filter(read_wanted(request, wall_clock()))


_FILTERS: dict[str, Callable[[HttpRequest], Mapping[str, Any]]] = {
    "events": _of_events,
    "memories": _of_memories,
}
"""Lists whose page filters by its address: the export takes the same address."""


@page(Action.SEE_FIGURES, methods=POST)
def export(request: HttpRequest, name: str) -> HttpResponse:
    """Export exactly what the list shows under the filters of the address."""
    if name not in LISTS:
        raise Missing
    format: Literal["csv", "jsonl"] = "jsonl" if request.POST.get("format") == "jsonl" else "csv"
    given = _FILTERS[name](request) if name in _FILTERS else {}
    return redirect("job", ask_for_export(name, given, format=format).id)


@page()
def jobs(request: HttpRequest) -> HttpResponse:
    """What runs in the background, and what it made."""
    rows = [(job, _name_of(job)) for job in list_jobs(limit=SHOWN)]
    return render(request, "hub/evidence/jobs.html", {"jobs": rows})


@page()
def job(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """One job with its progress; htmx asks for the part `progress` again until it is over."""
    found = find_job(job_id)
    context = {"job": found, "name": _name_of(found), "is_over": found.state in OVER}
    if request.htmx:  # type: ignore[attr-defined]
        if found.state in OVER:
            return HttpResponse(status=204, headers={"HX-Refresh": "true"})
        return render(request, "hub/evidence/job.html#progress", context)
    return render(request, "hub/evidence/job.html", context)


@page(methods=POST)
def cancel(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """Ask it to stop."""
    cancel_job(job_id)
    return redirect("job", job_id)


@page()
def job_file(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """The file that it made."""
    found = require_file(job_id)
    return FileResponse(  # type: ignore[return-value]
        found.path.open("rb"), as_attachment=True, filename=found.name,
        content_type=found.media_type,
    )  # fmt: skip


@page()
def manifest(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """The signed manifest of an export, as the offline verifier takes it."""
    found = find_job(job_id)
    result = found.result or {}
    if "manifest" not in result:
        raise Missing("This job has no manifest.")
    text = json.dumps(
        {name: result[name] for name in ("manifest", "note", "key")}, ensure_ascii=False, indent=2
    )
    answer = HttpResponse(text, content_type="application/json")
    answer["Content-Disposition"] = f'attachment; filename="{found.file_name}.manifest.json"'
    return answer


def _name_of(job: Job) -> str | Promise:
    name = JOB_NAMES.get(job.kind, job.kind)
    return f"{name}: {job.params['list']}" if job.kind == exporting.KIND else name
