"""The steps that people take with a subject request, from its opening to its approval.

Each locks the request, asks the pure step machine, and writes the step with its event. What takes
long (a scope, carrying out) is a job. Free text about the person goes nowhere but into the sealed
texts of the request.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db import transaction

from audit.jobs import begin_job
from audit.models import Job
from erasure.finding import (
    add_texts,
    close_request,
    excluded_from,
    facts_of,
    lock_request,
    memories_of,
    note_step,
    subject_of,
)
from erasure.models import SubjectRequest
from memories.reasons import check_reason
from memories.requesting import mark_requested
from memories.statements.requested import ids_of_subject
from memoryhub.errors import Denied, Invalid
from policies.requests.deadlines import due_after, extend_due
from policies.requests.steps import (
    RequestKind,
    RequestState,
    Step,
    check_second_person,
    check_step,
)
from privacy.subjects import Restricting, find_subject, name_subject, restrict_subject
from tenants.actors import Actor
from tenants.authorising import require
from tenants.clock import instant_as_wire
from tenants.context import current_actor, now
from tenants.ids import uuid7
from tenants.models import Schedule
from tenants.roles import Action
from tenants.snapshots import tenant_settings

SCHEDULED = "erasure"
AGAIN_SECONDS = 60.0
SUBJECT_BYTES = 256
TEXT_CHARACTERS = 1000
JOBS = {
    RequestKind.ACCESS: "request.access",
    RequestKind.ERASURE: "request.erase",
    RequestKind.RESTRICTION: "request.restrict",
}


def open_request(
    *, subject: str, kind: str, reason: str, received_at: datetime | None = None
) -> SubjectRequest:
    """A new request of a person. Raises Invalid."""
    actor = require(Action.OPEN_REQUEST)
    _check_subject(subject)
    if kind not in set(RequestKind):
        raise Invalid.at("kind", "unknown_value", f"The kinds are: {', '.join(RequestKind)}.")
    reason = check_reason(reason)
    with transaction.atomic():
        received = received_at or now()
        if received > now():
            raise Invalid.at(
                "received_at", "out_of_range", "It was received, so not later than now."
            )
        known = name_subject(subject)
        request = SubjectRequest(
            kind=kind, pseudonym=known.pseudonym, received_at=received,
            due_at=due_after(received), created_at=now(), created_by=actor.id,
            created_by_name=actor.name, hands=[actor.id],
        )  # fmt: skip
        add_texts(request, known, reason=reason)
        request.save(force_insert=True)
        note_step("request.open", request)
    return request


def _check_subject(subject: str) -> None:
    if not subject.strip() or len(subject.encode("utf-8", "surrogatepass")) > SUBJECT_BYTES:
        detail = f"A subject has 1 to {SUBJECT_BYTES} bytes."
        raise Invalid.at("subject", "invalid_subject", detail)


def verify_identity(identifier: UUID, *, method: str, reference: str) -> SubjectRequest:
    """Who asks was verified. An erasure's memories leave use from this instant on."""
    actor = _require_person()
    method, reference = _checked("method", method), _checked("reference", reference)
    with transaction.atomic():
        request = lock_request(identifier)
        check_step(facts_of(request), Step.IDENTITY)
        known = subject_of(request)
        request.state, request.verified_at = RequestState.IDENTITY.value, now()
        request.identity = {"at": instant_as_wire(now()), "by": actor.name}
        add_texts(request, known, method=method, reference=reference)
        request.save()
        note_step("request.identity", request)
        ids: list[UUID] = []
        if request.kind == RequestKind.ERASURE:
            restrict_subject(known.subject, "erasure_verified_at", now())
            ids = ids_of_subject(known.subject)
    mark_requested(ids, "erasure_verified_at", request.verified_at)
    return request


def exclude_memories(
    identifier: UUID, *, memory_ids: Sequence[UUID], ground: str, text: str
) -> SubjectRequest:
    """Leave these memories of the scope out, on a ground. Raises Invalid `unknown_memory`."""
    actor = _require_person()
    ground, text = _checked("ground", ground, most=200), _checked("text", text)
    if not memory_ids:
        raise Invalid.at("memory_ids", "too_short", "Name at least one memory.")
    with transaction.atomic():
        request = lock_request(identifier)
        check_step(facts_of(request), Step.EXCLUDE)
        known, scope = subject_of(request), memories_of(request)
        for number, memory in enumerate(memory_ids):
            if memory not in scope:
                detail = "It is not in the scope of the request."
                raise Invalid.at(f"memory_ids[{number}]", "unknown_memory", detail)
        number = len(request.exclusions)
        entry = {"memory_ids": [str(one) for one in memory_ids], "ground": ground,
                 "by": actor.name, "at": instant_as_wire(now())}  # fmt: skip
        request.exclusions = [*request.exclusions, entry]
        add_texts(request, known, **{f"exclusion {number}": text})
        _touch(request, actor)
        note_step("request.exclude", request, n=len(memory_ids))
    return request


