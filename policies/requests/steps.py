"""The steps of a subject request: new, identity, scope, decision, running, verify, closed. Pure.

A state names the step that was taken last. Who opened a request, decided about it or said what is
excluded from it never approves it, and a machine takes no step but the opening.

A deferred erasure (a hold stands) stays `running` until the hold is gone; one whose probe found
something goes back to `scope`, so that the finding is decided and approved like everything else.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from memoryhub.errors import Conflict, Denied


class RequestKind(StrEnum):
    """What a person may ask for."""

    ACCESS = "access"
    ERASURE = "erasure"
    RESTRICTION = "restriction"


class RequestState(StrEnum):
    """How far a request is."""

    NEW = "new"
    IDENTITY = "identity"
    SCOPE = "scope"
    DECISION = "decision"
    RUNNING = "running"
    VERIFY = "verify"
    CLOSED = "closed"


class Step(StrEnum):
    """What people do with a request."""

    IDENTITY = "identity"
    SCOPE = "scope"
    EXCLUDE = "exclusions"
    DECIDE = "decide"
    APPROVE = "approve"
    EXTEND = "extend"
    WITHDRAW = "withdraw"


_S = RequestState
_UNDECIDED = frozenset({_S.NEW, _S.IDENTITY, _S.SCOPE, _S.DECISION})
_FROM: Final = {
    Step.IDENTITY: frozenset({_S.NEW}),
    Step.SCOPE: frozenset({_S.IDENTITY, _S.SCOPE}),
    Step.EXCLUDE: frozenset({_S.SCOPE, _S.DECISION}),
    Step.DECIDE: frozenset({_S.SCOPE}),
    Step.APPROVE: frozenset({_S.DECISION}),
    Step.EXTEND: _UNDECIDED | {_S.RUNNING, _S.VERIFY},
    Step.WITHDRAW: _UNDECIDED,
}


@dataclass(frozen=True, slots=True)
class RequestFacts:
    """What the steps depend on. `hands` are the ids of those who opened, decided or excluded."""

    kind: RequestKind
    state: RequestState
    is_scoped: bool = False
    is_extended: bool = False
    is_restricting: bool = False
    hands: Collection[str] = ()


def is_possible(request: RequestFacts, step: Step) -> bool:
    """Whether the step may be taken now, whoever takes it."""
    if step is Step.WITHDRAW and request.is_restricting:
        return True  # a restriction that was granted is lifted the same way
    if step is Step.EXTEND and request.is_extended:
        return False
    if step in (Step.DECIDE, Step.EXCLUDE) and not request.is_scoped:
        return False
    return request.state in _FROM[step]


def possible_steps(request: RequestFacts) -> tuple[Step, ...]:
    """What may be done now, in the order of the steps."""
    return tuple(step for step in Step if is_possible(request, step))


def check_step(request: RequestFacts, step: Step) -> None:
    """Raises Conflict `invalid_state` (with the state), or `already_extended`."""
    if is_possible(request, step):
        return
    if step is Step.EXTEND and request.is_extended:
        raise Conflict("It was extended once; the law knows no second time.",
                       code="already_extended")  # fmt: skip
    detail = f"The request is at the step {request.state}."
    raise Conflict(detail, state=request.state.value)


def check_second_person(request: RequestFacts, *, actor_id: str, is_person: bool) -> None:
    """Raises Denied: `people_only` for a machine, `second_person_required` for those before."""
    if not is_person:
        raise Denied("Only people may do this.", code="people_only")
    if actor_id in request.hands:
        raise Denied("Another person has to approve it.", code="second_person_required")
