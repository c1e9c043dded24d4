"""The engine room: processes and their rules, queues, lateness."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard.pages import page
from memories.overseeing import oversee_engine
from memories.scopes import list_runs
from tenants.roles import Action

RUNS_SHOWN = 10


@page(Action.SEE_USAGE)
def engine(request: HttpRequest) -> HttpResponse:
    """Who works, by which rule set, and what waits."""
    context = {"engine": oversee_engine(), "runs": list_runs(limit=RUNS_SHOWN)}
    return render(request, "hub/engine.html", context)
