"""Members, keys, settings and sweep scopes: by the pages and by the API, with the same rules."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from tenants.access.members import find_members
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Membership, Tenant, User
from tests.callers import Caller


class Api:
    """The API through a signed-in browser."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def __call__(self, method: str, path: str, body: Any = None) -> Any:
        content = "" if body is None else json.dumps(body)
        return self.client.generic(
            method, f"/api/v1{path}", content, content_type="application/json"
        )


@pytest.fixture
def api(admin: Client) -> Api:
    """As an admin."""
    return Api(admin)


def _member(tenant: Tenant, role: str) -> Membership:
    with acting_as(operator_actor(tenant.id)):
        return next(row for row in find_members() if row.role == role)


def test_the_last_admin_stays(api: Api, admin: Client, tenant: Tenant) -> None:
    member = _member(tenant, "admin")
    demoted = api("PATCH", f"/members/{member.id}", {"role": "viewer"})
    assert (demoted.status_code, demoted.json()["code"]) == (409, "last_admin")
    removed = api("DELETE", f"/members/{member.id}")
    assert (removed.status_code, removed.json()["code"]) == (409, "last_admin")
    assert admin.post(f"/access/{member.id}/remove").status_code == 409
    assert admin.post(f"/access/{member.id}", {"role": "viewer"}).status_code == 422


def test_another_admin_makes_it_possible(
    api: Api, tenant: Tenant, make_person: Callable[..., User]
) -> None:
    member = _member(tenant, "admin")
    make_person(tenant, "admin")
    assert api("PATCH", f"/members/{member.id}", {"role": "viewer"}).status_code == 200
    assert api("GET", "/members").status_code == 403, "the role bites at once"


def test_an_invitation_is_a_member_who_cannot_act(api: Api) -> None:
    made = api("POST", "/members", {"email": "new@example.com", "role": "auditor"})
    assert made.status_code == 201
    assert made.json()["invited"] is True
    assert made.json()["invitation"].startswith("/invitations/")
    listed = api("GET", "/members?count=true").json()
    assert listed["total"] == 2
    again = api("POST", "/members", {"email": "NEW@example.com", "role": "viewer"})
    assert (again.status_code, again.json()["code"]) == (409, "already_member")


def test_a_key_is_shown_once_and_confined_to_its_prefix(api: Api) -> None:
    made = api(
        "POST", "/keys",
        {"name": "agent", "prefixes": [["users", "u1"]], "scopes": ["memory:read", "memory:write"]},
    )  # fmt: skip
    assert made.status_code == 201
    key = made.json()
    assert key["prefixes"] == [["users", "u1"]]
    caller = Caller(key["key"])
    assert caller.put(["users", "u1"], "k", {"n": 1}).status_code == 200
    assert caller.put(["users", "u2"], "k", {"n": 1}).status_code == 403
    listed = api("GET", "/keys").json()["items"]
    assert [one["id"] for one in listed] == [key["id"]]
    assert "key" not in listed[0]


