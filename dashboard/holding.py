"""What the pages of legal holds show, made ready for their templates."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from dashboard.failing import say_fault
from dashboard.hold_forms import HoldForm
from memories import holding
from memories.hold_presenting import show_subjects
from memories.holding import Held, HeldMemory, count_open
from memories.presenting import state_of
from memories.rows import StoredMemory
from memoryhub.errors import HubError
from tenants.context import now
from tenants.paging import Mark, cut_page, read_cursor

PAGE = 25

CAUSE_NAMES: dict[str, str | Promise] = {
    "erasure": _("an approved erasure"),
    "request": _("a request"),
    "restriction": _("a restriction"),
    "cap": _("a cap"),
    "expire": _("a rule"),
    "ttl": _("its lifetime"),
    "delete": _("a deletion"),
    "versions": _("the limit of versions"),
    "anonymise": _("masking by a rule"),
    "redact": _("a redaction"),
    "quarantine": _("a decision about quarantine"),
    "original": _("the end of an original"),
}


def describe_hold(held: Held) -> dict[str, Any]:
    """One hold: its row, scope and counts."""
    row = held.row
    return {
        "row": row, "memories": held.memories, "prevented": held.prevented,
        "subjects": show_subjects(row.subjects), "ids": held.ids,
    }  # fmt: skip


def describe_preview(form: HoldForm | None) -> dict[str, Any]:
    """What a form's scope covers; nothing for an empty one, a sentence for one that is refused."""
    if form is None:
        return {"preview": None}
    form.is_valid()
    scope = form.scope()
    if not (scope.subjects or scope.namespaces or scope.ids):
        return {"preview": None}
    try:
        preview = holding.preview_hold(scope)
    except HubError as error:
        faults = getattr(error, "errors", ())
        code, detail = (faults[0].code, faults[0].detail) if faults else (error.code, error.detail)
        return {"preview": None, "preview_fault": say_fault(code, detail)}
    lines = [(row, state_of(row, preview.at)) for row in preview.samples[:8]]
    return {"preview": preview.extent, "groups": preview.groups[:8], "samples": lines}


def list_page(hold_id: UUID, cursor: str | None) -> dict[str, Any]:
    """One page of what a hold covers."""
    after = read_cursor(cursor)
    with transaction.atomic():
        before = None if after is None else (after.at, after.id)
        found = holding.list_held(hold_id, before=before, limit=PAGE)
        at = now()
    cut = cut_page(found, limit=PAGE, mark=_mark)
    lines = [
        {
            "row": one.row, "state": state_of(one.row, at), "prevention": one.prevention,
            "cause": _cause(one),
        }
        for one in cut.items
    ]  # fmt: skip
    return {"lines": lines, "next": cut.next}


def _mark(one: HeldMemory) -> Mark:
    return Mark(one.row.created_at, one.row.id)


def _cause(one: HeldMemory) -> str | Promise:
    return "" if one.prevention is None else CAUSE_NAMES.get(one.prevention.cause, "")


def summarise_holds() -> dict[str, int]:
    """For the overview: holds that stand, and those whose release waits for a second person."""
    standing, waiting = count_open()
    return {"standing": standing, "waiting": waiting}


def holds_over(row: StoredMemory) -> list[dict[str, Any]]:
    """The open holds over a memory, for its page."""
    return [
        {"id": one.id, "matter": one.matter, "placed_at": one.placed_at}
        for one in holding.list_over(row)
    ]
