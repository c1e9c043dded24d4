"""Events, checkpoints and proofs (API.md, "Governance")."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from rest_framework.request import Request

from api.base import HubView, parsed
from api.instants import read_instant
from api.openapi import audit as shapes
from api.openapi.audit import VerifyRequest
from api.paging import PAGE_FIELDS, page_asked, page_of
from api.rendering import Response
from api.repeating import read_again, repeatable
from api.views.jobs import accepted
from audit.events import Outcome
from audit.listing import find_events, open_event
from audit.presenting import present_event
from audit.querysets import EventFilter
from audit.sealing.merkle import hash_leaf
from audit.verifying.proving import (
    find_checkpoints,
    present_checkpoint,
    prove_event,
    prove_growth,
)
from audit.verifying.running import Span, ask_to_verify
from memories.namespaces import check_prefix, encode, parse_dotted
from memoryhub.errors import Invalid
from tenants.authorising import require
from tenants.roles import Action

FILTERS = ("actor", "action", "outcome", "target", "subject", "namespace", "from", "to")


class EventsView(HubView):
    """Every change, and every read that returned content."""

    query_fields: ClassVar = (*FILTERS, *PAGE_FIELDS)

    @shapes.list_events
    def get(self, request: Request) -> Response:
        rows = find_events(read_filter(request))
        return Response(page_of(rows, page_asked(request), by=("at", "id"), present=present_event))


class EventView(HubView):
    """One event, with its proof once it is sealed."""

    @shapes.get_event
    def get(self, request: Request, event_id: UUID) -> Response:
        event = open_event(event_id)
        proof = prove_event(event)
        shown: dict[str, Any] = {
            **present_event(event),
            "payload": event.payload,
            "leaf": hash_leaf(event.payload.encode()).hex() if proof is None else proof.leaf.hex(),
            "proof": None if proof is None else proof.document(),
        }
        return Response(shown)


class CheckpointsView(HubView):
    """What was signed of the tenant's log."""

    query_fields: ClassVar = PAGE_FIELDS

    @shapes.list_checkpoints
    def get(self, request: Request) -> Response:
        rows = find_checkpoints()
        by = ("at", "epoch", "size")
        return Response(page_of(rows, page_asked(request), by=by, present=present_checkpoint))


class ConsistencyView(HubView):
    """That the log only grew."""

    query_fields: ClassVar = ("epoch", "from", "to")

    @shapes.prove_consistency
    def get(self, request: Request) -> Response:
        epoch, old, new = (_number(request, name) for name in ("epoch", "from", "to"))
        return Response(prove_growth(epoch, old, new))


class VerifyView(HubView):
    """Verify the log, as a job."""

    @shapes.verify_log
    @repeatable(read_again)
    def post(self, request: Request) -> Response:
        require(Action.EXPORT_EVENTS)
        asked = parsed(VerifyRequest, request)
        span = Span(read_instant(asked.since, path="from"), read_instant(asked.until, path="to"))
        return accepted(ask_to_verify(span))


def _number(request: Request, name: str) -> int:
    given = request.query_params.get(name, "")
    if not (given.isascii() and given.isdecimal()):
        raise Invalid.at(name, "invalid_type", "Give a whole number.")
    if len(given) > 18:
        raise Invalid.at(name, "out_of_range", "That is more than a log can hold.")
    return int(given)


def read_filter(request: Request) -> EventFilter:
    """The filters of the query string. Raises Invalid."""
    given = request.query_params
    outcome = given.get("outcome", "")
    if outcome and outcome not in set(Outcome):
        known = ", ".join(Outcome)
        raise Invalid.at("outcome", "unknown_value", f"The outcomes are: {known}.")
    namespace = given.get("namespace", "")
    labels = check_prefix(parse_dotted(namespace), path="namespace")
    return EventFilter(
        actor=given.get("actor", ""),
        actions=(given["action"],) if given.get("action") else (),
        outcomes=(outcome,) if outcome else (),
        target=given.get("target", ""),
        subject=given.get("subject", ""),
        namespace=encode(labels) if namespace else None,
        since=read_instant(given.get("from"), path="from"),
        until=read_instant(given.get("to"), path="to"),
    )
