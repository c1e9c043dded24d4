"""Asking for a right: the acting actor back, or the refusal that the contract names."""

from __future__ import annotations

from memoryhub.errors import Denied, Missing, Unauthenticated
from tenants.actors import Actor, ActorKind
from tenants.context import current_actor
from tenants.roles import Action, allows, scope_for


def require(action: Action) -> Actor:
    """The actor, when it may do this.

    Raises Unauthenticated for nobody; Denied `scope_missing` (with `required`) or `people_only`
    for a key, `role_too_low` for a person.
    """
    actor = current_actor()
    if allows(actor, action):
        return actor
    if not actor.is_known:
        raise Unauthenticated
    if actor.kind is ActorKind.KEY:
        scope = scope_for(action)
        if scope is None:
            raise Denied("Only people may do this.", code="people_only")
        raise Denied(f"The key lacks the scope {scope}.", code="scope_missing", required=scope)
    if not actor.roles:
        raise Missing
    raise Denied("Your role does not allow this.", code="role_too_low")


def require_whole_tenant(action: Action) -> Actor:
    """As `require`, for what speaks of the whole tenant: not for callers with prefixes. Denied."""
    actor = require(action)
    if not actor.sees_everything:
        raise Denied("This speaks of the whole tenant.", code="outside_prefix")
    return actor
