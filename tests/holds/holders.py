"""Holds placed and released by two officers over HTTP, with sweeps and time in between."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from memories.models import Memory
from memories.sweeping import sweep_now
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.ageing import let_pass
from tests.callers import Caller
from tests.people import Person

BASE = "/policies/holds"
WHY = {"reason": "the court asks for it"}


class Holders:
    """A tenant with an agent and two officers."""

    def __init__(
        self, tenant: Tenant, agent: Caller, first: Person, second: Person, owner_url: str
    ) -> None:
        self.tenant, self.agent, self.owner_url = tenant, agent, owner_url
        self.first, self.second = first, second

    def put(self, key: str = "k", namespace: list[str] | None = None, **options: Any) -> str:
        """A memory's id."""
        value = options.pop("value", {"n": key})
        options.setdefault("index", False)
        answer = self.agent.put(namespace or ["a"], key, value, **options)
        assert answer.status_code == 200, answer.content
        return str(answer.json()["id"])

    def place(self, caller: Caller | None = None, **scope: Any) -> str:
        """A hold's id."""
        body = {"matter": "M 1", "custodian": "Legal", "scope": scope, **WHY}
        answer = (caller or self.first).call("POST", BASE, body)
        assert answer.status_code == 201, answer.content
        return str(answer.json()["id"])

    def release(self, hold: str) -> None:
        """By two people."""
        for person in (self.first, self.second):
            answer = person.call("POST", f"{BASE}/{hold}/release", WHY)
            assert answer.status_code == 200, answer.content

    def counts(self, hold: str) -> dict[str, int]:
        answer = self.first.call("GET", f"{BASE}/{hold}")
        assert answer.status_code == 200, answer.content
        found: dict[str, int] = answer.json()["counts"]
        return found

    def sweep(self) -> dict[str, int]:
        with acting_as(operator_actor(self.tenant.id)):
            counts: dict[str, int] = sweep_now().counts
            return counts

    def wait(self, **span: float) -> None:
        let_pass(self.owner_url, self.tenant, **span)

    def is_there(self, identifier: str) -> bool:
        with acting_as(operator_actor(self.tenant.id)), transaction.atomic():
            return bool(Memory.objects.filter(id=identifier).exists())

    def state(self, identifier: str) -> str:
        answer = self.first.call("GET", f"/memories/{identifier}")
        return "PURGED" if answer.status_code == 410 else answer.json()["retention"]["state"]
