"""Finding requests, and the person each is about."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from django.db import transaction

from audit.recording import Facts, Target, record
from erasure.models import RequestedMemory, SubjectRequest
from memoryhub.errors import Conflict, Missing
from policies.requests.steps import RequestFacts, RequestKind, RequestState
from privacy.subjects import KnownSubject, find_subject
from tenants.authorising import require
from tenants.context import now
from tenants.roles import Action


def find_request(identifier: UUID) -> SubjectRequest:
    """The request, for whoever may see figures. Raises Missing."""
    require(Action.SEE_FIGURES)
    with transaction.atomic(savepoint=False):
        return _required(SubjectRequest.objects.all().with_id(identifier).first())


def lock_request(identifier: UUID) -> SubjectRequest:
    """The request, locked until the transaction ends. Raises Missing."""
    return _required(SubjectRequest.objects.select_for_update().filter(id=identifier).first())


def _required(request: SubjectRequest | None) -> SubjectRequest:
    if request is None:
        raise Missing("There is no such request.")
    return request


def facts_of(request: SubjectRequest) -> RequestFacts:
    """As the steps judge it."""
    is_restricting = request.kind == RequestKind.RESTRICTION and request.outcome == "restricted"
    return RequestFacts(
        kind=RequestKind(request.kind),
        state=RequestState(request.state),
        is_scoped=request.scope is not None,
        is_extended=request.extension is not None,
        is_restricting=is_restricting,
        hands=tuple(request.hands),
    )


def subject_of(request: SubjectRequest) -> KnownSubject:
    """Whom it is about. Raises Conflict `subject_erased` once the pseudonym leads nowhere."""
    known = find_subject(request.pseudonym)
    if known is None:
        raise Conflict("The person of this request was erased.", code="subject_erased")
    return known


def read_texts(request: SubjectRequest) -> dict[str, Any]:
    """Its free texts; {} when there are none, or when the key to them was destroyed."""
    known = find_subject(request.pseudonym)
    if known is None or request.texts is None:
        return {}
    texts: dict[str, Any] = json.loads(known.open(bytes(request.texts), str(request.id)))
    return texts


def add_texts(request: SubjectRequest, known: KnownSubject, **texts: Any) -> None:
    """Put free texts beside those that are there, sealed under the person's key."""
    merged = {**read_texts(request), **texts}
    request.texts = known.seal(json.dumps(merged, ensure_ascii=False), str(request.id))


def memories_of(request: SubjectRequest) -> dict[UUID, str]:
    """Ids in its scope, each with what found it."""
    rows = RequestedMemory.objects.filter(request_id=request.id).order_by("memory_id")
    return dict(rows.values_list("memory_id", "found_by"))


def excluded_from(request: SubjectRequest) -> dict[UUID, str]:
    """Ids that a decision leaves out, each with its ground."""
    return {
        UUID(memory): one["ground"] for one in request.exclusions for memory in one["memory_ids"]
    }


def put_into_scope(request: SubjectRequest, found: dict[UUID, str]) -> None:
    """Memories of the request beside those that are there already."""
    RequestedMemory.objects.bulk_create(
        [
            RequestedMemory(request_id=request.id, memory_id=memory, found_by=how)
            for memory, how in found.items()
        ],
        ignore_conflicts=True,
        batch_size=1000,
    )


def note_step(action: str, request: SubjectRequest, **facts: Any) -> None:
    """The event of a step: the person by pseudonym, no free text."""
    counts = {name: value for name, value in facts.items() if isinstance(value, int)}
    links = {name: value for name, value in facts.items() if name not in counts}
    record(
        action,
        Target("request", str(request.id)),
        Facts(subjects=(request.pseudonym,), counts=counts, links={"kind": request.kind, **links}),
    )


def close_request(request: SubjectRequest, outcome: str) -> None:
    """Over, with this outcome; saved and recorded."""
    request.state, request.outcome = RequestState.CLOSED.value, outcome
    request.closed_at = now()
    request.save()
    note_step("request.close", request, outcome=outcome)
