"""Labels in the log: a name that commits to the label, found by it, and leading nowhere later."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from hashlib import sha256
from urllib.parse import urlencode
from uuid import uuid4

import psycopg
import pytest
from django.db import transaction

from audit.labels import MARK, mark_labels
from audit.models import LoggedLabel
from audit.partitions import forget_unused_labels
from audit.recording import Draft, Target, append, draft, record
from memories.namespaces import encode
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.ageing import act_as_owner
from tests.audit.reading import events_of
from tests.callers import Caller
from tests.people import Person

ODD = ["用户", 'q"uo\\te', "a/b%", "line\nbreak", "😀", "(x)*[y]"]


def labels_of(tenant: Tenant) -> list[LoggedLabel]:
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        return list(LoggedLabel.objects.order_by("label"))


def found_by(officer: Person, namespace: list[str]) -> list[str]:
    query = urlencode({"action": "memory.put", "namespace": ".".join(namespace)})
    found = officer.call("GET", f"/audit/events?{query}").json()["items"]
    return [one["target"]["namespace"] for one in found]


@pytest.fixture
def officer(tenant: Tenant, make_person: Callable[..., User]) -> Person:
    return Person(make_person(tenant, "officer"), tenant)


def test_a_label_is_a_hash_with_something_random_and_read_back(
    agent: Caller, tenant: Tenant, officer: Person
) -> None:
    agent.put(["users", "u-17", "notes"], "k", {"n": 1}, index=False)
    (event,) = events_of(tenant, action="memory.put")
    assert event.place == "users/u-17/notes/"
    assert "u-17" not in (event.namespace or "") + event.payload
    assert json.loads(event.payload)["target"]["namespace"] == event.namespace
    rows = {row.label: row for row in labels_of(tenant)}
    assert event.namespace == f"users/{rows['u-17'].name}/{rows['notes'].name}/"
    for label, row in rows.items():
        assert row.name == f"n_{sha256(row.id.bytes + label.encode()).hexdigest()[:32]}"
    assert found_by(officer, ["users", "u-17"]) == ["users/u-17/notes/"]


def test_the_same_label_keeps_its_name_and_other_tenants_have_another(
    agent: Caller, tenant: Tenant, outsider: Caller
) -> None:
    agent.batch(*({"op": "put", "namespace": ["a"], "key": f"{n}", "value": {}} for n in range(3)))
    agent.get(["a"], "1")
    outsider.put(["a"], "k", {}, index=False)
    assert len({event.namespace for event in events_of(tenant, target_kind="memory")}) == 1
    assert [row.label for row in labels_of(tenant)] == ["a"]


def test_labels_of_any_signs_are_found_by_themselves_and_by_whole_labels(
    agent: Caller, tenant: Tenant, officer: Person
) -> None:
    agent.put(ODD, "k", {"n": 1}, index=False)
    agent.put([ODD[0] + "x"], "k", {"n": 1}, index=False)
    for depth in range(1, len(ODD) + 1):
        assert found_by(officer, ODD[:depth]) == [encode(ODD)]
    assert found_by(officer, ["x"]) == found_by(officer, ["用"]) == []
    assert len(found_by(officer, [])) == 2
    for event in events_of(tenant):
        assert (json.loads(event.payload)["target"]["namespace"]) == event.namespace


def test_older_events_with_the_label_in_clear_are_found_beside_those_with_a_name(
    agent: Caller, tenant: Tenant, officer: Person
) -> None:
    agent.put(["users", "u-1"], "k", {"n": 1}, index=False)
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        old = draft("memory.put", Target("memory", str(uuid4()), "users/u-1/"))
        clear = [one.replace(MARK, "") if isinstance(one, str) else one for one in old.row]
        append([Draft(old.id, clear)])
    assert found_by(officer, ["users", "u-1"]) == ["users/u-1/"] * 2
    assert found_by(officer, ["users", "u-10"]) == []


def test_a_row_that_was_tampered_with_means_nothing(
    agent: Caller, tenant: Tenant, owner_url: str
) -> None:
    agent.put(["crm"], "k", {"n": 1}, index=False)
    with psycopg.connect(owner_url) as connection:
        act_as_owner(connection, tenant)
        connection.execute("UPDATE audit_loggedlabel SET label = 'hr'")
    (event,) = events_of(tenant, action="memory.put")
    assert event.place == event.namespace


def test_two_transactions_that_meet_a_label_at_once_do_not_wait_for_each_other(
    tenant: Tenant, agent: Caller, officer: Person
) -> None:
    """The first one is still open as the second one commits."""
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        record("memory.put", Target("memory", str(uuid4()), "new/"))
        other = threading.Thread(target=agent.put, args=(["new"], "k", {"n": 1}))
        other.start()
        other.join(timeout=20)
        assert not other.is_alive()
    assert found_by(officer, ["new"]) == ["new/", "new/"]
    assert [row.label for row in labels_of(tenant)] == ["new", "new"]
    agent.put(["new"], "k2", {"n": 1}, index=False)
    assert len(labels_of(tenant)) == 2


def test_a_label_goes_with_the_last_event_that_names_it(agent: Caller, tenant: Tenant) -> None:
    agent.put(["crm", "kept"], "k", {"n": 1}, index=False)
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        LoggedLabel.objects.create(name="n_" + "0" * 32, label="gone")
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        assert forget_unused_labels() == 1
    assert [row.label for row in labels_of(tenant)] == ["crm", "kept"]


def test_names_that_the_hub_made_stay_as_they_are() -> None:
    session, person = "0" * 32, "s_" + "1" * 20
    own = f"users/{person}/sessions/{session}/"
    assert mark_labels(own) == own
    assert mark_labels(f"crm/{session}/s_x/") == f"{MARK}crm/{MARK}{session}/{MARK}s_x/"
    assert mark_labels("") == ""
