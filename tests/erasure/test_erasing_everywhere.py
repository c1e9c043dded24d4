"""The proof: somebody who is in every store is in none of them afterwards, and others stand."""

from __future__ import annotations

import base64
import json
from uuid import UUID, uuid4

import psycopg
import pytest
import redis
from django.conf import settings

from audit.jobs import run_job
from erasure.signing import CERTIFICATE, is_genuine
from memories.embedding.catching_up import embed_pending
from memories.sweeping import sweep_now
from tenants.actors import job_actor, operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.ageing import act_as_owner, let_pass
from tests.callers import Caller
from tests.erasure.asking import Asking
from tests.erasure.everywhere import tables_holding

SHORT = "UPDATE memories_memory SET tier = 'short', kind = %s WHERE tenant_id = %s AND id = %s"


def shorten(owner_url: str, tenant: Tenant, ids: dict[str, str]) -> None:
    """A short-term entry and a candidate, as conversations make them."""
    with psycopg.connect(owner_url) as connection:
        act_as_owner(connection, tenant)
        connection.execute(SHORT, ["intent", tenant.id, ids["short"]])
        connection.execute(SHORT, ["candidate", tenant.id, ids["candidate"]])


def queue() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL)


def keys_of(tenant: Tenant) -> list[bytes]:
    return list(queue().scan_iter(match=f"*{tenant.id.hex}*"))


@pytest.fixture
def anna() -> str:
    return f"anna-{uuid4().hex[:8]}"


def fill(agent: Caller, anna: str, word: str, tenant: Tenant) -> dict[str, str]:
    """Anna everywhere, and Bob beside her; the ids of memories by name."""
    bob = {"subjects": ["bob"], "kind": "fact"}
    hers = {"subjects": [anna], "kind": "fact"}

    def put(key: str, text: str, **options: object) -> str:
        made = agent.put(["crm"], key, {"text": text}, **options)
        assert made.status_code == 200, made.content
        return str(made.json()["id"])

    ids = {
        "tea": put(f"{word}-tea", f"{word} prefers oolong tea in the afternoon", **hers),
        "bob": put("bob-1", "Bob prefers black coffee in the morning", **bob),
    }
    put(f"{word}-tea", f"{word} prefers jasmine tea in the evening", **hers)
    ids["card"] = put("card", f"{word} pays with 6222021234567890128 always", **hers)
    ids["shared"] = put("both", "the identity number 11010519491231002X is known", **hers)
    ids["bob_id"] = put("bob-2", "11010519491231002X stands in the contract of Bob", **bob)
    ids["note"] = put("stray", f"remember to call {anna} about the invoice")
    sources = [ids["tea"], ids["bob"]]
    ids["summary"] = put("sum", f"{word} likes tea, Bob likes coffee", kind="summary",
                         derived_from=sources)  # fmt: skip
    ids["second"] = put("sum2", f"all about {word} and Bob", kind="summary",
                        derived_from=[ids["summary"]])  # fmt: skip
    ids["short"] = put("short", f"{word} asks for a refund today", **hers)
    ids["candidate"] = put("candidate", f"{word} moves to Berlin soon", **hers)
    agent.search(["crm"], query=f"what does {word} drink?")
    agent.call("POST", "/store/items/search", {"namespace_prefix": ["crm"], "query": anna})
    event = {"id": f"e-{anna}", "type": "account.closed", "subject": anna}
    agent.call("POST", "/events", {**event, "occurred_at": "2030-01-01T00:00:00Z"})
    body = base64.b64encode(json.dumps([[str(tenant.id), ids["tea"]], {}, {}]).encode()).decode()
    queue().rpush("hub", json.dumps({"body": body, "headers": {"task": "nobody.takes"}}))
    return ids


