"""What a request covers: by the index of subjects, by a probe of the texts, by provenance.

A job, because a probe reads every text of the tenant. Probing afterwards finds what nobody filed
under the person: an older note, a summary that names them, a value of theirs in a memory about
nobody. What it finds is in the scope until an officer excludes it with a ground.
"""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from audit.jobs import Step, begin_job, job_kind
from audit.models import Job
from conversations.sessions import find_sessions_of
from erasure.finding import (
    excluded_from,
    facts_of,
    lock_request,
    memories_of,
    note_step,
    put_into_scope,
    subject_of,
)
from erasure.models import RequestedMemory, SubjectRequest
from memories.naming import pattern_of
from memories.requesting import mark_requested
from memories.statements.requested import (
    Traces,
    ids_derived_from,
    ids_of_subject,
    ids_with_traces,
    versions_with_traces,
)
from policies.requests.steps import RequestKind, RequestState, check_step
from policies.requests.steps import Step as RequestStep
from privacy.querysets import tokens_of
from tenants.authorising import require
from tenants.clock import instant_as_wire
from tenants.context import now
from tenants.roles import Action

JOB = "request.scope"
CHUNK = 500
By = RequestedMemory.Found


def compute_scope(identifier: UUID) -> Job:
    """Begin to look for the memories of a request. Raises Conflict, Missing."""
    require(Action.STEP_REQUEST)
    with transaction.atomic():
        request = lock_request(identifier)
        check_step(facts_of(request), RequestStep.SCOPE)
        subject_of(request)
        job = begin_job(
            JOB, action=Action.STEP_REQUEST, params={"request": str(request.id)}, total=None
        )
        request.job = job.id
        request.save(update_fields=["job"])
    return job


@job_kind(JOB)
def _scope_step(job: Job) -> Step:
    """First all ids, then chunk by chunk the restriction of those that the identity step missed."""
    request = lock_request(UUID(job.params["request"]))
    if request.state not in (RequestState.IDENTITY, RequestState.SCOPE) or request.job != job.id:
        return Step(finished=True, done=job.done)
    if not job.cursor:
        _take_scope(request)
    found = sorted(memories_of(request))
    done = int(job.cursor.get("done", 0))
    chunk = found[done : done + CHUNK]
    if chunk and request.kind == RequestKind.ERASURE and request.verified_at is not None:
        mark_requested(chunk, "erasure_verified_at", request.verified_at)
    done += len(chunk)
    if done < len(found):
        return Step(finished=False, done=done, total=len(found), cursor={"done": done})
    request.state = RequestState.SCOPE.value
    request.save(update_fields=["state", "scope"])
    note_step("request.scope", request, n=len(found))
    return Step(finished=True, done=done, total=len(found), result=request.scope)


def _take_scope(request: SubjectRequest) -> None:
    known = subject_of(request)
    found = search_memories_of(known.subject)
    RequestedMemory.objects.filter(request_id=request.id).delete()
    put_into_scope(request, found)
    ways = list(found.values())
    request.scope = {
        "by_index": ways.count(By.INDEX.value), "by_probe": ways.count(By.PROBE.value),
        "derived": ways.count(By.DERIVED.value), "sessions": len(find_sessions_of(known.subject)),
        "computed_at": instant_as_wire(now()),
    }  # fmt: skip
    request.save(update_fields=["scope"])


def search_memories_of(subject: str) -> dict[UUID, str]:
    """Ids of a person's memories, each with how it is theirs: index, probe, derived."""
    found = dict.fromkeys(ids_of_subject(subject), By.INDEX.value)
    traces = Traces(pattern_of(subject), tuple(f":{one}⟧" for one in tokens_of(list(found))))
    probed = [
        *ids_with_traces(traces, subject=subject),
        *(memory for _, memory in versions_with_traces(traces)),
    ]
    for memory in probed:
        found.setdefault(memory, By.PROBE.value)
    for memory in ids_derived_from(list(found)):
        found[memory] = By.DERIVED.value  # also where it took over the person as a subject
    return found


def put_fresh_into_scope(request: SubjectRequest, subject: str) -> int:
    """What is theirs by the index and by provenance as of now, and new to the scope; how many."""
    known = memories_of(request)
    out = excluded_from(request)
    found = dict.fromkeys(ids_of_subject(subject), By.INDEX.value)
    for memory in ids_derived_from([one for one in {**found, **known} if one not in out]):
        found[memory] = By.DERIVED.value
    fresh = {memory: how for memory, how in found.items() if memory not in known}
    put_into_scope(request, fresh)
    return len(fresh)
