"""The payload is the truth: canonical JSON, and every search column a copy of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime

from django.db import connection

from audit.events import EVENTS, Outcome, sentence
from audit.models import Event
from audit.recording import canonical
from memories.sweeping import sweep_now
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.audit.reading import events_of
from tests.callers import Caller


def columns_of(event: Event) -> dict[str, object]:
    """The event as its columns say."""
    return {
        "v": 1, "id": str(event.id), "tenant": str(event.tenant_id), "code": event.code,
        "action": event.action, "outcome": event.outcome,
        "actor": {"kind": event.actor_kind, "id": event.actor_id, "name": event.actor_name},
        "key_id": event.key_id, "roles": event.roles, "on_behalf_of": event.on_behalf_of,
        "request_id": event.request_id,
        "client": {"net": event.client_net, "hash": event.client_hash},
        "target": {
            "kind": event.target_kind, "id": event.target_id, "namespace": event.namespace
        },
        "subjects": event.subjects, "ruleset": event.ruleset, "counts": event.counts,
        "links": event.links, "changes": event.changes,
    }  # fmt: skip


def test_columns_and_payload_agree_in_every_kind_of_event(
    agent: Caller, tenant: Tenant, make_caller: Callable[..., Caller]
) -> None:
    labels = ["用户", "a/b%", "line\nbreak", "😀"]
    agent.put(labels, "k", {"n": 1}, index=False)
    agent.get(labels, "k")
    agent.search(labels, query="什么")
    agent.delete(labels, "k")
    make_caller(tenant, scopes=["event:write"]).get(labels, "k")
    with acting_as(operator_actor(tenant.id)):
        sweep_now()
        tenant.name = '名字 \u2028 " \\ 😀'
        tenant.save()
    events = events_of(tenant)
    assert len({event.action for event in events}) >= 8
    for event in events:
        truth = json.loads(event.payload)
        assert canonical(truth) == event.payload
        assert datetime.fromisoformat(truth.pop("at")) == event.at
        assert truth == columns_of(event)


def test_every_event_is_stamped_by_the_database(agent: Caller, tenant: Tenant) -> None:
    agent.put(["a"], "k", {"n": 1}, index=False)
    agent.get(["a"], "k")
    stamps = [(event.xid, event.node) for event in events_of(tenant)]
    with connection.cursor() as cursor:
        cursor.execute("SELECT system_identifier FROM pg_control_system()")
        (server,) = cursor.fetchone()
    assert all(xid for xid, _ in stamps)
    assert {node for _, node in stamps} == {server}


def test_every_code_is_its_own_and_has_a_sentence_in_both_languages() -> None:
    stems = [kind.stem for kind in EVENTS.values()]
    assert len(set(stems)) == len(stems)
    for kind in EVENTS.values():
        for outcome in Outcome:
            code = kind.code(outcome)
            assert len(code) <= 16
            for lang in ("en", "zh"):
                told = sentence(code, actor="A", target="T", count=None, lang=lang)
                assert "{" not in told
    denied = sentence("MEM-PUT-D", actor="A", target="T", count=1)
    assert denied == "A wrote T — denied"
