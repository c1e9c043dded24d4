"""Erasures carried out again after a restore, from the ledger, before anybody is answered.

A restored database has the person back, and perhaps not even the request. The entry says whom it
forgets (as a keyed hash) and which memories went; everybody whom this database knows is hashed and
compared. What a decision had left out stays. Holds and statutory floors count as they do in the
restored database: what they keep is restricted, and goes when they end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

import structlog
from django.db import connection, transaction

from audit.recording import Facts, Target, record
from erasure.applying import lacking_entries, note_applied
from erasure.erasing import empty_stores, ground_of_left
from erasure.finding import close_request, put_into_scope
from erasure.ledger import Entry, hash_for_ledger
from erasure.models import RequestedMemory, SubjectRequest
from erasure.stores import Person
from memories.requesting import mark_requested
from memories.statements.requested import (
    ids_derived_from,
    ids_of_subject,
    still_stored,
    subjects_after,
)
from policies.requests.steps import RequestState
from privacy.subjects import forget_subject, known_subjects
from tenants.actors import job_actor
from tenants.clock import instant_as_wire
from tenants.context import acting_as, current_tenant_id

log = structlog.get_logger(__name__)

JOB = "replay_erasures"
PAGE = 1000
_LOCK = "SELECT pg_advisory_lock(hashtextextended('hub:replay-erasures', 0))"
_UNLOCK = "SELECT pg_advisory_unlock(hashtextextended('hub:replay-erasures', 0))"


@dataclass(frozen=True, slots=True)
class Replayed:
    """One entry carried out again: memories destroyed, and kept by hold or law."""

    entry: UUID
    tenant_id: UUID
    destroyed: int
    kept: int


def replay_erasures() -> list[Replayed]:
    """Carry out what the ledger says and this database lacks. Raises LedgerDamaged."""
    if not lacking_entries():
        return []
    with _one_at_a_time():
        return [_replay(entry) for entry in lacking_entries()]


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Several processes may start at once; the second finds nothing left to do."""
    with connection.cursor() as cursor:
        cursor.execute(_LOCK)
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(_UNLOCK)


def _replay(entry: Entry) -> Replayed:
    with acting_as(job_actor(JOB, entry.tenant_id)):
        with transaction.atomic():
            subjects = _subjects_of(entry)
            ids = _memories_of(entry, subjects)
            derived = set(ids_derived_from(ids)) - set(entry.kept)
        mark_requested(sorted(set(ids) - derived), "erasure_approved_at", entry.at)
        mark_requested(sorted(derived), "source_erased_at", entry.at)
        with transaction.atomic():
            note_applied(entry.id)
        wanted = sorted({*ids, *derived})
        left = _destroy(wanted, subjects)
        _end_request(entry, left)
        _forget(entry, subjects, frozenset(wanted))
        done = Replayed(entry.id, entry.tenant_id, len(wanted) - len(left), len(left))
        with transaction.atomic():
            counts = {"n": done.destroyed, "kept": done.kept}
            record("erasure.replay", Target("request", str(entry.request_id)),
                   Facts(counts=counts, links={"entry": str(entry.id)}))  # fmt: skip
        log.info("erasure_replayed", entry=str(entry.id), destroyed=done.destroyed, kept=done.kept)
        return done


def _subjects_of(entry: Entry) -> list[str]:
    """Whom this database knows that the entry forgets (one person, unless hashes collide)."""
    known = {one.subject for one in known_subjects()}
    return [
        one for one in sorted({*_everybody(), *known})
        if hash_for_ledger(one, current_tenant_id()) == entry.subject
    ]  # fmt: skip


def _everybody() -> Iterator[str]:
    after = ""
    while page := subjects_after(after, limit=PAGE):
        yield from page
        after = page[-1]


def _memories_of(entry: Entry, subjects: list[str]) -> list[UUID]:
    found = set(still_stored(entry.ids))
    for subject in subjects:
        found.update(ids_of_subject(subject))
    return sorted(found - set(entry.kept))


def _destroy(ids: list[UUID], subjects: list[str]) -> dict[UUID, str]:
    with transaction.atomic():
        return ground_of_left(ids, subjects[0] if subjects else "")


def _end_request(entry: Entry, left: dict[UUID, str]) -> None:
    """The request, if this database has it, says what happened; it may have been earlier on."""
    with transaction.atomic():
        request = SubjectRequest.objects.select_for_update().filter(id=entry.request_id).first()
        if request is None or request.state == RequestState.CLOSED:
            return
        put_into_scope(request, dict.fromkeys(left, RequestedMemory.Found.INDEX.value))
        request.ledger, request.job, request.texts = entry.id, None, None
        request.approval = request.approval or {"by": "ledger", "at": instant_as_wire(entry.at)}
        close_request(request, "erased_after_restore")


def _forget(entry: Entry, subjects: list[str], ids: frozenset[UUID]) -> None:
    with transaction.atomic():
        for subject in subjects or [""]:
            empty_stores(Person(subject, ids))
            if subject:
                forget_subject(subject)
