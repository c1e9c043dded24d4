"""Legal holds over memories: counted before they are placed, placed, looked into, released.

A hold is exact from the moment of its commit: every evaluation since then asks the tenant's holds
(`policies.holding`). What is stored of its effect, dates and flags, follows in chunks; a purge
never trusts what is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Q

from audit.jobs import Step, begin_job, job_kind, run_job
from audit.models import Job
from memories.dating import evaluate_row, holds_matching, regime_of
from memories.namespaces import covers
from memories.reasons import check_reason
from memories.redating import redate
from memories.rows import StoredMemory
from memories.statements import holds, staging
from memories.statements.holds import Covered, Extent
from memoryhub.errors import Denied, FieldError, Invalid
from policies import releasing
from policies.holding import StandingHold
from policies.models import Hold, Prevention
from policies.placing import (
    HoldScope,
    Matter,
    check_matter,
    check_scope,
    find_hold,
    members_of,
    place_hold,
)
from tenants.actors import Actor
from tenants.authorising import require
from tenants.context import current_actor, now
from tenants.roles import Action
from tenants.snapshots import tenant_settings

JOB = "holds.redate"
CHUNK = 500
AT_ONCE = 5000
SAMPLES = 20
GROUPS = 20
SOON = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Preview:
    """What a scope covers now: counts, the largest groups, the newest memories."""

    extent: Extent
    groups: list[tuple[str, str, int]]
    samples: list[StoredMemory]
    at: datetime


@dataclass(frozen=True, slots=True)
class Held:
    """A hold with the ids it names, and how many memories it covers and destructions it prevented.

    The memories are those inside the caller's prefixes.
    """

    row: Hold
    ids: list[UUID]
    memories: int
    prevented: int


def preview_hold(scope: HoldScope) -> Preview:
    """Counts and samples of a scope. Raises Invalid, Denied `outside_prefix`."""
    actor = require(Action.PLACE_HOLD)
    scope = check_scope(scope)
    with transaction.atomic():
        _require_inside(scope, actor)
        at, covered = now(), Covered(scope, actor.prefixes)
        return Preview(
            holds.measure_covered(covered, at=at, soon=at + SOON),
            holds.count_groups(covered, most=GROUPS),
            holds.list_covered(covered, limit=SAMPLES),
            at,
        )


def place(matter: Matter, scope: HoldScope) -> Held:
    """Put a hold into force. Raises Invalid, Denied `outside_prefix`."""
    actor = require(Action.PLACE_HOLD)
    scope, matter = check_scope(scope), check_matter(matter)
    matter = replace(matter, reason=check_reason(matter.reason))
    with transaction.atomic():
        _require_inside(scope, actor)
        count = holds.count_covered(Covered(scope))
        hold = place_hold(matter, scope, memories=count)
        job = _begin_redating(hold, count)
    _run_at_once(job, count)
    return Held(hold, list(scope.ids), count, 0)


def _require_inside(scope: HoldScope, actor: Actor) -> None:
    """Whoever is confined to prefixes holds only what lies below them, and no whole subject."""
    if not all(covers(actor.prefixes, prefix) for prefix in scope.namespaces):
        raise Denied("You may not hold what lies there.", code="outside_prefix")
    if scope.subjects and "" not in actor.prefixes:
        detail = "A hold over a subject reaches beyond your prefixes."
        raise Denied(detail, code="outside_prefix")
    missing = holds.missing_ids(scope.ids, actor.prefixes) if scope.ids else set()
    if missing:
        raise Invalid(
            FieldError(f"scope.ids[{place}]", "unknown_memory", "There is no such memory.")
            for place, identifier in enumerate(scope.ids)
            if identifier in missing
        )


# --- looking --------------------------------------------------------------------------------------


def describe_holds(rows: Sequence[Hold]) -> list[Held]:
    """These holds with their ids and counts, inside a transaction."""
    actor, members = current_actor(), members_of(rows)
    prevented = dict(
        Prevention.objects.filter(hold_id__in=[row.id for row in rows])
        .values_list("hold_id")
        .annotate(n=Count("id"))
    )
    return [
        Held(
            row, members[row.id],
            holds.count_covered(Covered(scope_of(row, members[row.id]), actor.prefixes, row.id)),
            prevented.get(row.id, 0),
        )
        for row in rows
    ]  # fmt: skip


def scope_of(row: Hold, ids: Sequence[UUID]) -> HoldScope:
    """What a hold's row covers, with the ids it names."""
    return HoldScope(tuple(row.subjects), tuple(row.namespaces), tuple(ids))


def open_hold(identifier: UUID) -> Held:
    """One hold. Raises Missing."""
    require(Action.SEE_FIGURES)
    with transaction.atomic(savepoint=False):
        return describe_holds([find_hold(identifier)])[0]


@dataclass(frozen=True, slots=True)
class HeldMemory:
    """A memory under a hold, without its value, and what the hold prevented of it, if anything."""

    row: StoredMemory
    prevention: Prevention | None


def list_held(
    identifier: UUID, *, before: tuple[datetime, UUID] | None, limit: int
) -> list[HeldMemory]:
    """Up to `limit + 1` memories under a hold, newest first. Raises Missing."""
    actor = require(Action.SEE_FIGURES)
    with transaction.atomic():
        covered = _covered(find_hold(identifier), actor.prefixes)
        rows = holds.list_covered(covered, before=before, limit=limit + 1)
        noted = Prevention.objects.filter(
            hold_id=identifier, memory_id__in=[row.id for row in rows]
        )
        by_memory = {one.memory_id: one for one in noted}
        return [HeldMemory(row, by_memory.get(row.id)) for row in rows]


