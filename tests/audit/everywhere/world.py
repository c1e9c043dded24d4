"""One tenant with everybody in it, and what any request or piece of work left in the log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any
from uuid import uuid4

from django.db import transaction

from audit.models import Event
from tenants.access.provisioning import create_tenant, create_user, issue_key
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.ids import PLATFORM_TENANT, uuid7
from tenants.models import Tenant
from tenants.roles import Scope
from tests.api.test_permissions import ROLES, Line
from tests.callers import Caller
from tests.people import Person

NOTHING: tuple[str, ...] = ()
SCOPES = [scope.value for scope in Scope]
NUMBERS = count(1)


@dataclass
class World:
    """A tenant, and an agent with every scope; people and narrower keys as they are asked for."""

    tenant: Tenant
    agent: Caller
    places: dict[str, str] = field(default_factory=dict)
    """By name of a variable part of an address: something that is only looked at."""

    @cached_property
    def people(self) -> dict[str, Person]:
        """By letter of their role, as in the table of permissions."""
        return {letter: self.make_person(role) for letter, role in ROLES.items()}

    @cached_property
    def second(self) -> Person:
        """Another officer."""
        return self.make_person("officer")

    @cached_property
    def memory(self) -> str:
        """A memory that stays."""
        return self.put(["kept"], "k")

    def make_person(self, role: str) -> Person:
        with acting_as(operator_actor(self.tenant.id)):
            name = f"{role}-{uuid4().hex[:8]}@example.com"
            return Person(create_user(name, tenant=self.tenant, role=role), self.tenant)

    def make_key(self, scopes: list[str]) -> Caller:
        with acting_as(operator_actor(self.tenant.id)):
            return Caller(str(issue_key(self.tenant, name="test", scopes=scopes).text))

    def caller(self, line: Line) -> Caller:
        """Somebody who may."""
        return self.agent if line.scope is not None else self.people[line.roles[0]]

    def put(self, namespace: list[str], key: str, value: Any = None, **options: Any) -> str:
        """A memory's id."""
        options.setdefault("index", False)
        answer = self.agent.put(namespace, key, value or {"a": 1}, **options)
        assert answer.status_code == 200, answer.content
        return str(answer.json()["id"])

    def say(self, session: str, content: str) -> None:
        said = {"role": "user", "content": content}
        answer = self.agent.call("POST", f"/sessions/{session}/messages", said)
        assert answer.status_code == 201, answer.content

    def told(self, by: Caller, method: str, path: str, body: Any = None) -> tuple[Any, Any]:
        """A request that succeeds: its answer, and what it left."""
        request_id = uuid4().hex
        answer = by.call(method, path, body, x_request_id=request_id)
        assert answer.status_code < 300, answer.content
        return answer, self.left_by(request_id)

    def left_by(self, request_id: str) -> tuple[str, ...]:
        """What a request left, in the tenant and on the platform: its actions, sorted, with the
        outcome where it is no success."""
        return self._read(request_id=request_id)

    @contextmanager
    def watching(self) -> Iterator[list[str]]:
        """What the block leaves, in the tenant and on the platform, known when it is over."""
        left: list[str] = []
        since = uuid7()  # events of one process have ascending ids
        yield left
        left += self._read(id__gt=since)

    def _read(self, **conditions: Any) -> tuple[str, ...]:
        found: list[str] = []
        for tenant_id in (self.tenant.id, PLATFORM_TENANT):
            with acting_as(operator_actor(tenant_id)), transaction.atomic():
                rows = Event.objects.filter(**conditions).values_list("action", "outcome")
                found += [_word(*row) for row in rows]
        return tuple(sorted(found))


def _word(action: str, outcome: str) -> str:
    return action if outcome == "success" else f"{action} {outcome}"


def make_world() -> World:
    """A fresh one."""
    slug = f"t-{uuid4().hex[:12]}"
    with acting_as(operator_actor()):
        tenant = create_tenant(slug, name=slug)
    with acting_as(operator_actor(tenant.id)):
        key = issue_key(tenant, name="test", scopes=SCOPES)
    return World(tenant, Caller(str(key.text)))


def identifier(answer: Any, at: str = "id") -> str:
    """The id of what was made."""
    return str(answer.json()[at])
