"""Placing a legal hold: its scope is checked, and from its commit on nothing in it is destroyed.

The race. Somebody may be about to destroy what the hold covers: its rows are locked, the decision
is still to come. So placing takes the tenant's lock of holds alone; who destroys takes it shared,
right before it decides, and reads the holds again behind it (`standing.guarded_holds`). Either the
hold is committed first and is seen, or the destruction was over before the hold was placed. The
tenant's row is locked before the lock of holds, always in this order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection
from django.db.models import F

from audit.recording import Facts, Target, record
from memoryhub.errors import FieldError, Invalid, Missing, Unauthenticated
from policies.models import Hold, HoldMember
from policies.versions import lock_tenant
from tenants.context import current_actor, current_tenant_id, now
from tenants.models import Tenant

MATTER_CHARACTERS = 256
REASON_CHARACTERS = 1000
MOST_SUBJECTS = 1000
MOST_NAMESPACES = 200
MOST_IDS = 20_000
SUBJECT_BYTES = 256

_LOCK = "SELECT hub_change_holds(%s)"


@dataclass(frozen=True, slots=True)
class HoldScope:
    """What a hold covers, all together; `namespaces` are stored prefixes, "" everything."""

    subjects: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    ids: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class Matter:
    """What a hold is for: its name, why, and who answers for it."""

    matter: str
    reason: str
    custodian: str


def check_scope(scope: HoldScope) -> HoldScope:
    """The scope with everything once. Raises Invalid `empty_scope`, `too_many`, `too_long`."""
    once = HoldScope(
        tuple(dict.fromkeys(scope.subjects)),
        tuple(dict.fromkeys(scope.namespaces)),
        tuple(dict.fromkeys(scope.ids)),
    )
    if not (once.subjects or once.namespaces or once.ids):
        detail = "Name subjects, namespaces or ids: a hold covers something."
        raise Invalid.at("scope", "empty_scope", detail)
    limits = (("subjects", MOST_SUBJECTS), ("namespaces", MOST_NAMESPACES), ("ids", MOST_IDS))
    faults = [
        FieldError(f"scope.{name}", "too_many", f"At most {most} in one hold.")
        for name, most in limits
        if len(getattr(once, name)) > most
    ]
    faults += [
        FieldError(f"scope.subjects[{place}]", "invalid_subject", "A subject has 1 to 256 bytes.")
        for place, subject in enumerate(scope.subjects)
        if not 1 <= len(subject.encode()) <= SUBJECT_BYTES
    ]
    if faults:
        raise Invalid(faults)
    return once


def check_matter(matter: Matter) -> Matter:
    """Its texts without space around them. Raises Invalid `required`, `too_long`."""
    given = {name: getattr(matter, name).strip() for name in ("matter", "reason", "custodian")}
    limits = {"reason": REASON_CHARACTERS}
    faults = [
        FieldError(name, "required", "This is needed.") for name, text in given.items() if not text
    ]
    faults += [
        FieldError(name, "too_long", f"At most {limits.get(name, MATTER_CHARACTERS)} characters.")
        for name, text in given.items()
        if len(text) > limits.get(name, MATTER_CHARACTERS)
    ]
    if faults:
        raise Invalid(faults)
    return Matter(**given)


def place_hold(matter: Matter, scope: HoldScope, *, memories: int) -> Hold:
    """A hold in force, in the current transaction; `memories` is how many it covers now."""
    actor = current_actor()
    lock_holds()
    hold: Hold = Hold.objects.create(
        matter=matter.matter, reason=matter.reason, custodian=matter.custodian,
        subjects=list(scope.subjects), namespaces=list(scope.namespaces),
        names_memories=bool(scope.ids), placed_at=now(), placed_by=actor.id,
        placed_by_name=actor.name,
    )  # fmt: skip
    members = [HoldMember(hold_id=hold.id, memory_id=one) for one in scope.ids]
    HoldMember.objects.bulk_create(members, batch_size=5000)
    note_change()
    record("hold.place", Target("hold", str(hold.id)), Facts(counts={"n": memories}))
    return hold


def lock_holds() -> None:
    """From here to the end of the transaction nobody else changes holds or destroys anything."""
    if lock_tenant().closed_at is not None:
        raise Unauthenticated
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, [current_tenant_id()])


def note_change() -> None:
    """Every process reads the holds again with its next transaction."""
    Tenant.objects.filter(id=current_tenant_id()).update(
        holds=F("holds") + 1, version=F("version") + 1
    )


def find_hold(identifier: UUID) -> Hold:
    """The hold with this id, in the current transaction. Raises Missing."""
    hold: Hold | None = Hold.objects.filter(id=identifier).first()
    if hold is None:
        raise Missing("There is no such hold.")
    return hold


def members_of(holds: Sequence[Hold]) -> dict[UUID, list[UUID]]:
    """The memories that these holds name, by hold."""
    found: dict[UUID, list[UUID]] = {hold.id: [] for hold in holds}
    naming = [hold.id for hold in holds if hold.names_memories]
    if naming:
        rows = HoldMember.objects.filter(hold_id__in=naming).order_by("memory_id")
        for hold_id, memory_id in rows.values_list("hold_id", "memory_id"):
            found[hold_id].append(memory_id)
    return found