def test_a_revoked_key_is_no_key_and_revoking_again_is_fine(api: Api) -> None:
    key = api("POST", "/keys", {"name": "agent"}).json()
    assert api("DELETE", f"/keys/{key['id']}").status_code == 204
    assert api("DELETE", f"/keys/{key['id']}").status_code == 204
    assert Caller(key["key"]).get(["a"], "k").status_code == 401


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"name": ""}, "name"),
        ({"name": "a", "scopes": ["all"]}, "scopes[0]"),
        ({"name": "a", "networks": ["nowhere"]}, "networks[0]"),
        ({"name": "a", "prefixes": [["a.b"]]}, "prefixes[0][0]"),
        ({"name": "a", "expires_at": "2030-01-01T00:00:00"}, "expires_at"),
        ({"name": "a", "surprise": 1}, "surprise"),
    ],
)
def test_a_bad_key_names_what_is_wrong(api: Api, body: dict[str, Any], path: str) -> None:
    answer = api("POST", "/keys", body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["path"] == path


def test_settings_change_with_the_version_they_were_read_at(api: Api, agent: Caller) -> None:
    before = api("GET", "/settings").json()
    changed = api("PATCH", "/settings", {"version": before["version"], "trash_days": 14})
    assert changed.status_code == 200
    assert changed.json()["trash_days"] == 14
    stale = api("PATCH", "/settings", {"version": before["version"], "trash_days": 7})
    assert (stale.status_code, stale.json()["version"]) == (412, changed.json()["version"])
    events = agent.call("GET", "/audit/events?action=tenant.settings").json()["items"]
    assert len(events) == 1


def test_settings_have_bounds(api: Api) -> None:
    for field, value in (
        ("notice_days", 0), ("recency", 1.5), ("default_ttl_minutes", 0), ("timezone", "Mars/Base"),
        ("locale", "tlh"), ("name", " "), ("trash_days", None), ("pii", {"nose": "mask"}),
    ):  # fmt: skip
        answer = api("PATCH", "/settings", {field: value})
        assert answer.status_code == 422, (field, value)
        assert answer.json()["errors"][0]["path"].startswith(field)


def test_the_default_lifetime_can_be_taken_away(api: Api, agent: Caller) -> None:
    api("PATCH", "/settings", {"default_ttl_minutes": 60})
    made = agent.put(["a"], "k", {"n": 1}).json()
    assert made["retention"]["ttl_minutes"] == 60
    api("PATCH", "/settings", {"default_ttl_minutes": None})
    assert agent.put(["a"], "k2", {"n": 1}).json()["retention"]["ttl_minutes"] is None


def test_a_form_that_was_overtaken_says_so(admin: Client, api: Api) -> None:
    page = admin.get("/settings")
    form = {
        name: field.value() for name, field in ((f.name, f) for f in page.context["form"])
        if field.value() is not None
    }  # fmt: skip
    api("PATCH", "/settings", {"trash_days": 21})
    answer = admin.post("/settings", {**form, "trash_days": 5})
    assert answer.status_code == 422
    assert api("GET", "/settings").json()["trash_days"] == 21


def test_sweep_scopes_come_and_go(api: Api) -> None:
    (own,) = api("GET", "/policies/sweep-scopes").json()["items"]
    assert own["namespace_prefix"] == []
    refused = api("DELETE", f"/policies/sweep-scopes/{own['id']}")
    assert refused.status_code == 409
    made = api(
        "POST", "/policies/sweep-scopes", {"namespace_prefix": ["a"], "interval_minutes": 0.5}
    )
    assert made.status_code == 201
    where = f"/policies/sweep-scopes/{made.json()['id']}"
    assert api("PATCH", where, {"enabled": False}).json()["enabled"] is False
    assert api("PATCH", where, {"interval_minutes": 0.01}).status_code == 422
    taken = api(
        "POST", "/policies/sweep-scopes", {"namespace_prefix": ["a"], "interval_minutes": 5}
    )
    assert taken.json()["code"] == "scope_taken"
    assert api("DELETE", where).status_code == 204
    assert api("DELETE", where).status_code == 204


def test_a_sweep_can_be_counted_and_run(api: Api, agent: Caller) -> None:
    agent.put(["a"], "k", {"n": 1}, ttl=0.001)
    run = api("POST", "/policies/sweeps", {"dry_run": True}).json()
    assert run["dry_run"] is True
    made = api("POST", "/policies/sweeps", {})
    assert made.status_code == 201
    assert made.json()["state"] == "done"
    assert api("GET", f"/policies/sweeps/{made.json()['id']}").status_code == 200
    assert len(api("GET", "/policies/sweeps").json()["items"]) == 2


def test_events_are_filtered_and_one_has_its_payload(agent: Caller) -> None:
    made = agent.put(["a", "b"], "k", {"n": 1}).json()
    agent.get(["a", "b"], "k")
    reads = agent.call("GET", f"/audit/events?target={made['id']}&action=memory.get").json()
    (event,) = reads["items"]
    assert event["code"] == "MEM-GET-S"
    below = agent.call("GET", "/audit/events?namespace=a.b&action=memory&count=true").json()
    assert below["total"] == 2
    whole = agent.call("GET", f"/audit/events/{event['id']}").json()
    assert json.loads(whole["payload"])["id"] == event["id"]
    assert agent.call("GET", "/audit/events?from=2020-01-01T00:00:00").status_code == 422
    assert agent.call("GET", "/audit/events?outcome=maybe").status_code == 422


def test_keys_do_not_administer(agent: Caller) -> None:
    for path in ("/keys", "/members", "/settings", "/policies/sweep-scopes"):
        answer = agent.call("GET", path)
        assert (answer.status_code, answer.json()["code"]) == (403, "people_only")