def file_under(agent: Caller, anna: str, word: str) -> None:
    """Her identifier as a label: before anybody is known by it, of memories about her and of others
    that do not say so, alone and inside a longer label; and all that is asked about such places."""
    home, loose, longer = ["users", anna], ["users", anna, "loose"], ["crm", f"case-{anna}-7"]
    agent.search(home, query="what is here?")
    agent.put(loose, "k", {"text": f"{word} has no subject"})
    agent.put(home, "k", {"text": f"{word} is at home"}, subjects=[anna])
    agent.put(home, anna, {"text": f"{word} has her name as a key"}, subjects=[anna])
    agent.put(longer, "k", {"text": f"{word} has a case"}, subjects=[anna, "bob"])
    for namespace in (home, loose, longer):
        agent.get(namespace, "k")
        agent.search(namespace)
    agent.batch(
        {"op": "put", "namespace": loose, "key": "b", "value": {"text": word}},
        {"op": "get", "namespace": home, "key": "k"},
        {"op": "search", "namespace_prefix": home, "query": "home"},
        {"op": "list_namespaces", "prefix": home},
        {"op": "delete", "namespace": loose, "key": "k"},
    )
    agent.delete(home, anna)
    agent.put([*home, "old"], "k", {"text": f"{word} goes soon"}, ttl=1, subjects=[anna])
    for dry in (True, False):
        agent.call("DELETE", "/store/namespaces", {"namespace_prefix": loose, "dry_run": dry})
    agent.call("POST", "/events", {"id": f"p-{anna}", "type": "moved", "namespace": home,
                                   "occurred_at": "2026-01-01T00:00:00Z"})  # fmt: skip
    agent.call("GET", f"/usage?namespace_prefix=users.{anna}")


def ask_about(asking: Asking, tenant: Tenant, anna: str) -> None:
    """What people look for there: lists, exports, sweeps, what an agent knew; a hold that ended."""
    officer = asking.officer
    path = f"users/{anna}"
    officer.call("GET", f"/audit/events?namespace=users.{anna}")
    officer.call("GET", f"/audit/known?actor={officer.user.id}&at=2026-01-01T00:00:00Z"
                 f"&namespace=users.{anna}")  # fmt: skip
    for filtered in ({"list": "memories", "filter": {"namespace": ["users", anna]}},
                     {"list": "events", "filter": {"namespace": ["users", anna]}}):  # fmt: skip
        asked = officer.call("POST", "/audit/exports", {**filtered, "format": "jsonl"})
        assert asked.status_code == 202, asked.content
        with acting_as(job_actor("test", tenant.id)):
            run_job(UUID(asked.json()["id"]))
    with acting_as(operator_actor(tenant.id)):
        sweep_now(f"{path}/")
    scope = {"namespaces": [["users", anna]]}
    hold = officer.call("POST", "/policies/holds", {"matter": "m", "custodian": "c",
                        "reason": "asked", "scope": scope}).json()["id"]  # fmt: skip
    for person in (officer, asking.second):
        released = person.call("POST", f"/policies/holds/{hold}/release", {"reason": "over"})
        assert released.status_code == 200, released.content


def test_nothing_of_theirs_is_left_anywhere_and_others_stand(
    agent: Caller, tenant: Tenant, asking: Asking, anna: str, owner_url: str
) -> None:
    word = f"w{uuid4().hex[:10]}"
    file_under(agent, anna, word)
    let_pass(owner_url, tenant, days=2)
    ask_about(asking, tenant, anna)
    agent.call("PUT", "/store/items", {"namespace": ["crm"], "key": "keyed", "subjects": [anna],
                                       "value": {"text": f"{word} was put once"}},
               idempotency_key=f"k-{word}")  # fmt: skip
    ids = fill(agent, anna, word, tenant)
    shorten(owner_url, tenant, ids)
    assert "audit_event" not in tables_holding(owner_url, tenant, anna), "not even before"
    with acting_as(operator_actor(tenant.id)):
        embed_pending()
    session = agent.call("POST", "/sessions", {"subject": anna, "channel": "web"})
    before = tables_holding(owner_url, tenant, anna, word)
    assert {"memories_memory", "memories_memoryversion", "memories_memorysubject",
            "memories_businessevent", "audit_loggedlabel", "memories_tombstone",
            "memories_sweeprun", "audit_job", "policies_hold"} <= set(before), before  # fmt: skip
    done = asking.erase(anna)
    assert (done["state"], done["outcome"]) == ("closed", "erased"), done
    assert done["result"]["probe"]["hits"] == 0
    assert done["result"]["probe"]["queries"] > 10
    assert tables_holding(owner_url, tenant, anna, word) == {}
    for name in ("tea", "card", "summary", "second", "note", "short", "candidate", "shared"):
        assert asking.officer.call("GET", f"/memories/{ids[name]}").status_code == 410, name
    assert agent.get(["crm"], "bob-1").json()["value"]["text"].startswith("Bob prefers")
    other = agent.get(["crm"], "bob-2").json()["value"]["text"]
    assert "cn_id:" in other, "Bob's token stays, and what it stands for"
    lines = {line["store"]: line for line in done["result"]["stores"]}
    assert lines["memories"]["removed"] >= 7
    assert lines["candidates"]["removed"] == 1
    assert lines["short_term"]["removed"] == 1
    assert lines["versions"]["removed"] >= 1
    assert lines["vectors"]["removed"] >= 3
    assert lines["full_text"]["removed"] >= 3
    assert lines["business_events"]["removed"] >= 1
    assert lines["repeatable_calls"]["removed"] == 1
    assert lines["queued_messages"]["removed"] == 1
    assert lines["query_cache"]["removed"] >= 1
    assert lines["event_labels"]["removed"] >= 2
    seen = asking.officer.call("GET", "/audit/events?action=memory.get&limit=200").json()["items"]
    assert {"crm/", "users/"} <= {one["target"]["namespace"].split("/")[0] + "/" for one in seen}
    assert anna not in json.dumps(seen)
    originals = lines["sealed_originals"]
    assert (originals["kept"], originals["ground"]) == (1, "needed_by_other_memories"), originals
    assert originals["removed"] >= 1
    if session.status_code == 201:
        assert lines["sessions"]["removed"] == 1
        assert agent.call("GET", f"/sessions/{session.json()['session_id']}").status_code == 404
    assert not [key for key in keys_of(tenant) if b"query:" in key]
    assert all(ids["tea"].encode() not in base64.b64decode(json.loads(one)["body"])
               for one in queue().lrange("hub", 0, -1))  # fmt: skip


