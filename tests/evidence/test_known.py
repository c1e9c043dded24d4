"""What did the agent know: equal to what a search returned then."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

import psycopg
import pytest

from memories.sweeping import sweep_now
from tenants.actors import job_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.callers import Caller
from tests.people import Person

PLACES = (["a"], ["a", "b"], ["c"])


def _instant(owner_url: str) -> str:
    with psycopg.connect(owner_url) as connection:
        return str(connection.execute("SELECT clock_timestamp()").fetchone()[0].isoformat())


def _known(caller: Caller, **asked: Any) -> dict[str, Any]:
    answer = caller.call("GET", "/audit/known?" + urlencode(asked))
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


def _all(caller: Caller, **asked: Any) -> dict[str, int | None]:
    found: dict[str, int | None] = {}
    cursor = None
    while True:
        page = _known(caller, limit=7, **asked, **({"cursor": cursor} if cursor else {}))
        found |= {one["memory_id"]: one["version"] for one in page["items"]}
        cursor = page["next"]
        if cursor is None:
            return found


@pytest.mark.slow
def test_at_a_hundred_random_instants_it_is_what_a_search_returned(
    tenant: Tenant, agent: Caller, officer: Person, owner_url: str
) -> None:
    draw, seen, compared = random.Random(7), [], 0
    for step in range(100):
        place, key = draw.choice(PLACES), f"k{draw.randrange(12)}"
        match draw.randrange(6):
            case 0 | 1:
                agent.put(place, key, {"n": step})
            case 2:
                agent.put(place, key, {"n": step}, ttl=draw.choice([0.0005, 0.002, 60]))
            case 3:
                agent.delete(place, key)
            case 4:
                agent.get(place, key)
            case _:
                with acting_as(job_actor("sweep", tenant.id)):
                    sweep_now()
        at = _instant(owner_url)
        items = agent.search([], limit=1000, refresh_ttl=False).json()["items"]
        seen.append((at, _instant(owner_url), {one["id"]: one["version"] for one in items}))
    key_id = agent.key.split("_")[1]
    for before, after, found in seen:
        # what ended while the search ran may be missing from either
        known = _all(officer, actor=key_id, at=before)
        later = _all(officer, actor=key_id, at=after)
        assert known.keys() & later.keys() <= found.keys() <= known.keys() | later.keys()
        for identifier, version in found.items():
            then = known.get(identifier, later.get(identifier))
            assert then in (version, None)  # None: destroyed since, its versions with it
            compared += then is not None
    assert compared > 200


def test_what_was_destroyed_since_was_known_then(
    tenant: Tenant, agent: Caller, officer: Person, owner_url: str
) -> None:
    put = agent.put(["a"], "k", {"n": 1}).json()
    at = _instant(owner_url)
    agent.delete(["a"], "k")
    after = _instant(owner_url)
    with acting_as(job_actor("sweep", tenant.id)):
        sweep_now(at=datetime.fromisoformat("2027-06-01T00:00:00+00:00"))
    key_id = agent.key.split("_")[1]
    (item,) = _known(officer, actor=key_id, at=at)["items"]
    assert (item["memory_id"], item["destroyed"], item["version"]) == (put["id"], True, None)
    assert _known(officer, actor=key_id, at=after)["items"] == []


def test_it_names_the_rules_and_what_was_read(
    tenant: Tenant, agent: Caller, officer: Person, owner_url: str
) -> None:
    put = agent.put(["a"], "k", {"n": 1}).json()
    agent.get(["a"], "k")
    found = _known(officer, actor="test", at=_instant(owner_url), namespace="a")
    assert found["actor"]["kind"] == "key"
    assert found["ruleset"] == 0
    assert [one["memory_ids"] for one in found["read"]] == [[put["id"]]]


def test_a_key_with_prefixes_knew_what_lies_inside_them(
    tenant: Tenant, agent: Caller, make_caller: Callable[..., Caller], officer: Person,
    owner_url: str,
) -> None:  # fmt: skip
    agent.put(["in"], "k", {"n": 1})
    agent.put(["out"], "k", {"n": 1})
    narrow = make_caller(tenant, prefixes=["in/"])
    found = _known(officer, actor=narrow.key.split("_")[1], at=_instant(owner_url))
    assert [one["namespace"] for one in found["items"]] == [["in"]]


def test_others_agents_and_the_future_are_refused(
    tenant: Tenant, agent: Caller, outsider: Caller, officer: Person, owner_url: str
) -> None:
    at = _instant(owner_url)
    foreign = outsider.key.split("_")[1]
    answer = officer.call("GET", "/audit/known?" + urlencode({"actor": foreign, "at": at}))
    assert answer.status_code == 404
    asked = {"actor": "test", "at": "2099-01-01T00:00:00Z"}
    assert officer.call("GET", "/audit/known?" + urlencode(asked)).status_code == 422
    assert officer.call("GET", "/audit/known?actor=test").status_code == 422
