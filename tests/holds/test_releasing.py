"""Releasing a hold: by two people, and what then goes when."""

from __future__ import annotations

from datetime import datetime, timedelta

import psycopg
import pytest

from tests.ageing import act_as_owner
from tests.holds.holders import BASE, WHY, Holders
from tests.people import Person


def step(caller: object, hold: str, verb: str = "release") -> tuple[int, str]:
    answer = caller.call("POST", f"{BASE}/{hold}/{verb}", WHY)  # type: ignore[attr-defined]
    body = answer.json()
    return answer.status_code, body.get("code") or body["state"]


def test_one_person_asks_and_another_releases(holders: Holders) -> None:
    hold = holders.place(subjects=["s"])
    assert step(holders.agent, hold) == (403, "people_only")
    assert step(holders.first, hold, "keep") == (409, "invalid_state")
    assert step(holders.first, hold) == (200, "release_requested")
    assert step(holders.first, hold) == (403, "second_person_required")
    assert step(holders.agent, hold) == (403, "people_only")
    assert step(holders.agent, hold, "keep") == (403, "people_only")
    assert step(holders.second, hold, "keep") == (200, "active")
    assert step(holders.second, hold) == (200, "release_requested")
    assert step(holders.first, hold) == (200, "released")
    for verb in ("release", "keep"):
        assert step(holders.second, hold, verb) == (409, "invalid_state")
    shown = holders.first.call("GET", f"{BASE}/{hold}").json()
    assert shown["released_at"] is not None
    names = [shown["release"][name] for name in ("requested_by", "released_by")]
    assert names == [person.user.get_full_name().split("@")[0] for person in by_turn(holders)]
    actions = [
        one["action"]
        for one in holders.first.call("GET", "/audit/events?target=" + hold).json()["items"]
    ]
    assert actions[::-1] == [
        "hold.place", "hold.request", "hold.keep", "hold.request", "hold.release",
    ]  # fmt: skip


@pytest.mark.slow
def test_after_a_release_the_rest_waits_for_the_notice(holders: Holders) -> None:
    identifier = holders.put("k", subjects=["s"], ttl=1)
    hold = holders.place(subjects=["s"])
    holders.wait(days=60)
    holders.sweep()
    holders.release(hold)
    shown = holders.first.call("GET", f"/memories/{identifier}").json()["retention"]
    released = holders.first.call("GET", f"{BASE}/{hold}").json()["released_at"]
    assert shown["state"] == "TRASH"
    expected = datetime.fromisoformat(released) + timedelta(days=holders.tenant.notice_days)
    assert datetime.fromisoformat(shown["purge_at"]) == expected
    holders.sweep()
    assert holders.is_there(identifier)
    release_long_ago(holders, days=8)
    holders.sweep()
    assert not holders.is_there(identifier)


def test_an_erasure_that_waited_for_the_release_completes_by_itself(holders: Holders) -> None:
    identifier = holders.put("k", subjects=["s"])
    hold = holders.place(subjects=["s"])
    with psycopg.connect(holders.owner_url) as connection:
        act_as_owner(connection, holders.tenant)
        connection.execute(
            "UPDATE memories_memory SET erasure_verified_at = now() - interval '1 hour', "
            "erasure_approved_at = now() - interval '1 hour', visible_until = now(), "
            "purge_at = now() WHERE id = %s",
            [identifier],
        )
    holders.sweep()
    assert holders.state(identifier) == "HELD"
    listed = holders.first.call("GET", f"{BASE}/{hold}/memories").json()["items"]
    assert listed[0]["prevented"]["cause"] == "erasure"
    holders.release(hold)
    holders.sweep()
    assert not holders.is_there(identifier)


@pytest.mark.slow
def test_of_two_holds_the_last_release_counts(holders: Holders) -> None:
    identifier = holders.put("k", subjects=["s"], ttl=1)
    one, two = holders.place(subjects=["s"]), holders.place(ids=[identifier])
    holders.wait(days=60)
    holders.sweep()
    holders.release(one)
    release_long_ago(holders, days=30)
    holders.sweep()
    assert holders.state(identifier) == "HELD"
    assert [holders.counts(hold)["prevented"] for hold in (one, two)] == [1, 1]
    holders.release(two)
    release_long_ago(holders, days=8)
    holders.sweep()
    assert not holders.is_there(identifier)


def by_turn(holders: Holders) -> tuple[Person, Person]:
    """Who asked and who released, in the first test."""
    return holders.second, holders.first


def release_long_ago(holders: Holders, *, days: int) -> None:
    """Releases lie back in time, and the dates that follow from them."""
    with psycopg.connect(holders.owner_url) as connection:
        act_as_owner(connection, holders.tenant)
        connection.execute(
            "UPDATE policies_hold SET placed_at = placed_at - %(span)s, "
            "released_at = released_at - %(span)s WHERE tenant_id = %(tenant)s",
            {"span": timedelta(days=days), "tenant": holders.tenant.id},
        )
        connection.execute(
            "UPDATE memories_memory SET purge_at = purge_at - %(span)s "
            "WHERE tenant_id = %(tenant)s",
            {"span": timedelta(days=days), "tenant": holders.tenant.id},
        )
        connection.execute(
            "UPDATE tenants_tenant SET holds = holds + 1, version = version + 1 WHERE id = %s",
            [holders.tenant.id],
        )