@pytest.mark.slow
def test_what_was_made_of_several_people_is_marked_to_be_made_anew(
    agent: Caller, tenant: Tenant, asking: Asking, anna: str, owner_url: str
) -> None:
    ids = fill(agent, anna, f"w{uuid4().hex[:10]}", tenant)
    asking.erase(anna)
    with psycopg.connect(owner_url) as connection:
        act_as_owner(connection, tenant)
        rows = connection.execute(
            "SELECT memory_id::text, detail FROM memories_finding WHERE kind = 'rebuild_due'"
        ).fetchall()
    assert [(row[0], json.loads(row[1])["sources"]) for row in rows] == [
        (ids["summary"], [ids["bob"]])
    ]


@pytest.mark.slow
def test_the_certificate_is_signed_lists_stores_and_says_when_the_last_copy_ends(
    agent: Caller, tenant: Tenant, asking: Asking, anna: str
) -> None:
    fill(agent, anna, f"w{uuid4().hex[:10]}", tenant)
    done = asking.erase(anna)
    path = f"/subject-requests/{done['id']}/certificate"
    certificate = asking.officer.call("GET", path).json()
    assert is_genuine(certificate, CERTIFICATE)
    assert not is_genuine({**certificate, "approved_by": "somebody"}, CERTIFICATE)
    stores = {line["store"]: line for line in certificate["stores"]}
    assert stores["memories"]["removed"] >= 6
    assert stores["pseudonym"]["removed"] == 1
    assert certificate["subject"] == done["subject"]
    assert "last_expires_at" in certificate["backups"]
    text = json.dumps(certificate)
    assert anna not in text
    for lang, word in (("en", "Certificate of erasure"), ("zh", "删除证明")):
        shown = asking.officer.call("GET", f"{path}?format=html&lang={lang}").content.decode()
        assert word in shown
        assert anna not in shown


@pytest.mark.slow
def test_events_name_the_person_by_a_pseudonym_that_leads_nowhere_afterwards(
    agent: Caller, asking: Asking, anna: str
) -> None:
    agent.put(["crm"], "k", {"text": "likes tea"}, subjects=[anna])
    assert agent.call("POST", "/sessions", {"subject": anna}).status_code == 201
    done = asking.erase(anna)
    found = asking.officer.call("GET", f"/audit/events?subject={done['subject']}").json()["items"]
    actions = {one["action"] for one in found}
    assert {"request.open", "request.approve", "request.close", "session.open"} <= actions, actions
    again = asking.get(asking.open(anna))
    assert again["subject"] != done["subject"], "who comes back is somebody new"
    assert done["reason"] is None, "the key to what was written about them is gone"
