"""Releasing a hold: one person asks for it, another releases; until then it can be kept.

After the release what an erasure was waiting for is destroyed by the next sweep; everything else
waits for the tenant's notice (RETENTION.md, step 7).
"""

from __future__ import annotations

from uuid import UUID

from audit.recording import Facts, Target, record
from memoryhub.errors import Conflict, Denied
from policies.models import Hold
from policies.placing import find_hold, lock_holds, note_change
from tenants.actors import Actor
from tenants.authorising import require
from tenants.context import current_tenant_id, now
from tenants.models import Membership
from tenants.roles import Action, roles_that_may

State = Hold.State


def require_releaser() -> Actor:
    """The acting person, who may take part in a release. Raises Denied `people_only`."""
    actor = require(Action.RELEASE_HOLD)
    if not actor.is_person:
        raise Denied("Only people may do this.", code="people_only")
    return actor


def step_release(identifier: UUID, *, reason: str) -> Hold:
    """Ask for the release or, as another person, release; in the current transaction.

    Raises Denied `second_person_required` for who asked, Conflict `invalid_state`, Missing.
    """
    actor = require_releaser()
    lock_holds()
    hold = find_hold(identifier)
    if hold.state == State.RELEASED:
        raise Conflict("The hold is released.", state=hold.state)
    if hold.state == State.ACTIVE:
        hold.state, hold.release_requested_at = State.RELEASE_REQUESTED, now()
        hold.release_requested_by, hold.release_requested_by_name = actor.id, actor.name
        hold.release_reason = reason
        hold.save()
        _record("hold.request", hold, reason)
        return hold
    if hold.release_requested_by == actor.id:
        raise Denied("Another person has to release it.", code="second_person_required")
    hold.state, hold.released_at = State.RELEASED, now()
    hold.released_by_name, hold.released_reason = actor.name, reason
    hold.save()
    note_change()
    _record("hold.release", hold, reason)
    return hold


def keep_hold(identifier: UUID, *, reason: str) -> Hold:
    """Withdraw a request for release. Raises Conflict `invalid_state`, Missing."""
    require_releaser()
    lock_holds()
    hold = find_hold(identifier)
    if hold.state != State.RELEASE_REQUESTED:
        raise Conflict("No release was asked for.", state=hold.state)
    hold.state, hold.release_requested_at = State.ACTIVE, None
    hold.release_requested_by = hold.release_requested_by_name = hold.release_reason = ""
    hold.save()
    _record("hold.keep", hold, reason)
    return hold


def find_releasers(hold: Hold) -> list[str]:
    """Names of the people who may release it once asked for, by name. Inside a transaction."""
    require(Action.SEE_FIGURES)
    members = Membership.objects.effective().filter(
        tenant_id=current_tenant_id(), role__in=roles_that_may(Action.RELEASE_HOLD)
    )
    rows = members.select_related("user").order_by("user__name", "user__email")
    return [
        one.user.get_full_name() for one in rows if str(one.user_id) != hold.release_requested_by
    ]


def _record(action: str, hold: Hold, reason: str) -> None:
    record(action, Target("hold", str(hold.id)), Facts(links={"reason": reason}))
