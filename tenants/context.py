"""The one isolation point: `acting_as(actor)` says who acts, and so which tenant exists.

The invariant: a tenant never sees another tenant. Two guards hold it, and both read what is set
here. The manager (`tenants.managers`) raises when nobody acts and puts the tenant into every query
as a value; the database backend (`tenants.backend`) sends `hub_act(<tenant>)` as the first
statement of every outermost transaction, which Postgres's row policies read. A mistake in one is
caught by the other.

What can fail, and why it is built so:

* Threads and pooled connections outlive a request. So the context variable is reset in `finally`,
  and the tenant in the database is SET LOCAL: it ends with the transaction by itself.
* A tenant chosen inside a transaction would leave the earlier statements to another tenant. So
  `acting_as` inside `atomic` raises.
* Two clocks in one decision. So `now()` is the database's, read once per transaction.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections, transaction

from tenants.actors import Actor

if TYPE_CHECKING:
    from tenants.backend.base import DatabaseWrapper

T = TypeVar("T")


class NobodyActing(RuntimeError):
    """A tenant's data was asked for while nobody acts: a mistake in the code, never a user's."""


class OutsideTransaction(RuntimeError):
    """A tenant's data was touched outside `atomic`, where no row policy knows the tenant."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a request came from, for its events: the client by network and keyed hash only."""

    request_id: str = ""
    client_net: str = ""
    client_hash: str = ""


class Turn(StrEnum):
    """How a tenant's writer stands to its others: the lock that it begins with."""

    TOGETHER = "pg_advisory_xact_lock_shared"
    ALONE = "pg_advisory_xact_lock"


_actor: ContextVar[Actor | None] = ContextVar("hub_actor", default=None)
_origin: ContextVar[Origin] = ContextVar("hub_origin", default=Origin())  # noqa: B039 - frozen
_relaxed: ContextVar[bool] = ContextVar("hub_relaxed", default=False)
_fixed: ContextVar[bool] = ContextVar("hub_fixed_plans", default=False)
_turn: ContextVar[Turn | None] = ContextVar("hub_turn", default=None)


class _Held(Generic[T]):
    """A context variable that has a value for a block."""

    __slots__ = ("_token", "_value", "_variable")

    def __init__(self, variable: ContextVar[Any], value: T) -> None:
        self._variable, self._value = variable, value

    def __enter__(self) -> T:
        self._token = self._variable.set(self._value)
        return self._value

    def __exit__(self, *raised: object) -> None:
        self._variable.reset(self._token)


def acting_as(actor: Actor) -> _Held[Actor]:
    """Act as `actor` (and so in its tenant) until the block ends. Nests; not inside `atomic`."""
    if hub_connection().in_atomic_block:
        raise OutsideTransaction("acting_as goes outside atomic: the tenant is set as it begins")
    return _Held(_actor, actor)


def coming_from(origin: Origin) -> _Held[Origin]:
    """What is done in this block was asked for from there; its events and log lines say so."""
    return _Held(_origin, origin)


def relaxed_commit(*, when: bool = True) -> _Held[bool]:
    """Transactions begun in this block do not wait for the disk (`synchronous_commit` off).

    For agents' reads only: a crash of Postgres may lose the last half second of read events, a
    crash of ours none. See docs/adr/0006-read-events-commit-relaxed.md.
    """
    return _Held(_relaxed, when)


def fixed_plans(*, when: bool = True) -> _Held[bool]:
    """Transactions begun in this block plan a prepared statement once, whatever its parameters.

    For statements that find rows by their whole key: planning such a statement over the partitions
    takes longer than executing it. Not for searches, whose best plan hangs on what is asked.
    """
    return _Held(_fixed, when)


def taking_turn(turn: Turn) -> _Held[Turn]:
    """Transactions begun in this block wait for their turn among the tenant's writers first.

    It is taken as they begin, before any row is locked, and ends with them. Postgres serves who
    waits in the order of coming, so nobody who wants to be alone is passed by those who come later.
    A statement of such a transaction sees all that was committed before the turn. Inside `atomic`
    this raises: there it would be taken too late, or not at all.
    """
    if hub_connection().in_atomic_block:
        raise OutsideTransaction("a turn is taken as a transaction begins")
    return _Held(_turn, turn)


@contextmanager
def one_transaction() -> Iterator[None]:
    """One transaction for all that is asked in this block, its `atomic` blocks included.

    For pages that gather many figures: of one instant, and two round trips instead of two for each
    figure. A failure inside spoils all of it, so it is for reading.
    """
    connection = hub_connection()
    with transaction.atomic():
        before, connection.hub_joins = connection.hub_joins, True
        try:
            yield
        finally:
            connection.hub_joins = before


def has_fixed_plans() -> bool:
    """Whether transactions begun now keep one plan for each prepared statement."""
    return _fixed.get()


def turn_to_take() -> Turn | None:
    """The turn that transactions begun now wait for."""
    return _turn.get()


def current_actor() -> Actor:
    """Who acts. Raises `NobodyActing` when nobody does."""
    actor = _actor.get()
    if actor is None:
        raise NobodyActing("no actor: enter tenants.context.acting_as first")
    return actor


def actor_or_none() -> Actor | None:
    """Who acts, or None; for the backend and for logs."""
    return _actor.get()


def current_tenant_id() -> UUID:
    """The tenant of who acts."""
    return current_actor().tenant_id


def current_origin() -> Origin:
    """Where the current request came from; empty facts in commands and jobs."""
    return _origin.get()


def is_relaxed() -> bool:
    """Whether transactions begun now may commit without waiting for the disk."""
    return _relaxed.get()


def hub_connection() -> DatabaseWrapper:
    """The application's connection, with the facts of its transaction.

    Never kept: beside a running event loop Django's look-up gives another one in the same thread.
    """
    return cast("DatabaseWrapper", connections[DEFAULT_DB_ALIAS])


def now() -> datetime:
    """The instant of the current transaction, from the database's clock (UTC)."""
    instant = hub_connection().hub_now
    if instant is None:
        raise OutsideTransaction("now() comes with a transaction of an acting actor")
    return instant


def release_connection() -> None:
    """Give the connection back to the pool before a slow call outside (an embedding, an LLM).

    Raises when a transaction is open: nothing may be held while waiting for somebody else.
    """
    connection: Any = hub_connection()
    if connection.in_atomic_block:
        raise OutsideTransaction("a transaction is open; make the slow call before atomic")
    connection.close()
