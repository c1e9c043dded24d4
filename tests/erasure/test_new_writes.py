"""What is written about a person under a verified erasure or a restriction is hidden at once."""

from __future__ import annotations

import pytest

from tenants.models import Tenant
from tests.callers import Caller
from tests.erasure.asking import Asking

WITHDRAWN = {"reason": "they changed their mind"}


def is_seen(agent: Caller, key: str) -> bool:
    return bool(agent.get(["crm"], key).status_code == 200)


def test_a_verified_erasure_hides_what_is_written_afterwards(
    agent: Caller, asking: Asking, outsider: Caller
) -> None:
    old = agent.put(["crm"], "old", {"text": "likes tea"}, subjects=["anna"]).json()["id"]
    request = asking.open("anna")
    agent.put(["crm"], "before", {"text": "not verified yet"}, subjects=["anna"])
    asking.verify(request)
    written = agent.put(["crm"], "new", {"text": "likes coffee"}, subjects=["anna", "bob"])
    assert written.status_code == 200
    assert written.json()["retention"]["state"] == "RESTRICTED"
    agent.put(["crm"], "bobs", {"text": "likes juice"}, subjects=["bob"])
    agent.put(["crm"], "became", {"text": "about nobody"})
    agent.put(["crm"], "became", {"text": "about nobody"}, subjects=["anna"])
    seen = {key: is_seen(agent, key) for key in ("old", "before", "new", "became", "bobs")}
    assert seen == {"old": False, "before": False, "new": False, "became": False, "bobs": True}
    assert [one["key"] for one in agent.search(["crm"]).json()["items"]] == ["bobs"]
    outsider.put(["crm"], "theirs", {"text": "another tenant"}, subjects=["anna"])
    assert outsider.get(["crm"], "theirs").status_code == 200
    assert asking.step(request, "withdraw", WITHDRAWN).status_code == 200
    assert all(is_seen(agent, key) for key in ("old", "before", "new", "became"))
    assert asking.officer.call("GET", f"/memories/{old}").status_code == 200


@pytest.mark.slow
def test_after_the_erasure_a_person_who_comes_back_is_somebody_new(
    agent: Caller, asking: Asking, tenant: Tenant
) -> None:
    agent.put(["crm"], "old", {"text": "likes tea"}, subjects=["anna"])
    request = asking.ready("anna")
    agent.put(["crm"], "late", {"text": "likes coffee"}, subjects=["anna"])
    done = asking.carry_out(request)
    assert (done["state"], done["outcome"]) == ("closed", "erased"), done
    assert asking.store(done, "memories")["removed"] == 2
    agent.put(["crm"], "again", {"text": "likes water"}, subjects=["anna"])
    assert is_seen(agent, "again")


def test_a_restriction_holds_for_what_is_written_later_until_it_is_lifted(
    agent: Caller, asking: Asking
) -> None:
    request = asking.ready("anna", "restriction")
    asking.carry_out(request)
    agent.put(["crm"], "new", {"text": "likes tea"}, subjects=["anna"])
    assert not is_seen(agent, "new")
    assert asking.step(request, "withdraw", WITHDRAWN).status_code == 200
    assert is_seen(agent, "new")
