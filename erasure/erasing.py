"""An approved erasure, carried out: the ledger, the rows, the other stores, the probe, the end.

The order is the promise. First the ledger, on the disk: from then on no crash and no restore makes
the erasure undone. Then every memory of the scope is marked, which ends its use in that instant,
and destroyed as far as nothing outranks an erasure: a legal hold or a statutory floor keeps the
bytes, restricted, and the certificate says on which ground. Then the other stores, then once more
what was written meanwhile, then the probe. A hit reopens the request with a finding.

Every step is a transaction of a job and safe to run again.

What a hold defers completes by itself: the request stays `running`, and beat comes back
(`continue_erasure`) until the hold is gone. What a statutory floor keeps is purged at its end by
the sweep, as any row whose date has come; the request does not wait for years.

A memory made of several people's goes as a whole, because nobody can say which words in it are
whose. What the hub learned it learns again from the candidates that stay; of what an agent made,
the sources that stay are a finding `rebuild_due` (ids only), for the agent to make it anew.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from audit.jobs import OVER, Step, begin_job, job_kind
from audit.models import Job
from conversations.rebuilding import is_learned, reopen_candidates
from erasure.applying import note_applied
from erasure.certifying import certify_erasure
from erasure.counting import Tally
from erasure.finding import (
    close_request,
    excluded_from,
    lock_request,
    memories_of,
    note_step,
    put_into_scope,
    subject_of,
)
from erasure.ledger import Entry, append_entry, hash_for_ledger
from erasure.models import RequestedMemory, SubjectRequest
from erasure.probing import Memento, Probed, probe
from erasure.scoping import put_fresh_into_scope
from erasure.stepping import SCHEDULED, lift_excluded
from erasure.stores import STORES, Person, forget_labels
from memories.dating import evaluate_row, regime_to_destroy_by
from memories.models import Finding
from memories.naming import is_named, pattern_of
from memories.requesting import CHUNK, Erased, erase_chunk, mark_requested
from memories.rows import StoredMemory
from memories.statements.lookup import find_by_ids
from memories.statements.requested import (
    Traces,
    drop_versions,
    lock_requested,
    still_stored,
    versions_with_traces,
)
from policies.requests.steps import RequestState
from privacy.subjects import forget_subject
from tenants.context import current_tenant_id, now
from tenants.models import Schedule
from tenants.roles import Action
from tenants.snapshots import tenant_settings

JOB = "request.erase"
GROUNDS = {"held": "legal_hold", "request_open": "restriction", "floor": "floor"}
DEFERRING = frozenset({"legal_hold", "restriction", "not_due"})
"""Grounds that end by somebody's decision: the erasure waits and completes by itself."""
MEMENTOS = 16
By = RequestedMemory.Found

_mementos: OrderedDict[UUID, Memento] = OrderedDict()


def memento_of(request_id: UUID) -> Memento:
    """What this process remembers of an erasure that it is carrying out."""
    memento = _mementos.setdefault(request_id, Memento())
    _mementos.move_to_end(request_id)
    while len(_mementos) > MEMENTOS:
        _mementos.popitem(last=False)
    return memento


@dataclass(slots=True)
class Work:
    """One step's view of an erasure."""

    request: SubjectRequest
    subject: str
    after: UUID
    tally: Tally

    @property
    def approved_at(self) -> datetime:
        approval: dict[str, str] = self.request.approval or {}
        return datetime.fromisoformat(approval["at"])

    def targets(self) -> dict[UUID, str]:
        """What is to go: the scope without what the decision left out."""
        out = excluded_from(self.request)
        return {one: how for one, how in memories_of(self.request).items() if one not in out}

    def person(self) -> Person:
        return Person(self.subject, frozenset(self.targets()))

    def take_chunk(self) -> dict[UUID, str]:
        """The next of the targets, by id; none when all were taken, and then from the start."""
        rows = RequestedMemory.objects.filter(
            request_id=self.request.id, memory_id__gt=self.after
        ).exclude(memory_id__in=list(excluded_from(self.request)))
        chunk = dict(rows.order_by("memory_id").values_list("memory_id", "found_by")[:CHUNK])
        self.after = max(chunk, default=UUID(int=0))
        return chunk

    def outside(self, ids: Sequence[UUID]) -> list[UUID]:
        """Those of these memories that are not to go."""
        known = RequestedMemory.objects.filter(
            request_id=self.request.id, memory_id__in=list(ids)
        ).values_list("memory_id", flat=True)
        going = set(known) - set(excluded_from(self.request))
        return [one for one in ids if one not in going]


@job_kind(JOB)
def _erase_step(job: Job) -> Step:
    request = lock_request(UUID(job.params["request"]))
    if request.state == RequestState.CLOSED or request.job != job.id:
        return Step(finished=True, done=job.done)
    cursor = job.cursor or {"phase": "promise", "after": str(UUID(int=0))}
    work = Work(request, subject_of(request).subject, UUID(cursor["after"]), Tally(request))
    following = _PHASES[cursor["phase"]](work)
    done = job.done + 1
    if following is None:
        return Step(finished=True, done=done, result=_shown(request))
    cursor = {"phase": following, "after": str(work.after)}
    return Step(finished=False, done=done, cursor=cursor)


