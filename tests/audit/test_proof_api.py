"""Proofs over the API: whoever holds an answer can check it with the public key alone."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest

from audit.jobs import run_job
from audit.sealing.merkle import hash_leaf
from audit.verifying.offline import is_consistent, open_checkpoint, root_by_inclusion
from sealing.signing import public_key
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.audit.tampering import write_events
from tests.callers import Caller
from tests.people import Person


def test_an_event_comes_with_a_proof_that_leads_to_a_signed_root(
    tenant: Tenant, agent: Caller, seal_now: Callable[[], int]
) -> None:
    write_events(tenant, 7)
    seal_now()
    write_events(tenant, 1)
    items = agent.call("GET", "/audit/events").json()["items"]
    assert items[0]["sealed"] is None
    for item in items[1:]:
        event = agent.call("GET", f"/audit/events/{item['id']}").json()
        proof = event["proof"]
        assert item["sealed"] == {name: proof[name] for name in ("epoch", "index", "size")}
        origin = f"memoryhub/{tenant.id}/{proof['epoch']}"
        signed = open_checkpoint(proof["checkpoint"], public_key().text, origin)
        leaf = hash_leaf(event["payload"].encode())
        assert event["leaf"] == leaf.hex()
        path = [bytes.fromhex(node) for node in proof["path"]]
        assert root_by_inclusion(leaf, proof["index"], proof["size"], path) == signed.root
    newest = agent.call("GET", f"/audit/events/{items[0]['id']}").json()
    assert newest["proof"] is None


@pytest.mark.slow
def test_checkpoints_are_listed_and_proved_to_have_grown(
    tenant: Tenant, agent: Caller, seal_now: Callable[[], int]
) -> None:
    for count in (3, 5, 2):
        write_events(tenant, count)
        seal_now()
    answer = agent.call("GET", "/audit/checkpoints?limit=2&count=true").json()
    assert answer["total"] >= 3
    assert answer["next"]
    rest = agent.call("GET", f"/audit/checkpoints?cursor={answer['next']}").json()["items"]
    items = [*answer["items"], *rest]
    assert [one["size"] for one in items] == sorted((one["size"] for one in items), reverse=True)
    new, old = items[0], items[-1]
    where = f"epoch={new['epoch']}&from={old['size']}&to={new['size']}"
    proof = agent.call("GET", f"/audit/checkpoints/consistency?{where}").json()
    assert proof["checkpoints"] == {"from": old["note"], "to": new["note"]}
    roots = [bytes.fromhex(one["root"]) for one in (old, new)]
    path = [bytes.fromhex(node) for node in proof["path"]]
    assert is_consistent((old["size"], roots[0]), (new["size"], roots[1]), path)
    assert b64decode(new["note"].splitlines()[2]) == roots[1]


def test_what_the_log_never_had_is_refused(
    tenant: Tenant, agent: Caller, seal_now: Callable[[], int]
) -> None:
    write_events(tenant, 2)
    seal_now()
    at = "/audit/checkpoints/consistency"
    epoch = agent.call("GET", "/audit/checkpoints").json()["items"][0]["epoch"]
    for query, status in (
        (f"epoch={epoch}&from=2&to=1", 422), (f"epoch={epoch}&from=1", 422),
        (f"epoch={epoch}&from=x&to=1", 422), (f"epoch={epoch}&from=0&to=999999", 404),
        ("epoch=99999&from=0&to=1", 404), (f"epoch={epoch}&from=0&to={'9' * 30}", 422),
    ):  # fmt: skip
        assert agent.call("GET", f"{at}?{query}").status_code == status, query


def verified(tenant: Tenant, person: Person, body: dict[str, Any]) -> dict[str, Any]:
    asked = person.call("POST", "/audit/verify", body)
    assert asked.status_code == 202, asked.content
    with acting_as(operator_actor(tenant.id)):
        run_job(UUID(asked.json()["id"]))
    done = person.call("GET", f"/jobs/{asked.json()['id']}").json()
    assert done["state"] == "done"
    return dict(done)


def test_the_log_is_verified_by_a_job(
    tenant: Tenant, make_person: Callable[..., Any], seal_now: Callable[[], int]
) -> None:
    write_events(tenant, 4)
    seal_now()
    auditor = Person(make_person(tenant, "auditor"), tenant)
    done = verified(tenant, auditor, {})
    result = done["result"]
    assert (result["code"], result["first_bad"]) == (0, None)
    assert result["events"] >= 4
    assert set(result["last_good"]) == {"epoch", "size", "at"}
    assert done["progress"]["done"] == done["progress"]["total"] > 0
    told = auditor.call("GET", "/audit/events?action=audit.verify").json()["items"]
    assert told[0]["counts"]["code"] == 0


def test_a_naive_or_unknown_span_is_refused(
    tenant: Tenant, make_person: Callable[..., Any]
) -> None:
    auditor = Person(make_person(tenant, "auditor"), tenant)
    for body, code in (
        ({"from": "2026-01-01T00:00:00"}, "naive_instant"), ({"since": "x"}, "unknown_field"),
        ({"from": 3}, None),
    ):  # fmt: skip
        answer = auditor.call("POST", "/audit/verify", body)
        assert answer.status_code == 422
        assert code in (None, answer.json()["errors"][0]["code"])


def test_another_tenants_proofs_are_not_there(
    tenant: Tenant, agent: Caller, outsider: Caller, seal_now: Callable[[], int]
) -> None:
    write_events(tenant, 2)
    seal_now()
    event = agent.call("GET", "/audit/events").json()["items"][0]
    assert outsider.call("GET", f"/audit/events/{event['id']}").status_code == 404
    assert outsider.call("GET", f"/audit/events/{uuid4()}").status_code == 404
    theirs = {one["root"] for one in outsider.call("GET", "/audit/checkpoints").json()["items"]}
    ours = {one["root"] for one in agent.call("GET", "/audit/checkpoints").json()["items"]}
    assert not theirs & ours
