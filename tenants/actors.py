"""Who acts: a person, a key, a job, an operator at the console, or nobody we know. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from uuid import UUID

from tenants.ids import PLATFORM_TENANT

EVERYTHING: tuple[str, ...] = ("",)
"""Stored namespace prefixes of a caller that may see the whole tenant."""


class ActorKind(StrEnum):
    """The kinds an event can name."""

    PERSON = "person"
    KEY = "key"
    JOB = "job"
    OPERATOR = "operator"
    ANONYMOUS = "anonymous"


@dataclass(frozen=True, slots=True)
class Actor:
    """One who acts in one tenant, as long as `acting_as` says so.

    `roles` are a person's (of the membership), `scopes` a key's. `prefixes` are stored namespace
    paths (`users/u1/`); an empty tuple sees nothing.
    """

    kind: ActorKind
    id: str
    name: str
    tenant_id: UUID
    roles: frozenset[str] = frozenset()
    scopes: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = field(default=EVERYTHING)
    key_id: str | None = None
    on_behalf_of: str | None = None

    @property
    def is_person(self) -> bool:
        return self.kind is ActorKind.PERSON

    @property
    def sees_everything(self) -> bool:
        """No prefix bounds what it sees of the tenant."""
        return "" in self.prefixes

    @property
    def is_known(self) -> bool:
        return self.kind is not ActorKind.ANONYMOUS

    @property
    def is_machine(self) -> bool:
        """Keys and jobs: they never approve, release, decide or reveal."""
        return self.kind in (ActorKind.KEY, ActorKind.JOB)


ANONYMOUS = Actor(
    kind=ActorKind.ANONYMOUS, id="anonymous", name="anonymous", tenant_id=PLATFORM_TENANT
)


def job_actor(job: str, tenant_id: UUID) -> Actor:
    """The hub itself, doing its work in one tenant."""
    return Actor(kind=ActorKind.JOB, id=job, name=job, tenant_id=tenant_id)


def operator_actor(tenant_id: UUID = PLATFORM_TENANT) -> Actor:
    """Whoever runs a command on the hub's own machine."""
    return Actor(
        kind=ActorKind.OPERATOR, id="console", name="operator at the console", tenant_id=tenant_id
    )
