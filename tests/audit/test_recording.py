"""Everything that happens leaves an event: who, what, for whom, in which request."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from audit.models import Event
from audit.recording import Target, record
from memories.ops import parse_put
from memories.sweeping import sweep_now
from memories.writing import put_memory
from tenants.access.provisioning import create_user, issue_key, revoke_key
from tenants.actors import job_actor, operator_actor
from tenants.context import acting_as
from tenants.ids import PLATFORM_TENANT
from tenants.models import Tenant
from tests.ageing import let_pass
from tests.audit.reading import events_of
from tests.callers import Caller

REQUEST = "request-of-the-test"
PUT = {"key": "new", "value": {}, "index": False}


def one(tenant: Tenant, action: str) -> Event:
    found = events_of(tenant, action=action)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("action", "code", "call"),
    [
        (
            "memory.put",
            "MEM-PUT-S",
            ("PUT", "/store/items", {"key": "l", "value": {}, "index": False}),
        ),
        ("memory.get", "MEM-GET-S", ("GET", "/store/items?namespace=a&key=k", None)),
        ("memory.search", "MEM-SRC-S", ("POST", "/store/items/search", {})),
        ("memory.delete", "MEM-DEL-S", ("DELETE", "/store/items", {"key": "k"})),
    ],
)
def test_a_request_leaves_one_event_with_actor_request_and_code(
    agent: Caller, tenant: Tenant, action: str, code: str, call: tuple[str, str, Any]
) -> None:
    made = agent.put(["a"], "k", {"text": "x"}, index=False).json()
    method, path, body = call
    if body is not None:
        body |= {"namespace_prefix" if "search" in path else "namespace": ["a"]}
    seen = {event.id for event in events_of(tenant)}
    answer = agent.call(method, path, body, x_request_id=REQUEST)
    assert answer.status_code < 300
    (event,) = [event for event in events_of(tenant) if event.id not in seen]
    key = agent.key.split("_")[1]
    assert (event.action, event.code, event.outcome) == (action, code, "success")
    assert (event.actor_kind, event.actor_id, event.key_id) == ("key", key, key)
    assert event.request_id == answer.headers["X-Request-Id"] == REQUEST
    assert event.client_net == "127.0.0.0/24"
    assert event.client_hash
    assert event.place == "a/"
    if action == "memory.search":
        assert event.counts == {"returned": 1}
        assert event.links["ids"] == [made["id"]]
        assert answer.json()["search_id"] == str(event.id)
    else:
        expected = answer.json()["id"] if action == "memory.put" else made["id"]
        assert (event.target_kind, event.target_id) == ("memory", expected)


def test_a_read_of_nothing_leaves_no_event(agent: Caller, tenant: Tenant) -> None:
    agent.get(["a"], "none")
    agent.delete(["a"], "none")
    assert not events_of(tenant, target_kind="memory")


def test_a_namespace_that_looks_like_the_slot_of_an_id_stays_itself(
    agent: Caller, tenant: Tenant
) -> None:
    agent.put(["@id@"], "k", {"n": 1}, index=False)
    agent.get(["@id@"], "k")
    event = one(tenant, "memory.get")
    assert event.place == "@id@/"
    assert json.loads(event.payload)["target"]["namespace"] == event.namespace


def test_each_write_of_a_batch_is_told(agent: Caller, tenant: Tenant) -> None:
    agent.put(["a"], "gone", {"n": 0}, index=False)
    agent.batch(
        {"op": "put", "namespace": ["a"], "key": "one", "value": {"n": 1}, "index": False},
        {"op": "put", "namespace": ["a"], "key": "two", "value": {"n": 2}, "index": False},
        {"op": "delete", "namespace": ["a"], "key": "gone"},
    )
    assert len(events_of(tenant, action="memory.put")) == 3
    assert len(events_of(tenant, action="memory.delete")) == 1


def test_a_sweep_tells_what_it_hid_and_destroyed(
    agent: Caller, tenant: Tenant, owner_url: str
) -> None:
    for key in "abc":
        agent.put(["a"], key, {"n": 1}, ttl=1, index=False)
    let_pass(owner_url, tenant, minutes=10)
    with acting_as(job_actor("sweep", tenant.id)):
        run = sweep_now("a/", trigger="beat")
    hidden, purged = one(tenant, "sweep.hide"), one(tenant, "sweep.purge")
    assert hidden.counts == purged.counts == {"n": 3}
    assert len(purged.links["digest"]) == 64
    assert (purged.actor_kind, purged.actor_id, purged.key_id) == ("job", "sweep", None)
    told = one(tenant, "sweep.run")
    assert (told.target_id, told.counts) == (str(run.id), run.counts)


def test_provisioning_is_told_in_the_tenant_and_a_new_tenant_on_the_platform_too(
    tenant: Tenant,
) -> None:
    with acting_as(operator_actor(tenant.id)):
        key = issue_key(tenant, name="k")
        revoke_key(key.row.id)
        revoke_key(key.row.id)
        user = create_user(f"{tenant.slug}@example.com", tenant=tenant, role="viewer")
        create_user(f"{tenant.slug}@example.com", tenant=tenant, role="officer")
    assert one(tenant, "key.issue").target_id == key.row.id
    assert one(tenant, "key.revoke").target_id == key.row.id
    assert one(tenant, "member.add").target_id == str(user.id)
    assert one(tenant, "member.change").links == {"role": "officer"}
    assert one(tenant, "tenant.create").actor_kind == "operator"
    with acting_as(operator_actor(PLATFORM_TENANT)), transaction.atomic():
        assert Event.objects.filter(action="tenant.create", target_id=str(tenant.id)).count() == 1


def test_a_write_whose_event_fails_is_rolled_back(acting: Tenant, agent: Caller) -> None:
    def refuse_events(execute, sql, params, many, context):
        if "INSERT INTO audit_event" in sql:
            sql = sql.replace(
                "INSERT INTO audit_event (tenant_id, at", "INSERT INTO audit_event (at, at"
            )
        return execute(sql, params, many, context)

    with connection.execute_wrapper(refuse_events):
        with pytest.raises(DatabaseError):
            put_memory(parse_put({"namespace": ["a"], "key": "k", "value": {}, "index": False}))
        assert agent.put(["a"], "k", {"n": 1}, index=False).status_code == 500
    assert agent.get(["a"], "k").status_code == 404


def test_a_configuration_whose_event_fails_is_not_changed(acting: Tenant) -> None:
    def refuse_events(execute, sql, params, many, context):
        if "INSERT INTO audit_event" in sql:
            raise DatabaseError("no event")
        return execute(sql, params, many, context)

    acting.name = "another"
    with connection.execute_wrapper(refuse_events), pytest.raises(DatabaseError):
        acting.save()
    assert Tenant.objects.get(id=acting.id).name == acting.slug


def test_an_event_of_a_transaction_that_rolls_back_is_gone(acting: Tenant) -> None:
    before = len(events_of(acting))

    def fail() -> None:
        with transaction.atomic():
            record("memory.embed", Target("embedding"))
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    assert len(events_of(acting)) == before


def test_a_request_id_of_the_caller_is_taken_only_if_it_is_plain(
    agent: Caller, make_caller: Callable[..., Caller]
) -> None:
    for given in ("x" * 129, "a b", "a\r\nSet-Cookie: x", "ключ", ""):
        answer = agent.call("POST", "/store/namespaces", {}, x_request_id=given)
        made = answer.headers["X-Request-Id"]
        assert made != given
        assert len(made) == 32