def list_over(row: StoredMemory) -> list[StandingHold]:
    """The open holds over a memory."""
    require(Action.SEE_FIGURES)
    with transaction.atomic():
        found = holds_matching(row, regime_of(tenant_settings()))
    return [hold for hold in found if hold.is_open]


def count_open() -> tuple[int, int]:
    """(holds that stand, of these the ones whose release waits for a second person)."""
    require(Action.SEE_FIGURES)
    with transaction.atomic():
        asked = Count("id", filter=Q(state=Hold.State.RELEASE_REQUESTED))
        found = Hold.objects.all().open().aggregate(standing=Count("id"), waiting=asked)
    return found["standing"], found["waiting"]


def count_held(identifier: UUID) -> int:
    """How many memories are under a hold, for the caller. Raises Missing."""
    actor = require(Action.SEE_FIGURES)
    with transaction.atomic():
        return holds.count_covered(_covered(find_hold(identifier), actor.prefixes))


def _covered(hold: Hold, prefixes: tuple[str, ...] = ("",)) -> Covered:
    return Covered(scope_of(hold, members_of([hold])[hold.id]), prefixes, hold.id)


# --- releasing ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Falling:
    """What a release now would let fall due: within 30 days, and of these at once.

    `stay` are held by other holds or requests as well; `at_once` are deferred erasures. Unless
    `is_whole`, the hold covers more than the `memories` that were looked at.
    """

    memories: int
    due: int
    at_once: int
    stay: int
    samples: list[tuple[StoredMemory, datetime]]
    is_whole: bool


def preview_release(identifier: UUID, *, most: int) -> Falling:
    """What falls due in the next 30 days if the hold is released now. Raises Missing.

    Each memory is evaluated (5,000 a second), so at most `most` are, by their ids.
    """
    actor = require(Action.SEE_FIGURES)
    with transaction.atomic():
        hold, at, regime = find_hold(identifier), now(), regime_of(tenant_settings())
        covered = _covered(hold, actor.prefixes)
        released = regime.holds.without(hold.id, released_at=at)
        after = replace(regime, holds=released)
        memories = due = at_once = stay = 0
        samples: list[tuple[StoredMemory, datetime]] = []
        ids = holds.covered_after(covered, UUID(int=0), limit=most + 1)
        looked_at = ids[:most]
        for start in range(0, len(looked_at), CHUNK):
            for row in staging.rows_of(looked_at[start : start + CHUNK]):
                found = evaluate_row(row, after, at)
                memories += 1
                stay += found.kept_by in ("held", "request_open")
                if found.purge_at is not None and found.purge_at <= at + SOON:
                    due += 1
                    at_once += found.purge_at <= at
                    if len(samples) < SAMPLES:
                        samples.append((row, found.purge_at))
        return Falling(memories, due, at_once, stay, samples, is_whole=len(ids) <= most)


def release(identifier: UUID, *, reason: str) -> Held:
    """Ask for the release, or release what another person asked to release.

    Raises Denied (`people_only`, `second_person_required`), Conflict `invalid_state`, Invalid,
    Missing.
    """
    releasing.require_releaser()
    reason = check_reason(reason)
    with transaction.atomic():
        hold = releasing.step_release(identifier, reason=reason)
        (held,) = describe_holds([hold])
        is_released = hold.released_at is not None
        job = _begin_redating(hold, held.memories) if is_released else None
    if job is not None:
        _run_at_once(job, held.memories)
    return held


def keep(identifier: UUID, *, reason: str) -> Held:
    """Withdraw a request for release. Raises Denied, Conflict `invalid_state`, Invalid, Missing."""
    releasing.require_releaser()
    reason = check_reason(reason)
    with transaction.atomic():
        return describe_holds([releasing.keep_hold(identifier, reason=reason)])[0]


# --- dates that follow ----------------------------------------------------------------------------


def _begin_redating(hold: Hold, count: int) -> Job:
    return begin_job(JOB, action=Action.PLACE_HOLD, params={"hold": str(hold.id)}, total=count)


def _run_at_once(job: Job, count: int) -> None:
    """What is not locked by others has its dates before the answer; the rest is left to a worker.

    Nobody is waited for: who holds a row may be waiting for whoever places the hold.
    """
    if count <= AT_ONCE:
        run_job(job.id, most_steps=count // CHUNK + 2)


@job_kind(JOB)
def _redate_chunk(job: Job) -> Step:
    """One chunk of what a hold covers, under the holds of now; what is locked comes again."""
    covered = _covered(find_hold(UUID(job.params["hold"])))
    cursor = job.cursor or {"after": str(UUID(int=0)), "again": []}
    after = UUID(cursor["after"]) if cursor["after"] else None
    fresh = [] if after is None else holds.covered_after(covered, after, limit=CHUNK)
    again = [UUID(one) for one in cursor["again"]]
    ids = fresh or staging.still_there(again[:CHUNK])
    at, regime = now(), regime_of(tenant_settings())
    rows = [row for row, _ in staging.lock_free(ids)]
    redate(rows, (regime, regime), at=at, moved_at=at)
    found = {row.id for row in rows}
    locked = [str(one) for one in ids if one not in found]
    if not fresh and ids and not rows:
        staging.pause()
    left = [*(cursor["again"] if fresh else cursor["again"][CHUNK:]), *locked]
    following = {"after": str(fresh[-1]) if fresh else "", "again": left}
    return Step(finished=not fresh and not left, done=job.done + len(rows), cursor=following)
