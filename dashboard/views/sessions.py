"""Live sessions by pseudonym: what was kept of what is said, and what was skipped and why."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise

from conversations.watching import MOST, Watched, watch_sessions
from dashboard.pages import page
from dashboard.wording import SKIP_REASON_NAMES
from memoryhub.errors import Unavailable
from tenants.roles import Action


@page(Action.SEE_FIGURES)
def sessions(request: HttpRequest) -> HttpResponse:
    """Figures and the list; without Redis the page says so, and the rest of the hub goes on."""
    context: dict[str, Any] = {"most": MOST}
    try:
        watch = watch_sessions()
    except Unavailable:
        return render(request, "hub/sessions.html", {"unreachable": True}, status=503)
    context |= {
        "watch": watch,
        "lines": [_line(one) for one in watch.sessions],
        "skipped": _named(watch.skipped),
        "skipped_total": sum(count for _, count in watch.skipped),
    }
    return render(request, "hub/sessions.html", context)


def _line(one: Watched) -> dict[str, Any]:
    return {"one": one, "skipped": _named(one.skipped)}


def _named(skipped: Any) -> list[tuple[str | Promise, int]]:
    return [(SKIP_REASON_NAMES.get(reason, reason), count) for reason, count in skipped]