def _shown(request: SubjectRequest) -> dict[str, object]:
    result = request.result or {}
    return {name: result[name] for name in ("stores", "probe") if name in result}


def _promise(work: Work) -> str:
    """The final scope, and its entry in the ledger; what is left out is in use again."""
    request, tenant = work.request, current_tenant_id()
    put_fresh_into_scope(request, work.subject)
    lift_excluded(request)
    append_entry(Entry(
        id=request.ledger or request.id, tenant_id=tenant, at=work.approved_at,
        request_id=request.id, subject=hash_for_ledger(work.subject, tenant),
        ids=tuple(work.targets()), kept=tuple(excluded_from(request)),
    ))  # fmt: skip
    return "mark"


def _mark(work: Work) -> str:
    """A chunk leaves use by the erasure, is counted, and is remembered for the probe."""
    ways = work.take_chunk()
    if not ways:
        note_applied(work.request.ledger or work.request.id)
        return "destroy"
    rows = find_by_ids(list(ways))
    passing = _passing(work, rows, ways)
    mark_requested(sorted(passing), "erasure_verified_at", None)
    own = [one for one in ways if one not in passing and ways[one] != By.DERIVED]
    derived = [one for one in ways if one not in passing and ways[one] == By.DERIVED]
    mark_requested(own, "erasure_approved_at", work.approved_at)
    mark_requested(derived, "source_erased_at", work.approved_at)
    gone = [row for row in rows.values() if row.id not in passing]
    fresh = [row for row in gone if not (row.erasure_approved_at or row.source_erased_at)]
    memento_of(work.request.id).take([row for row in gone if _is_alone(work, row)])
    work.tally.add_rows(fresh)
    work.tally.save()
    return "mark"


def _is_alone(work: Work, row: StoredMemory) -> bool:
    """Only of what is about nobody else can a text be looked for."""
    return not set(row.subjects) - {work.subject}


def _passing(
    work: Work, rows: dict[UUID, StoredMemory], ways: dict[UUID, str]
) -> dict[UUID, list[UUID]]:
    """Memories that name the person in old values only, with these versions; they stay."""
    probed = {row.id for row in rows.values() if ways[row.id] == By.PROBE and not _names(work, row)}
    versions: dict[UUID, list[UUID]] = {}
    for version, memory in versions_with_traces(Traces(pattern_of(work.subject))) if probed else ():
        if memory in probed:
            versions.setdefault(memory, []).append(version)
    return versions


def _names(work: Work, row: StoredMemory) -> bool:
    texts = (row.namespace, row.key, row.value, row.source or "", *row.subjects, *row.tags)
    return any(is_named(work.subject, text) for text in texts)


def _destroy(work: Work) -> str:
    """A chunk of rows goes with all that belongs to them; what must stay is restricted."""
    ways = work.take_chunk()
    if not ways:
        return "others"
    rows = find_by_ids(list(ways))
    passing = _passing(work, rows, ways)
    dropped = _drop_versions(work.request, passing)
    if dropped:
        work.tally.add_other("versions_of_others", dropped)
        work.tally.save()
    doomed = [one for one in ways if one not in passing]
    remaining = _remaining(work, [rows[one] for one in doomed if one in rows])
    erased = Erased()
    erase_chunk(doomed, subject=work.subject, into=erased)
    for row, sources in remaining:
        _rebuild(row, sources, is_gone=row.id in erased.destroyed)
    return "destroy"


def _drop_versions(request: SubjectRequest, passing: dict[UUID, list[UUID]]) -> int:
    """Old values of memories that stay, unless a hold stands over them; these leave the scope."""
    if not passing:
        return 0
    rows = lock_requested(sorted(passing))
    at = now()
    regime = regime_to_destroy_by(tenant_settings(), at)
    free = [row.id for row in rows if evaluate_row(row, regime, at).kept_by != "held"]
    RequestedMemory.objects.filter(request_id=request.id, memory_id__in=free).delete()
    return drop_versions([version for one in free for version in passing[one]])


def _remaining(work: Work, doomed: Sequence[StoredMemory]) -> list[tuple[StoredMemory, list[UUID]]]:
    """What was made of several people's memories, with the sources that stay."""
    found = [
        (row, still_stored(work.outside(row.derived_from))) for row in doomed if row.derived_from
    ]
    return [(row, sources) for row, sources in found if sources]


