"""GET /memories/{id}: agents see what is in use, people every state, nobody else's thing."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

from memories.sweeping import sweep_now
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.callers import Caller
from tests.people import Person


def test_an_agent_reads_a_memory_by_its_id(agent: Caller) -> None:
    made = agent.put(["a"], "k", {"n": 1}).json()
    got = agent.call("GET", f"/memories/{made['id']}")
    assert got.status_code == 200
    assert got.json()["value"] == {"n": 1}
    assert got.json()["access_count"] == 1


def test_what_is_deleted_foreign_or_unknown_is_404_for_an_agent(
    agent: Caller, outsider: Caller
) -> None:
    made = agent.put(["a"], "k", {"n": 1}).json()
    assert outsider.call("GET", f"/memories/{made['id']}").status_code == 404
    agent.delete(["a"], "k")
    assert agent.call("GET", f"/memories/{made['id']}").status_code == 404
    assert agent.call("GET", f"/memories/{uuid4()}").status_code == 404
    assert agent.call("GET", "/memories/nonsense").status_code == 404


def test_a_key_with_prefixes_does_not_see_outside_them(
    agent: Caller, tenant: Tenant, make_caller: Callable[..., Caller]
) -> None:
    made = agent.put(["b"], "k", {"n": 1}).json()
    narrow = make_caller(tenant, prefixes=["a/"])
    for rest in ("", "/versions", "/events", "/explain"):
        assert narrow.call("GET", f"/memories/{made['id']}{rest}").status_code == 404


def test_an_officer_sees_the_trash_masked_with_when_and_whether_to_restore(
    agent: Caller, officer: Person
) -> None:
    made = agent.put(["a"], "k", {"mail": "alice@example.com"}).json()
    agent.delete(["a"], "k")
    got = officer.call("GET", f"/memories/{made['id']}").json()
    assert got["retention"]["state"] in ("TRASH", "PURGED")  # the trash is as long as it lived
    assert got["trashed_at"] is not None
    assert got["restorable"] is True
    assert "alice@example.com" not in str(got)
    assert got["access_count"] == 0


def test_a_viewer_sees_no_values_and_an_admin_neither(
    agent: Caller, person: Callable[[str], Person]
) -> None:
    made = agent.put(["a"], "k", {"n": 1}).json()
    for role in ("viewer", "admin"):
        assert person(role).call("GET", f"/memories/{made['id']}").status_code == 403
        assert person(role).call("GET", f"/memories/{made['id']}/explain").status_code == 200


def test_a_purged_memory_is_410_with_its_tombstone_for_people(
    make_tenant: Callable[..., Tenant],
    make_caller: Callable[..., Caller],
    make_person: Callable[..., object],
) -> None:
    tenant = make_tenant(trash_days=0)
    agent = make_caller(tenant)
    officer = Person(make_person(tenant, "officer"), tenant)  # type: ignore[arg-type]
    made = agent.put(["a", "b"], "k", {"n": 1}, kind="episode").json()
    agent.delete(["a", "b"], "k")
    with acting_as(operator_actor(tenant.id)):
        sweep_now()
    gone = officer.call("GET", f"/memories/{made['id']}")
    assert gone.status_code == 410
    body = gone.json()
    assert body["code"] == "purged"
    assert body["id"] == made["id"]
    assert body["namespace"] == ["a", "b"]
    assert body["kind"] == "episode"
    assert body["reason"] == "delete"
    assert body["event_id"]
    assert officer.call("GET", f"/memories/{made['id']}/events").status_code == 200
    assert officer.call("GET", f"/memories/{made['id']}/versions").status_code == 410
    assert agent.call("GET", f"/memories/{made['id']}").status_code == 404


def test_reading_by_id_restarts_the_ttl(agent: Caller, tenant: Tenant) -> None:
    made = agent.put(["a"], "k", {"n": 1}, ttl=10).json()
    got = agent.call("GET", f"/memories/{made['id']}").json()
    assert got["retention"]["visible_until"] > made["retention"]["visible_until"]


def test_versions_are_newest_first_with_who_wrote_them(agent: Caller) -> None:
    made = agent.put(["a"], "k", {"n": 0}).json()
    for n in range(1, 5):
        agent.put(["a"], "k", {"n": n})
    path = f"/memories/{made['id']}/versions"
    page = agent.call("GET", path + "?limit=2&count=true").json()
    assert [one["version"] for one in page["items"]] == [5, 4]
    assert page["total"] == 5
    seen = list(page["items"])
    while page["next"]:
        page = agent.call("GET", f"{path}?limit=2&cursor={page['next']}").json()
        seen += page["items"]
    assert [one["version"] for one in seen] == [5, 4, 3, 2, 1]
    assert [one["value"]["n"] for one in seen] == [4, 3, 2, 1, 0]
    assert all(one["actor"] == "test" and one["event_id"] for one in seen[:-1])


def test_numbers_of_old_versions_keep_their_digits(agent: Caller) -> None:
    raw = b'{"namespace": ["a"], "key": "k", "value": {"n": 12345678901234567890.123456789}}'
    made = agent.call("PUT", "/store/items", raw=raw).json()
    agent.put(["a"], "k", {"n": 1})
    got = agent.call("GET", f"/memories/{made['id']}/versions").content
    assert b"12345678901234567890.123456789" in got


def test_events_of_a_memory_are_newest_first(agent: Caller) -> None:
    made = agent.put(["a"], "k", {"n": 1}).json()
    agent.get(["a"], "k")
    agent.put(["a"], "k", {"n": 2})
    agent.delete(["a"], "k")
    got = agent.call("GET", f"/memories/{made['id']}/events").json()
    actions = [one["action"] for one in got["items"]]
    assert actions == ["memory.delete", "memory.put", "memory.get", "memory.put"]


def test_explain_says_the_same_in_english_and_chinese(agent: Caller) -> None:
    made = agent.put(["a"], "k", {"n": 1}, ttl=10).json()
    english = agent.call("GET", f"/memories/{made['id']}/explain").json()
    chinese = agent.call("GET", f"/memories/{made['id']}/explain?lang=zh").json()
    assert english["state"] == chinese["state"] == "ACTIVE"
    assert english["visible_until"] == chinese["visible_until"]
    assert english["text"] != chinese["text"]
    assert english["memory_id"] == made["id"]
    bad = agent.call("GET", f"/memories/{made['id']}/explain?lang=fr")
    assert bad.status_code == 422


def test_a_deleted_memory_can_still_be_explained(agent: Caller) -> None:
    made = agent.put(["a"], "k", {"n": 1}).json()
    agent.delete(["a"], "k")
    told = agent.call("GET", f"/memories/{made['id']}/explain").json()
    assert told["state"] in ("TRASH", "PURGED")
    assert told["purge_at"] is not None
