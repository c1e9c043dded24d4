"""What did the agent know: an agent and an instant give what it could recall then, under which
rules, and what it read before."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from audit.models import Event
from audit.recording import Facts, Target, record
from memories.knowing import Known, list_known, regime_at
from memories.namespaces import decode, narrow
from memoryhub.errors import Invalid, Missing
from tenants.authorising import require
from tenants.context import current_actor, current_tenant_id, now
from tenants.models import ApiKey, Membership
from tenants.roles import Action

READS = ("memory.get", "memory.search", "memory.batch", "memory.versions", "context.assemble")
READS_SHOWN = 50
READS_SINCE = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Agent:
    """A key or person whose knowledge is asked for; `prefixes` bound what it sees."""

    kind: str
    id: str
    name: str
    prefixes: tuple[str, ...]
    could_read: bool = True
    """Whether it might come in at the instant: made before, neither revoked nor expired."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What an agent could recall at an instant; `next` is the id after which the next page is."""

    agent: Agent
    at: datetime
    ruleset: int
    items: list[Known]
    next: UUID | None
    reads: list[Event]


def find_agent(named: str, at: datetime) -> Agent:
    """By a key's id or name, or a person's id. Raises Missing."""
    tenant = current_tenant_id()
    keys = ApiKey.objects.filter(tenant_id=tenant)
    key = keys.filter(id=named.removeprefix("mh_")[:12]).first() or keys.filter(name=named).first()
    if key is not None:
        ended = [end for end in (key.revoked_at, key.expires_at) if end is not None]
        open_then = key.created_at <= at and all(end > at for end in ended)
        return Agent("key", key.id, key.name, tuple(key.prefixes) or ("",), open_then)
    try:
        members = Membership.objects.filter(tenant_id=tenant, user_id=UUID(named))
    except ValueError:
        members = Membership.objects.none()
    member = members.select_related("user").first()
    if member is None:
        raise Missing("There is no such agent in this tenant.")
    since = member.accepted_at or member.created_at
    return Agent(
        "person", str(member.user_id), member.user.name, tuple(member.prefixes) or ("",),
        since <= at,
    )  # fmt: skip


def list_agents() -> list[tuple[str, str]]:
    """(id, name) of the tenant's keys, the newest first, those that ended included."""
    require(Action.READ_EVENTS)
    rows = ApiKey.objects.filter(tenant_id=current_tenant_id()).order_by("-created_at", "-id")
    return [(one.id, f"{one.name} (mh_{one.id})") for one in rows[:500]]


def read_known(
    named: str, at: datetime, *, namespace: str = "", after: UUID | None = None, limit: int = 50
) -> Knowledge:
    """What `named` could recall at `at` below a stored prefix. Missing; Invalid for the future."""
    require(Action.READ_EVENTS)
    with transaction.atomic():
        if at > now():
            raise Invalid.at("at", "out_of_range", "That is not over yet.")
        agent = find_agent(named, at)
        prefixes = tuple(
            deepest
            for own in narrow(agent.prefixes, namespace)
            for deepest in narrow(current_actor().prefixes, own)
        )
        found = []
        if agent.could_read and prefixes:
            found = list_known(prefixes, at=at, after=after, limit=limit + 1)
        reads = _reads_of(agent, at)
        record(
            "evidence.known", Target(agent.kind, agent.id, namespace or None),
            Facts(counts={"n": min(len(found), limit)}, links={"at": at.isoformat()}),
        )  # fmt: skip
        ruleset = regime_at(at).ruleset
    more = found[limit - 1].id if len(found) > limit else None
    return Knowledge(agent, at, ruleset, found[:limit], more, reads)


def _reads_of(agent: Agent, at: datetime) -> list[Event]:
    """The newest events by which it was given content within the day before."""
    rows: Any = Event.objects.all()
    rows = rows.within(current_actor().prefixes).filter(
        actor_id=agent.id, action__in=READS, outcome="success", at__lte=at, at__gt=at - READS_SINCE
    )
    return list(rows.newest_first().without_payload().with_places()[:READS_SHOWN])


def present_known(found: Knowledge) -> dict[str, Any]:
    """As the API gives it: ids, places, versions; no values."""
    return {
        "actor": {"kind": found.agent.kind, "id": found.agent.id, "name": found.agent.name},
        "at": found.at, "ruleset": found.ruleset, "could_read": found.agent.could_read,
        "items": [
            {
                "memory_id": one.id, "namespace": list(decode(one.namespace)), "kind": one.kind,
                "state": one.state, "version": one.version, "destroyed": one.destroyed,
            }
            for one in found.items
        ],
        "next": found.next,
        "read": [
            {
                "event_id": event.id, "at": event.at, "action": event.action,
                "memory_ids": event.links.get("ids")
                or ([event.target_id] if event.target_kind == "memory" else []),
            }
            for event in found.reads
        ],
    }  # fmt: skip
