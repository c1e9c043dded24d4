"""Business events: what happened outside, from which rules may count.

The same id counts once. What occurred reaches every memory that it concerns at once, or as a job
where there are many; what lies in the future waits in `tenants_schedule` until its instant, and
reaches what it concerns then. Where an event moves a purge earlier, notice is due.

A subject's activity (`subject.active`) is an event too: told like any other, or noted by whatever
shows that the subject is there (`note_activity`), at most once an hour.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from audit.jobs import Step, begin_job, job_kind
from audit.models import Job
from audit.recording import Facts, Target, record
from audit.repeating import settle
from memories.dating import moved_by_others, regime_of, with_dates
from memories.models import BusinessEvent
from memories.namespaces import Labels, covers, encode, narrow
from memories.rows import StoredMemory
from memories.statements import upsert
from memories.statements.occurring import (
    Concerned,
    count_concerned,
    let_wait,
    lock_concerned,
    mark_events,
    renew_event,
)
from memories.statements.together import Together
from memoryhub.errors import Denied
from sealing.hashing import keyed_hash
from tenants.authorising import require
from tenants.clock import instant_as_wire
from tenants.context import current_actor, current_tenant_id, now
from tenants.ids import uuid7
from tenants.models import Schedule
from tenants.roles import Action
from tenants.snapshots import tenant_settings

CHUNK = 500
AT_ONCE = 2000
JOB = "event.apply"
SCHEDULED = "event"
ACTIVE = "subject.active"
ACTIVITY_EVERY = timedelta(hours=1)
"""Rules count inactivity in days; an activity within the hour after one that is noted adds none."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An event as it was told; exactly one of subject, namespace and memory_ids is given."""

    external_id: str
    type: str
    occurred_at: datetime
    subject: str | None = None
    namespace: Labels | None = None
    memory_ids: tuple[UUID, ...] | None = None


def tell_event(occurrence: Occurrence) -> int:
    """Take note of an event; how many memories it concerns now. Denied `outside_prefix`."""
    actor = require(Action.WRITE_EVENTS)
    path = "" if occurrence.namespace is None else encode(occurrence.namespace)
    if path and not covers(actor.prefixes, path):
        raise Denied("The key may not write there.", code="outside_prefix")
    scope = {
        "prefixes": list(narrow(actor.prefixes, path)), "subject": occurrence.subject,
        "memory_ids": None if occurrence.memory_ids is None else
        [str(one) for one in occurrence.memory_ids],
    }  # fmt: skip
    with transaction.atomic():
        matched = count_concerned(_concerned(scope))
        event, is_new = BusinessEvent.objects.get_or_create(
            tenant_id=current_tenant_id(),
            external_id=occurrence.external_id,
            defaults={
                "id": uuid7(), "type": occurrence.type, "occurred_at": occurrence.occurred_at,
                "received_at": now(), "scope": scope, "matched": matched,
            },
        )  # fmt: skip
        settle({"matched": int(event.matched)}, status=202)
        if not is_new:
            return int(event.matched)
        record(
            "memory.event",
            Target("event", str(event.id), path or None),
            Facts(counts={"n": matched}, links={"type": occurrence.type}),
        )
        _let_come(event, matched)
    return matched


def note_activity(subject: str) -> bool:
    """The subject is active now: rules anchored at `event:subject.active` count from this instant.

    For whatever implies activity (a session opened, a message): call it inside the transaction of
    that, as the actor that acts; its prefixes bound the memories which hear of it. One statement
    for most calls; at most once an hour for a subject it also records `memory.event` and leaves
    the marking of memories to beat (`apply_events_all`), so no row of a memory is locked here.
    Needs no scope of its own. Returns whether it was noted (false: known within the hour).
    """
    prefixes = list(narrow(current_actor().prefixes, ""))
    scope = {"prefixes": prefixes, "subject": subject, "memory_ids": None}
    tenant = current_tenant_id()
    name = keyed_hash(json.dumps([subject, prefixes]), purpose="activity", tenant_id=tenant)
    event_id = renew_event(f"hub:{name}", ACTIVE, json.dumps(scope), every=ACTIVITY_EVERY, at=now())
    if event_id is None:
        return False
    let_wait(SCHEDULED, str(event_id), at=now())
    counts = {"n": count_concerned(_concerned(scope))}
    record("memory.event", Target("event", str(event_id)), Facts(counts=counts, links={
        "type": ACTIVE,
    }))  # fmt: skip
    return True


