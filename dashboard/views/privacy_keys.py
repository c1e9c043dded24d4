"""The keys that seal originals: versions, use, age, when one retires; rotating now."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from dashboard.pages import page
from memories.rotating import ask_for_rotation, count_sealed, find_rotation
from sealing.ring import KeyRefused
from sealing.rotating import MOST_USES, KeyState, RootState, list_keys, root_state
from tenants.clock import wall_clock
from tenants.context import current_tenant_id
from tenants.roles import Action


@page(Action.SEE_FIGURES)
def encryption_keys(request: HttpRequest) -> HttpResponse:
    """The tenant's versions, the newest first, and the installation's root."""
    try:
        keys = [_described(one) for one in reversed(list_keys(current_tenant_id()))]
        sealed = count_sealed()
    except KeyRefused:
        keys, sealed = [], 0
    context = {
        "keys": keys, "sealed": sealed, "running": find_rotation(), "root": _root(root_state()),
    }  # fmt: skip
    return render(request, "hub/privacy/keys.html", context)


@page(Action.ADMINISTER, methods=("POST",))
def rotate_keys(request: HttpRequest) -> HttpResponse:
    """Begin a rotation, and follow its job."""
    return redirect("job", ask_for_rotation().id)


def _described(one: KeyState) -> dict[str, Any]:
    made_at = _instant(one.made_at)
    return {
        "key": one, "made_at": made_at, "days": (wall_clock() - made_at).days,
        "share": 100 * one.uses / MOST_USES, "retires_at": _instant(one.retires_at),
    }  # fmt: skip


def _root(root: RootState) -> dict[str, Any]:
    made_at = None if root.made_at is None else _instant(root.made_at)
    return {"made_at": made_at, "is_rotating": root.is_rotating}


def _instant(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, tz=UTC)
