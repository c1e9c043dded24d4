"""What the hub learned from several people's words it learns again from those that remain."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from conversations.promoting import promote_pending
from tenants.actors import job_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.ageing import act_as_owner
from tests.callers import Caller
from tests.erasure.asking import Asking

TEXT = "I'm allergic to peanuts"


def say(agent: Caller, subject: str, *, mark: bool = False) -> Any:
    """Said in a session of its own; what a mark made of it."""
    session = agent.call("POST", "/sessions", {"subject": subject}).json()["session_id"]
    body = {"role": "user", "content": TEXT}
    assert agent.call("POST", f"/sessions/{session}/messages", body).status_code == 201
    return agent.call("POST", f"/sessions/{session}/promote", {}).json() if mark else None


def promote(tenant: Tenant) -> int:
    with acting_as(job_actor("promote", tenant.id)):
        return promote_pending()


def learned(agent: Caller, subject: str) -> dict[str, Any] | None:
    found = agent.search(["users"], subjects=[subject], limit=100).json()["items"]
    memories = [one for one in found if one["tier"] == "long"]
    assert len(memories) <= 1
    return memories[0] if memories else None


def share(agent: Caller, candidate: str, *subjects: str) -> None:
    """Somebody else's name on one of the candidates."""
    found = agent.call("GET", f"/memories/{candidate}").json()
    put = agent.put(found["namespace"], found["key"], found["value"], subjects=list(subjects))
    assert (put.status_code, put.json()["id"]) == (200, candidate), put.content


def rebuilds_due(owner_url: str, tenant: Tenant) -> int:
    with psycopg.connect(owner_url) as connection:
        act_as_owner(connection, tenant)
        row = connection.execute(
            "SELECT count(*) FROM memories_finding WHERE kind = 'rebuild_due'"
        ).fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.slow
@pytest.mark.parametrize(("times", "again"), [(3, 1), (2, 0)])
def test_what_remains_is_weighed_again_by_the_rules_of_promotion(
    agent: Caller, tenant: Tenant, asking: Asking, owner_url: str, times: int, again: int
) -> None:
    for _ in range(times):
        say(agent, "bob")
    promote(tenant)
    before = learned(agent, "bob")
    assert before is not None
    assert len(before["derived_from"]) == times
    share(agent, before["derived_from"][0], "bob", "anna")
    done = asking.erase("anna")
    assert done["outcome"] == "erased", done
    assert learned(agent, "bob") is None
    assert promote(tenant) == again
    after = learned(agent, "bob")
    if again:
        assert after is not None
        assert after["id"] != before["id"]
        assert after["value"]["text"] == TEXT
        assert after["subjects"] == ["bob"]
        assert sorted(after["derived_from"]) == sorted(before["derived_from"][1:])
    else:
        assert after is None
        say(agent, "bob")
        assert promote(tenant) == 1, "the one that waits counts with the next mention"
    assert rebuilds_due(owner_url, tenant) == 0


def test_what_a_caller_had_marked_is_made_again_of_a_single_mention(
    agent: Caller, tenant: Tenant, asking: Asking
) -> None:
    say(agent, "bob")
    made = say(agent, "bob", mark=True)
    assert made["promoted"], made
    before = learned(agent, "bob")
    assert before is not None
    assert (before["source"]["promotion"], len(before["derived_from"])) == ("marked", 2)
    share(agent, before["derived_from"][0], "bob", "anna")
    asking.erase("anna")
    assert promote(tenant) == 1
    after = learned(agent, "bob")
    assert after is not None
    assert after["source"]["promotion"] == "marked"
    assert after["derived_from"] == before["derived_from"][1:]