def decide_request(identifier: UUID, *, grant: bool, reason: str) -> SubjectRequest:
    """Grant it, for another person to approve; or refuse it, which lifts the restriction."""
    actor = _require_person()
    reason = check_reason(reason)
    with transaction.atomic():
        request = lock_request(identifier)
        check_step(facts_of(request), Step.DECIDE)
        request.decision = {"grant": grant, "at": instant_as_wire(now()), "by": actor.name}
        request.state = RequestState.DECISION.value
        add_texts(request, subject_of(request), decision=reason)
        _touch(request, actor)
        note_step("request.decide", request, grant=str(grant).lower())
        if not grant:
            close_request(request, "refused")
    if not grant:
        _lift(request)
    return request


def approve_request(identifier: UUID, *, reason: str | None = None) -> Job:
    """Another person's word; a job carries it out. Raises Denied `second_person_required`."""
    actor = require(Action.STEP_REQUEST)
    reason = None if reason is None else check_reason(reason)
    with transaction.atomic():
        request = lock_request(identifier)
        facts = facts_of(request)
        check_second_person(facts, actor_id=actor.id, is_person=actor.is_person)
        check_step(facts, Step.APPROVE)
        known = subject_of(request)
        request.approval = {"by": actor.name, "at": instant_as_wire(now())}
        request.state = RequestState.RUNNING.value
        request.ledger = uuid7()
        if reason is not None:
            add_texts(request, known, approval=reason)
        job = begin_job(
            JOBS[RequestKind(request.kind)], action=Action.STEP_REQUEST,
            params={"request": str(request.id)}, total=None,
        )  # fmt: skip
        request.job = job.id
        request.save()
        if request.kind == RequestKind.ERASURE:  # nothing stops it now, nor a job that dies
            Schedule.objects.update_or_create(
                tenant_id=actor.tenant_id, job=SCHEDULED, scope=str(request.id),
                defaults={"interval_seconds": AGAIN_SECONDS, "next_at": now()},
            )  # fmt: skip
        note_step("request.approve", request)
    return job


def extend_request(identifier: UUID, *, reason: str) -> SubjectRequest:
    """A calendar month more, once. Raises Conflict `already_extended`."""
    actor = _require_person()
    reason = check_reason(reason)
    with transaction.atomic():
        request = lock_request(identifier)
        check_step(facts_of(request), Step.EXTEND)
        before = request.due_at
        request.due_at = extend_due(before, ZoneInfo(tenant_settings().timezone))
        request.extension = {"at": instant_as_wire(now()), "by": actor.name,
                             "from": instant_as_wire(before)}  # fmt: skip
        known = find_subject(request.pseudonym)
        if known is not None:
            add_texts(request, known, extension=reason)
        request.save()
        note_step("request.extend", request)
    return request


def withdraw_request(identifier: UUID, *, reason: str) -> SubjectRequest:
    """The person takes it back; what it restricted goes back to its ordinary dates."""
    _require_person()
    reason = check_reason(reason)
    with transaction.atomic():
        request = lock_request(identifier)
        facts = facts_of(request)
        check_step(facts, Step.WITHDRAW)
        known = find_subject(request.pseudonym)
        if known is not None:
            add_texts(request, known, withdrawal=reason)
        note_step("request.withdraw", request)
        close_request(request, "lifted" if facts.is_restricting else "withdrawn")
    _lift(request)
    return request


def _lift(request: SubjectRequest) -> None:
    """No restriction by this request any more, unless another open one asks for the same."""
    if request.kind == RequestKind.ACCESS:
        return
    with transaction.atomic():
        others = SubjectRequest.objects.filter(pseudonym=request.pseudonym, kind=request.kind)
        in_force = others.open().exclude(verified_at=None)
        if request.kind == RequestKind.RESTRICTION:
            in_force = others.filter(outcome="restricted")
        if in_force.exclude(id=request.id).exists():
            return
        known = find_subject(request.pseudonym)
        ids = set(memories_of(request)) | set(ids_of_subject(known.subject) if known else ())
        erases = request.kind == RequestKind.ERASURE
        fact: Restricting = "erasure_verified_at" if erases else "restricted_at"
        if known is not None:
            restrict_subject(known.subject, fact, None)
    mark_requested(sorted(ids), fact, None)


def lift_excluded(request: SubjectRequest) -> None:
    """What a decision leaves out of an erasure is in use again."""
    mark_requested(sorted(excluded_from(request)), "erasure_verified_at", None)


def _require_person() -> Actor:
    actor = require(Action.STEP_REQUEST)
    if not actor.is_person:
        raise Denied("Only people may do this.", code="people_only")
    return current_actor()


def _checked(name: str, text: str, *, most: int = TEXT_CHARACTERS) -> str:
    if not text.strip():
        raise Invalid.at(name, "required", "Say it.")
    if len(text) > most:
        raise Invalid.at(name, "too_long", f"It has at most {most} characters.")
    return text.strip()


def _touch(request: SubjectRequest, actor: Actor) -> None:
    """Whoever had a hand in the decision never approves it."""
    if actor.id not in request.hands:
        request.hands = [*request.hands, actor.id]
    request.save()
