"""Who may do what: the table of API.md as one pure function. Deny by default."""

from __future__ import annotations

from enum import StrEnum

from tenants.actors import Actor, ActorKind


class Role(StrEnum):
    """What a membership gives a person in one tenant."""

    ADMIN = "admin"
    OFFICER = "officer"
    AUDITOR = "auditor"
    VIEWER = "viewer"


class Scope(StrEnum):
    """What a key may do."""

    MEMORY_READ = "memory:read"
    MEMORY_WRITE = "memory:write"
    MEMORY_DELETE = "memory:delete"
    SESSION_USE = "session:use"
    EVENT_WRITE = "event:write"
    POLICY_READ = "policy:read"
    POLICY_WRITE = "policy:write"
    SUBJECT_WRITE = "subject:write"
    AUDIT_READ = "audit:read"


AGENT_SCOPES = (
    Scope.MEMORY_READ,
    Scope.MEMORY_WRITE,
    Scope.MEMORY_DELETE,
    Scope.SESSION_USE,
    Scope.EVENT_WRITE,
)
"""What `issue_key` gives when no scopes are named."""


class Action(StrEnum):
    """What is asked for. One name a row of the table (or a half of a row that has two rights)."""

    SEE_FIGURES = "figures.see"
    READ_VALUES = "values.read"
    REVEAL = "values.reveal"
    PUT = "memory.put"
    DELETE = "memory.delete"
    GOVERN_MEMORY = "memory.govern"
    DRAFT_RULES = "rules.draft"
    APPROVE_RULES = "rules.approve"
    PLACE_HOLD = "hold.place"
    RELEASE_HOLD = "hold.release"
    OPEN_REQUEST = "request.open"
    STEP_REQUEST = "request.step"
    READ_EVENTS = "events.read"
    EXPORT_EVENTS = "events.export"
    ADMINISTER = "tenant.administer"
    SEE_USAGE = "usage.see"
    USE_SESSIONS = "sessions.use"
    WRITE_EVENTS = "events.write"


_A, _O, _U, _V = Role.ADMIN, Role.OFFICER, Role.AUDITOR, Role.VIEWER

_TABLE: dict[Action, tuple[frozenset[Role], Scope | None]] = {
    Action.SEE_FIGURES: (frozenset({_A, _O, _U, _V}), Scope.POLICY_READ),
    Action.READ_VALUES: (frozenset({_O, _U}), Scope.MEMORY_READ),
    Action.REVEAL: (frozenset({_O}), None),
    Action.PUT: (frozenset(), Scope.MEMORY_WRITE),
    Action.DELETE: (frozenset({_O}), Scope.MEMORY_DELETE),
    Action.GOVERN_MEMORY: (frozenset({_O}), None),
    Action.DRAFT_RULES: (frozenset({_A, _O}), Scope.POLICY_WRITE),
    Action.APPROVE_RULES: (frozenset({_A, _O}), None),
    Action.PLACE_HOLD: (frozenset({_O}), Scope.POLICY_WRITE),
    Action.RELEASE_HOLD: (frozenset({_O}), None),
    Action.OPEN_REQUEST: (frozenset({_O}), Scope.SUBJECT_WRITE),
    Action.STEP_REQUEST: (frozenset({_O}), None),
    Action.READ_EVENTS: (frozenset({_O, _U}), Scope.AUDIT_READ),
    Action.EXPORT_EVENTS: (frozenset({_O, _U}), None),
    Action.ADMINISTER: (frozenset({_A}), None),
    Action.SEE_USAGE: (frozenset({_A, _O, _U}), Scope.POLICY_READ),
    Action.USE_SESSIONS: (frozenset(), Scope.SESSION_USE),
    Action.WRITE_EVENTS: (frozenset(), Scope.EVENT_WRITE),
}


def scope_for(action: Action) -> Scope | None:
    """The key scope that allows the action, or None where only people may."""
    return _TABLE[action][1]


def roles_that_may(action: Action) -> frozenset[Role]:
    """The roles whose people may do it."""
    return _TABLE[action][0]


def allows(actor: Actor, action: Action) -> bool:
    """Whether this actor may do this. Jobs and operators are the hub itself."""
    roles, scope = _TABLE[action]
    match actor.kind:
        case ActorKind.PERSON:
            return bool(roles & actor.roles)
        case ActorKind.KEY:
            return scope is not None and scope in actor.scopes
        case ActorKind.JOB | ActorKind.OPERATOR:
            return True
        case _:
            return False
