"""No sequence of operations destroys a held byte, whatever the operations are and in what order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from memories.scanning import drop_orphans, scan_pending
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.ageing import act_as_owner
from tests.callers import Caller
from tests.holds.holders import BASE, WHY, Holders
from tests.people import Person

NAMESPACES = (["a"], ["a", "b"])
SUBJECTS = st.lists(st.sampled_from(["s", "t"]), unique=True)
VALUES = (
    "SELECT m.id, m.namespace, m.subjects, array_agg(v.value::text) || m.value::text "
    "FROM memories_memory m LEFT JOIN memories_memoryversion v "
    "ON v.tenant_id = m.tenant_id AND v.memory_id = m.id WHERE m.tenant_id = %s "
    "GROUP BY m.tenant_id, m.id"
)

Stored = dict[str, tuple[str, set[str], set[str]]]
"""By id of a memory: where, about whom, and every value that is kept of it."""


def stored(holders: Holders) -> Stored:
    with psycopg.connect(holders.owner_url) as connection:
        act_as_owner(connection, holders.tenant)
        rows = connection.execute(VALUES, [holders.tenant.id]).fetchall()
    return {str(row[0]): (row[1], set(row[2]), set(row[3]) - {None}) for row in rows}


class Keeping(RuleBasedStateMachine):
    """Whoever may do anything does it; the model remembers what each standing hold has covered."""

    make: Callable[[], Holders]

    def __init__(self) -> None:
        super().__init__()
        self.holders = type(self).make()
        self.scopes: dict[str, dict[str, Any]] = {}
        self.asked: set[str] = set()
        self.covered: dict[str, set[str]] = defaultdict(set)
        self.seen: dict[str, set[str]] = defaultdict(set)
        self.number = 0

    @rule(
        key=st.just("k"), place=st.sampled_from(NAMESPACES), subjects=SUBJECTS,
        ttl=st.sampled_from([1, None]), source=st.booleans(), times=st.integers(1, 4),
    )  # fmt: skip
    def put(
        self, key: str, place: list[str], subjects: list[str], ttl: float | None, source: bool,
        times: int,
    ) -> None:  # fmt: skip
        options: dict[str, Any] = {"ttl": ttl, "subjects": subjects}
        found = self.holders.agent.get(["a"], "k") if source else None
        if found is not None and found.status_code == 200 and place != ["a"]:
            options["derived_from"] = [found.json()["id"]]
        for _ in range(times):
            self.number += 1
            self.holders.put(key, place, value={"n": self.number}, **options)

    @rule(key=st.just("k"), place=st.sampled_from(NAMESPACES))
    def delete(self, key: str, place: list[str]) -> None:
        assert self.holders.agent.delete(place, key).status_code == 204

    @rule(place=st.sampled_from(NAMESPACES))
    def delete_below(self, place: list[str]) -> None:
        body = {"namespace_prefix": place, "dry_run": False}
        assert self.holders.agent.call("DELETE", "/store/namespaces", body).status_code == 200

    @rule(versions=st.sampled_from([1, 3]), trash=st.sampled_from([0, 30]))
    def change_settings(self, versions: int, trash: int) -> None:
        with acting_as(operator_actor(self.holders.tenant.id)):
            tenant = Tenant.objects.get(id=self.holders.tenant.id)
            tenant.versions_kept, tenant.trash_days = versions, trash
            tenant.save()

    @rule(days=st.sampled_from([0, 40]))
    def sweep(self, days: int) -> None:
        self.holders.wait(days=days)
        self.holders.sweep()
        with acting_as(operator_actor(self.holders.tenant.id)):
            scan_pending()
            drop_orphans()

    @rule(kind=st.sampled_from(["subjects", "namespaces", "ids"]), pick=st.integers(0, 5))
    def place(self, kind: str, pick: int) -> None:
        known = sorted(stored(self.holders))
        scope: dict[str, Any] = {
            "subjects": {"subjects": ["st"[pick % 2]]},
            "namespaces": {"namespaces": [NAMESPACES[pick % 2]]},
            "ids": {"ids": [known[pick % len(known)]]} if known else {"subjects": ["s"]},
        }[kind]
        self.scopes[self.holders.place(**scope)] = scope

    @rule(pick=st.integers(0, 5))
    def step_release(self, pick: int) -> None:
        if not self.scopes:
            return
        hold = sorted(self.scopes)[pick % len(self.scopes)]
        person = self.holders.second if hold in self.asked else self.holders.first
        assert person.call("POST", f"{BASE}/{hold}/release", WHY).status_code == 200
        if hold in self.asked:
            del self.scopes[hold]
            self.covered.pop(hold, None)
        self.asked.add(hold)

    @invariant()
    def nothing_held_is_lost(self) -> None:
        now = stored(self.holders)
        for hold, scope in self.scopes.items():
            self.covered[hold] |= {one for one, row in now.items() if _covers(scope, one, row)}
        held = set().union(*self.covered.values()) if self.covered else set()
        for identifier in held:
            assert identifier in now, f"{identifier} is gone"
            lost = self.seen[identifier] - now[identifier][2]
            assert not lost, f"{identifier} lost {lost}"
            self.seen[identifier] |= now[identifier][2]
        for identifier in set(self.seen) - held:
            del self.seen[identifier]


def _covers(scope: dict[str, Any], identifier: str, row: tuple[str, set[str], set[str]]) -> bool:
    prefixes = ["/".join(one) + "/" for one in scope.get("namespaces", ())]
    return (
        identifier in scope.get("ids", ())
        or bool(row[1] & set(scope.get("subjects", ())))
        or any(row[0].startswith(prefix) for prefix in prefixes)
    )


@pytest.mark.slow
def test_no_sequence_of_operations_destroys_a_held_byte(
    make_tenant: Callable[..., Tenant], make_caller: Callable[..., Caller],
    make_person: Callable[..., User], owner_url: str,
) -> None:  # fmt: skip
    def make() -> Holders:
        tenant = make_tenant(versions_kept=1, trash_days=0)
        first, second = (Person(make_person(tenant, "officer"), tenant) for _ in range(2))
        return Holders(tenant, make_caller(tenant), first, second, owner_url)

    machine = type("KeepingHere", (Keeping,), {"make": staticmethod(make)})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=12, stateful_step_count=30, deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )  # fmt: skip
