"""Requests as callers get them (API.md, Governance)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction

from erasure import erasing  # noqa: F401 - its kind of job, wherever requests are shown
from erasure.finding import find_request, memories_of, note_step, read_texts
from erasure.models import SubjectRequest
from erasure.querysets import RequestQuerySet
from memories.namespaces import covers, decode
from memories.presenting import present_retention
from memories.statements.lookup import find_by_ids
from tenants.actors import Actor
from tenants.authorising import require
from tenants.context import current_actor, now
from tenants.roles import Action, allows

RESULT = ("stores", "probe")


def list_requests() -> RequestQuerySet:
    """All requests of the tenant, for whoever may see figures."""
    require(Action.SEE_FIGURES)
    rows: RequestQuerySet = SubjectRequest.objects.all()
    return rows


def may_read_texts(actor: Actor) -> bool:
    """Free texts are about a person: for people who may see values."""
    return actor.is_person and allows(actor, Action.READ_VALUES)


def open_request_of(identifier: UUID) -> dict[str, Any]:
    """One request in full; what was written about the person for those who may read it."""
    with transaction.atomic():
        return present_request(find_request(identifier), full=True)


def present_request(request: SubjectRequest, *, full: bool = False) -> dict[str, Any]:
    """The request. `full`: with its texts, which is a read that leaves an event."""
    texts: dict[str, Any] = {}
    if full and may_read_texts(current_actor()):
        texts = read_texts(request)
        if texts:
            note_step("request.read", request)
    result = request.result
    if result is not None:
        result = {name: result[name] for name in RESULT} if "stores" in result else None
    return {
        "id": request.id, "kind": request.kind, "subject": request.pseudonym,
        "state": request.state, "outcome": request.outcome, "reason": texts.get("reason"),
        "received_at": request.received_at, "due_at": request.due_at,
        "extension": _with(request.extension, reason=texts.get("extension")),
        "identity": _with(
            request.identity, method=texts.get("method"), reference=texts.get("reference")
        ),
        "scope": request.scope,
        "exclusions": [
            {**one, "text": texts.get(f"exclusion {number}")}
            for number, one in enumerate(request.exclusions)
        ],
        "decision": _with(request.decision, reason=texts.get("decision")),
        "approval": _with(request.approval, reason=texts.get("approval")),
        "result": result, "job": request.job, "created_at": request.created_at,
        "created_by": request.created_by_name, "closed_at": request.closed_at,
    }  # fmt: skip


def _with(facts: dict[str, Any] | None, **texts: Any) -> dict[str, Any] | None:
    return None if facts is None else {**facts, **texts}


def list_memories(identifier: UUID) -> list[dict[str, Any]]:
    """What is in its scope and still stored: where, in which state, by what it was found.

    No values: who may see them opens the memory. A person sees what lies inside their prefixes.
    """
    actor = require(Action.SEE_FIGURES)
    with transaction.atomic():
        request, at = find_request(identifier), now()
        ways = memories_of(request)
        rows = find_by_ids(list(ways)).values()
        mine = [row for row in rows if covers(actor.prefixes, row.namespace)]
        return [
            {
                "id": row.id, "namespace": list(decode(row.namespace)), "kind": row.kind,
                "tier": row.tier, "found_by": ways[row.id], "about": len(row.subjects),
                "retention": present_retention(row, at),
            }
            for row in sorted(mine, key=lambda row: row.id, reverse=True)
        ]  # fmt: skip