def _let_come(event: Any, matched: int) -> None:
    """Now, as a job, or when its time has come."""
    if event.occurred_at > now():
        Schedule.objects.create(
            tenant_id=current_tenant_id(), job=SCHEDULED, scope=str(event.id),
            interval_seconds=20, next_at=event.occurred_at,
        )  # fmt: skip
    elif matched > AT_ONCE:
        begin_job(JOB, action=Action.WRITE_EVENTS, params={"event": str(event.id)}, total=matched)
    else:
        after = ("", "", UUID(int=0))
        while rows := _reach(event, after):
            after = _place_of(rows[-1])
        _finish(event)


def apply_due(identifier: UUID) -> None:
    """The instant of a waiting event has come: let it reach what it concerns now."""
    with transaction.atomic():
        event = BusinessEvent.objects.select_for_update().filter(id=identifier).first()
        Schedule.objects.filter(
            tenant_id=current_tenant_id(), job=SCHEDULED, scope=str(identifier)
        ).delete()
        if event is not None and event.applied_at is None:
            _let_come(event, count_concerned(_concerned(event.scope)))


@job_kind(JOB)
def _apply_chunk(job: Job) -> Step:
    """One chunk of what an event concerns."""
    event = BusinessEvent.objects.get(id=UUID(job.params["event"]))
    cursor = job.cursor
    after = (cursor["namespace"], cursor["key"], UUID(cursor["id"])) if cursor else None
    rows = _reach(event, after or ("", "", UUID(int=0)))
    if not rows:
        _finish(event)
        return Step(finished=True, done=job.done, result={"matched": job.done})
    namespace, key, identifier = _place_of(rows[-1])
    place = {"namespace": namespace, "key": key, "id": str(identifier)}
    return Step(finished=False, done=job.done + len(rows), cursor=place)


def _reach(event: Any, after: tuple[str, str, UUID]) -> Sequence[StoredMemory]:
    """Mark the next chunk, and let its dates follow."""
    rows = lock_concerned(_concerned(event.scope), after=after, limit=CHUNK)
    at, regime = now(), regime_of(tenant_settings())
    changed = []
    for row in rows:
        marked = _marked(row, event)
        if marked is not row:
            changed.append(with_dates(moved_by_others(row, marked, regime, at), regime, at))
    if changed:
        mark_events(changed)
        together = Together()
        upsert.update_dates(together, changed)
        together.run()
    return rows


def _marked(row: StoredMemory, event: Any) -> StoredMemory:
    """The row with this event; of several of one type the latest counts."""
    known = json.loads(row.events)
    before = known.get(event.type)
    if before is not None and datetime.fromisoformat(before) >= event.occurred_at:
        return row
    known[event.type] = instant_as_wire(event.occurred_at)
    return replace(row, events=json.dumps(known, ensure_ascii=False))


def _finish(event: Any) -> None:
    event.applied_at = now()
    event.save(update_fields=["applied_at"])


def _place_of(row: StoredMemory) -> tuple[str, str, UUID]:
    return row.namespace, row.key, row.id


def _concerned(scope: dict[str, Any]) -> Concerned:
    ids = scope["memory_ids"]
    return Concerned(
        prefixes=tuple(scope["prefixes"]),
        subject=scope["subject"],
        ids=None if ids is None else tuple(UUID(one) for one in ids),
    )