def _rebuild(row: StoredMemory, sources: Sequence[UUID], *, is_gone: bool) -> None:
    """What the hub made it makes anew, once the old one is gone; of others' it says what is due."""
    if is_learned(row):
        if is_gone:
            reopen_candidates(row, sources)
        return
    detail = json.dumps({"kind": row.kind, "sources": [str(one) for one in sources]})
    Finding.objects.get_or_create(
        kind="rebuild_due", memory_id=row.id, closed_at=None,
        defaults={"detail": detail, "found_at": now()},
    )  # fmt: skip


def _empty_others(work: Work) -> str:
    """Sessions, caches, queued messages, events, files: one store after the other."""
    for store, removed in empty_stores(work.person()).items():
        work.tally.add_other(store, removed)
    work.tally.save()
    return "again"


def empty_stores(person: Person) -> dict[str, int]:
    """Take the person out of every store that is not a memory; what each lost."""
    return {store.name: store.remove(person) for store in STORES}


def _again(work: Work) -> str:
    """What came in meanwhile goes the same way, until nothing new is there."""
    return "mark" if put_fresh_into_scope(work.request, work.subject) else "probe"


def _probe(work: Work) -> str | None:
    """The attack on itself, and what follows from it."""
    request = work.request
    left = ground_of_left(sorted(work.targets()), work.subject)
    out = {one: f"excluded: {ground}" for one, ground in excluded_from(request).items()}
    forget_labels(work.person())
    found = probe(work.person(), memento_of(request.id), kept=[*left, *out])
    request.result = {**(request.result or {}), **work.tally.result(left, out, found)}
    note_step("request.probe", request, n=found.hits, queries=found.queries)
    if found.hits:
        _reopen(request, found)
        return None
    _mementos.pop(request.id, None)
    if DEFERRING.intersection(left.values()):
        _defer(request)
    else:
        _finish(work, left)
    return None


def ground_of_left(ids: Sequence[UUID], subject: str) -> dict[UUID, str]:
    """Those of an erasure's memories that have a row still, each with its ground."""
    left = Erased()
    for start in range(0, len(ids), CHUNK):
        erase_chunk(ids[start : start + CHUNK], subject=subject, into=left)
    return {memory: GROUNDS.get(keeper, keeper) for memory, keeper in left.kept.items()}


def _reopen(request: SubjectRequest, found: Probed) -> None:
    """Back to the scope, with what was found in it, for people to decide about."""
    put_into_scope(request, dict.fromkeys(sorted(found.memories), By.PROBE.value))
    request.state, request.approval, request.decision = RequestState.SCOPE.value, None, None
    request.save()
    _stop_looking(request)
    detail = json.dumps({"request": str(request.id), "memories": len(found.memories),
                         "stores": found.places})  # fmt: skip
    Finding.objects.create(kind="erasure_incomplete", detail=detail, found_at=now())


def _defer(request: SubjectRequest) -> None:
    """A hold stands: the request waits, and beat looks again until nothing is deferred."""
    request.state, request.outcome = RequestState.RUNNING.value, "deferred"
    request.save()


def continue_erasure(request_id: UUID) -> Job | None:
    """Beat: go on with an erasure whose job died, or that nothing defers any more."""
    with transaction.atomic():
        request = lock_request(request_id)
        if request.state not in (RequestState.RUNNING, RequestState.VERIFY):
            _stop_looking(request)
            return None
        if request.outcome == "deferred":
            work = Work(request, subject_of(request).subject, UUID(int=0), Tally(request))
            left = ground_of_left(sorted(work.targets()), work.subject)
            if DEFERRING.intersection(left.values()):
                return None
        elif not Job.objects.filter(id=request.job, state__in=OVER).exists():
            return None
        job = begin_job(
            JOB, action=Action.STEP_REQUEST, params={"request": str(request.id)}, total=None
        )
        request.job, request.outcome = job.id, None
        request.save()
        return job


def _stop_looking(request: SubjectRequest) -> None:
    Schedule.objects.filter(
        tenant_id=current_tenant_id(), job=SCHEDULED, scope=str(request.id)
    ).delete()


def _finish(work: Work, left: dict[UUID, str]) -> None:
    """The certificate; then the pseudonym and the key of the person lead nowhere any more."""
    request = work.request
    removed = forget_subject(work.subject)
    forget_labels(work.person())
    result = {name: value for name, value in (request.result or {}).items() if name != "tally"}
    result["stores"] = [
        *result["stores"],
        {"store": "pseudonym", "found": removed, "removed": removed, "kept": 0, "ground": None},
    ]
    request.result, request.texts = result, None
    request.certificate = certify_erasure(request, left, excluded_from(request))
    keep = [*left, *excluded_from(request)]
    RequestedMemory.objects.filter(request_id=request.id).exclude(memory_id__in=keep).delete()
    _stop_looking(request)
    is_whole = not left and not request.exclusions
    close_request(request, "erased" if is_whole else "erased_in_part")


_PHASES: dict[str, Callable[[Work], str | None]] = {
    "promise": _promise, "mark": _mark, "destroy": _destroy, "others": _empty_others,
    "again": _again, "probe": _probe,
}  # fmt: skip
