"""What is done with personal data, by the pages and by the API; the keys and their rotation."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from audit.jobs import run_job
from sealing.rotating import list_keys
from tenants.actors import job_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.callers import Caller

MOBILE = "13800138000"


@pytest.fixture
def admin(people: dict[str, Client]) -> Client:
    return people["admin"]


def api(client: Client, method: str, path: str, body: Any = None) -> Any:
    content = "" if body is None else json.dumps(body)
    return client.generic(
        method, f"/api/v1/privacy/{path}", content, content_type="application/json"
    )


@pytest.mark.slow
def test_a_rule_is_added_seen_to_win_and_removed(
    agent: Caller, admin: Client, people: dict[str, Client]
) -> None:
    empty = people["viewer"].get("/privacy/rules").content.decode()
    assert "One way everywhere" in empty
    assert "Add a rule" not in empty
    rule = {"entity": "cn_mobile", "action": "redact", "namespace_prefix": "staff/x", "kind": ""}
    assert admin.post("/privacy/rules", rule).status_code == 302
    assert agent.put(["staff", "x"], "k", {"t": MOBILE}).json()["value"]["t"] == "[cn_mobile]"
    twice = admin.post("/privacy/rules", rule)
    assert "one like it already" in twice.content.decode()
    milder = {**rule, "action": "flag", "namespace_prefix": "", "kind": "fact"}
    admin.post("/privacy/rules", milder)
    page = admin.get("/privacy/rules").content.decode()
    assert "a stricter one wins" in page, "a note does not undo the tenant's mask"
    asked = people["officer"].get(
        "/privacy/rules?entity=cn_mobile&namespace_prefix=staff/x/y&kind=fact"
    ).content.decode()  # fmt: skip
    assert "Chinese mobile number: redacted." in asked
    assert asked.count("overruled") == 2
    (first, *_) = [
        one for one in api(admin, "GET", "rules").json()["items"] if one["namespace_prefix"]
    ]
    shown = admin.get(f"/privacy/rules/{first['id']}/remove").content.decode()
    assert "brings nothing back" in shown
    assert admin.post(f"/privacy/rules/{first['id']}/remove").status_code == 302
    assert agent.put(["staff", "x"], "n", {"t": MOBILE}).json()["value"]["t"] == "138****8000"


@pytest.mark.slow
def test_the_whole_tenant_is_changed_also_to_something_milder(
    agent: Caller, admin: Client, tenant: Tenant
) -> None:
    tenant.refresh_from_db()
    own = {"own": "1", "entity": "cn_mobile", "action": "flag", "version": tenant.version}
    assert admin.post("/privacy/rules", own).status_code == 302
    assert agent.put(["a"], "k", {"t": MOBILE}).json()["value"]["t"] == MOBILE
    late = admin.post("/privacy/rules", own)
    assert late.status_code == 422
    assert "Somebody changed the settings meanwhile" in late.content.decode()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(?=a)b", "no look-ahead"),
        (r"(a)\1", "no back-references"),
        ("(", "is not closed"),
        ("[a", "is not closed"),
        ("a{2000}", "1000 repetitions"),
        ("a*", "would match an empty text"),
        ("((a{1,100}){1,100}){1,100}", "RE2|repetitions|large"),
    ],
)
def test_what_re2_does_not_take_is_explained(pattern: str, said: str, admin: Client) -> None:
    sent = {"entity": "badge", "pattern": pattern, "words": "", "sample": "x", "try": "1"}
    answer = admin.post("/privacy/patterns", sent)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert 'class="wrong"' in page
    assert any(one in page for one in said.split("|"))


@pytest.mark.slow
def test_a_pattern_is_tried_added_and_removed(agent: Caller, admin: Client) -> None:
    sent = {"entity": "badge", "pattern": "BD-[0-9]{5}", "words": "", "sample": "my BD-20931 card"}
    tried = admin.post("/privacy/patterns", {**sent, "try": "1"})
    assert tried.status_code == 200
    assert "<b>BD-20931</b>" in tried.content.decode()
    assert agent.put(["a"], "k", {"t": "BD-20931"}).json()["value"]["t"] == "BD-20931"
    assert admin.post("/privacy/patterns", {**sent, "add": "1"}).status_code == 302
    assert agent.put(["a"], "n", {"t": "BD-20931"}).json()["value"]["t"] != "BD-20931"
    taken = admin.post("/privacy/patterns", {**sent, "entity": "cn_id", "add": "1"})
    assert "built in" in taken.content.decode()
    (row,) = api(admin, "GET", "patterns").json()["items"]
    assert admin.post(f"/privacy/patterns/{row['id']}/remove").status_code == 302
    assert agent.put(["a"], "m", {"t": "BD-20931"}).json()["value"]["t"] == "BD-20931"


def test_an_allowed_value_is_added_and_reported_again(agent: Caller, admin: Client) -> None:
    assert admin.post("/privacy/allowed", {"value": MOBILE, "note": "ours"}).status_code == 302
    assert agent.put(["a"], "k", {"t": MOBILE}).json()["value"]["t"] == MOBILE
    (row,) = api(admin, "GET", "allowed").json()["items"]
    assert (row["value"], row["note"]) == (MOBILE, "ours")
    assert admin.post(f"/privacy/allowed/{row['id']}/remove").status_code == 302
    assert agent.put(["a"], "n", {"t": MOBILE}).json()["value"]["t"] == "138****8000"


@pytest.mark.slow
def test_the_api_makes_lists_and_removes_and_says_what_is_wrong(admin: Client) -> None:
    rule = {"entity": "cn_id", "action": "redact", "namespace_prefix": ["staff"], "kind": "fact"}
    made = api(admin, "POST", "rules", rule)
    assert made.status_code == 201
    assert made.json() == {**rule, "id": made.json()["id"], "in_force": "redact"}
    assert admin.get(made["Location"]).json() == made.json()
    assert api(admin, "POST", "rules", rule).json()["code"] == "exists"
    faults = {
        "entity": {**rule, "entity": "nothing"}, "kind": {**rule, "kind": "nothing"},
        "action": {**rule, "action": "forget"},
        "namespace_prefix[0]": {**rule, "namespace_prefix": [""]},
    }  # fmt: skip
    for path, body in faults.items():
        refused = api(admin, "POST", "rules", body)
        assert refused.status_code == 422, body
        assert [one["path"] for one in refused.json()["errors"]] == [path]
    bad = api(admin, "POST", "patterns", {"entity": "badge", "pattern": "("}).json()
    assert [(one["path"], one["code"]) for one in bad["errors"]] == [("pattern", "bad_pattern")]
    assert admin.delete(made["Location"]).status_code == 204
    assert admin.delete(made["Location"]).status_code == 404
    again = {"HTTP_IDEMPOTENCY_KEY": "once"}
    allowed = [
        admin.post("/api/v1/privacy/allowed", {"value": "400-1"}, "application/json", **again)
        for _ in range(2)
    ]
    assert [one.status_code for one in allowed] == [201, 201]
    assert allowed[0].json() == allowed[1].json()


@pytest.mark.slow
def test_a_key_is_rotated_by_a_job_and_nothing_is_lost(
    agent: Caller, admin: Client, people: dict[str, Client], tenant: Tenant
) -> None:
    made = agent.put(["a"], "k", {"t": "身份证11010519491231002X"}).json()["id"]
    page = people["viewer"].get("/privacy/keys").content.decode()
    assert "Rotate now" not in page
    assert "1 sealed original is sealed again" in admin.get("/privacy/keys").content.decode()
    begun = admin.post("/privacy/keys/rotate")
    job = begun["Location"].rpartition("/")[2]
    assert admin.post("/privacy/keys/rotate")["Location"] == begun["Location"], "one at a time"
    assert "under way" in admin.get("/privacy/keys").content.decode()
    with acting_as(job_actor("run_job_of", tenant.id)):
        run_job(job)
    done = admin.get(f"/api/v1/jobs/{job}").json()
    assert (done["state"], done["progress"]["done"], done["result"]) == ("done", 1, {"version": 2})
    assert [(one.version, one.is_current) for one in list_keys(tenant.id)] == [
        (1, False),
        (2, True),
    ]
    shown = people["officer"].post(f"/memories/{made}/reveal", {"path": "t", "reason": "r"})
    assert "11010519491231002X" in shown.content.decode()
