"""Idempotency-Key: the same request twice acts once; what is kept holds no content."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction

from audit import repeating
from audit.models import RepeatableCall
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.callers import Caller
from tests.people import Person
from tests.threads import at_once


def put(caller: Caller, value: Any, key: str, name: str = "k", **options: Any) -> Any:
    body = {"namespace": ["a"], "key": name, "value": value, "index": False, **options}
    return caller.call("PUT", "/store/items", body, idempotency_key=key)


def test_the_same_request_again_gets_the_same_answer_and_acts_once(agent: Caller) -> None:
    first = put(agent, {"n": 1}, "k1")
    again = put(agent, {"n": 1}, "k1")
    assert first.status_code == again.status_code == 200
    assert again.headers["Idempotent-Replay"] == "true"
    assert "Idempotent-Replay" not in first.headers
    assert again.json()["id"] == first.json()["id"]
    assert again.json()["outcome"] == "created"
    assert again.json()["version"] == 1


def test_another_body_under_the_key_is_409(agent: Caller) -> None:
    put(agent, {"n": 1}, "k1")
    other = put(agent, {"n": 2}, "k1")
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_conflict")
    assert agent.get(["a"], "k").json()["value"] == {"n": 1}


def test_the_key_is_the_callers_own_and_of_one_path(
    agent: Caller, outsider: Caller, tenant: Tenant, make_caller: Any
) -> None:
    put(agent, {"n": 1}, "k1")
    assert "Idempotent-Replay" not in put(outsider, {"n": 1}, "k1").headers
    assert "Idempotent-Replay" not in put(make_caller(tenant), {"n": 1}, "k1").headers
    ops = {"ops": [{"op": "put", "namespace": ["a"], "key": "k", "value": {"n": 1}}]}
    batch = agent.call("POST", "/store/batch", ops, idempotency_key="k1")
    assert "Idempotent-Replay" not in batch.headers


@pytest.mark.parametrize("key", ["", " ", "a b", "é", "x" * 256])
def test_a_key_that_is_none_is_refused(agent: Caller, key: str) -> None:
    assert put(agent, {"n": 1}, key).status_code == 422


def test_a_batch_is_replayed_by_position_and_its_reads_are_asked_again(agent: Caller) -> None:
    ops = {
        "ops": [
            {"op": "put", "namespace": ["a"], "key": "k", "value": {"n": 1}, "index": False},
            {"op": "get", "namespace": ["a"], "key": "k"},
            {"op": "delete", "namespace": ["a"], "key": "none"},
        ]
    }
    first = agent.call("POST", "/store/batch", ops, idempotency_key="b").json()["results"]
    again = agent.call("POST", "/store/batch", ops, idempotency_key="b")
    assert again.headers["Idempotent-Replay"] == "true"
    assert again.json()["results"][0] == first[0]
    assert first[1] is None
    assert again.json()["results"][1]["value"] == {"n": 1}
    assert again.json()["results"][2] is None
    assert agent.get(["a"], "k").json()["version"] == 1


def test_nothing_of_the_content_is_kept(agent: Caller, tenant: Tenant) -> None:
    put(agent, {"secret": "pineapple"}, "k1", "the-key")
    sql = "SELECT row_to_json(c)::text FROM audit_repeatablecall c WHERE tenant_id = %s"
    with (
        acting_as(operator_actor(tenant.id)),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(sql, [tenant.id])
        (text,) = cursor.fetchone()
    assert "pineapple" not in text
    assert "the-key" not in text
    assert "k1" not in text


def test_two_at_once_act_once(agent: Caller) -> None:
    def run(_: int) -> Any:
        return put(Caller(agent.key), {"n": 1}, "same")

    answers = at_once([partial(run, n) for n in range(6)])
    assert {one.status_code for one in answers} == {200}
    assert len({one.json()["id"] for one in answers}) == 1
    assert sum("Idempotent-Replay" in one.headers for one in answers) == 5
    assert agent.get(["a"], "k").json()["version"] == 1


def test_a_refusal_by_state_is_kept_and_one_of_the_body_is_judged_again(agent: Caller) -> None:
    agent.put(["a"], "k", {"n": 1})
    first = put(agent, {"n": 2}, "k1", if_version=7)
    agent.put(["a"], "k", {"n": 3})
    again = put(agent, {"n": 2}, "k1", if_version=7)
    assert first.status_code == again.status_code == 412
    assert again.json()["version"] == first.json()["version"] == 1
    assert again.headers["Idempotent-Replay"] == "true"
    for _ in range(2):
        assert put(agent, {"n": 2}, "k2", ttl=-1).status_code == 422
    assert put(agent, {"n": 2}, "k2").status_code == 200


def test_a_request_that_died_before_its_commit_leaves_no_stuck_key(
    agent: Caller, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repeating, "LEASE", timedelta(0))
    first = put(agent, {"n": 1}, "k1")
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        # as if the process had died between the claim and the commit
        RepeatableCall.objects.all().update(status=None, made={}, holder=uuid4())
    agent.delete(["a"], "k")
    again = put(agent, {"n": 1}, "k1")
    assert again.status_code == 200
    assert "Idempotent-Replay" not in again.headers
    assert again.json()["id"] != first.json()["id"]


def test_who_was_overtaken_leaves_nothing(acting: Tenant) -> None:
    claim = repeating.claim_call("s" * 64, "b" * 64)
    assert isinstance(claim, repeating.Claim)
    with transaction.atomic():
        RepeatableCall.objects.all().update(holder=uuid4())

    def work() -> None:
        with repeating.holding(claim), transaction.atomic():
            repeating.settle({"id": "x"})

    with pytest.raises(repeating.Overtaken):
        work()


def test_a_crash_is_not_kept(agent: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: Any, **__: Any) -> None:
        raise RuntimeError("boom")

    with monkeypatch.context() as broken:
        broken.setattr("memories.writing.apply_puts", crash)
        assert put(agent, {"n": 1}, "k1").status_code == 500
    again = put(agent, {"n": 1}, "k1")
    assert again.status_code == 200
    assert "Idempotent-Replay" not in again.headers


def test_after_a_day_the_key_is_free(agent: Caller, tenant: Tenant) -> None:
    put(agent, {"n": 1}, "k1")
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        for call in RepeatableCall.objects.all():
            past = call.expires_at - timedelta(hours=25)
            RepeatableCall.objects.filter(id=call.id).update(expires_at=past)
    assert put(agent, {"n": 2}, "k1").json()["outcome"] == "updated"


def test_what_was_made_and_is_gone_is_a_replayed_404(agent: Caller) -> None:
    put(agent, {"n": 1}, "k1")
    agent.delete(["a"], "k")
    again = put(agent, {"n": 1}, "k1")
    assert again.status_code == 404
    assert again.headers["Idempotent-Replay"] == "true"


def test_a_restore_is_replayed_by_reading_the_memory_again(agent: Caller, officer: Person) -> None:
    made = agent.put(["a"], "k", {"n": 1}).json()
    agent.delete(["a"], "k")
    path, body = f"/memories/{made['id']}/restore", {"reason": "asked for"}
    first = officer.call("POST", path, body, idempotency_key="r")
    again = officer.call("POST", path, body, idempotency_key="r")
    assert first.status_code == again.status_code == 200
    assert again.headers["Idempotent-Replay"] == "true"
    assert again.json()["id"] == made["id"]
