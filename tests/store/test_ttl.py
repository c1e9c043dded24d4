"""TTL: default, per item, none; refreshed by reads; expired is invisible without any sweep."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from tenants.models import Tenant
from tests.ageing import let_pass
from tests.callers import Caller


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def minutes_left(memory: dict[str, Any], since: str = "updated_at") -> float:
    """From an instant of the memory to its `visible_until`."""
    until = instant(memory["retention"]["visible_until"])
    return (until - instant(memory[since])).total_seconds() / 60


def put(caller: Caller, key: str, **options: Any) -> dict[str, Any]:
    answer = caller.put(["a"], key, {"n": 1}, index=False, **options)
    assert answer.status_code == 200, answer.content
    return answer.json()


@pytest.fixture
def pass_time(owner_url: str, tenant: Tenant) -> Callable[..., None]:
    return lambda **span: let_pass(owner_url, tenant, **span)


def test_without_a_default_nothing_expires(agent: Caller) -> None:
    retention = put(agent, "k")["retention"]
    assert (retention["ttl_minutes"], retention["visible_until"]) == (None, None)
    assert retention["purge_at"] is None


@pytest.mark.parametrize(
    ("given", "minutes"), [({}, 30), ({"ttl": 0.1}, 0.1), ({"ttl": 0.03}, 0.03), ({"ttl": 90}, 90)]
)
def test_a_ttl_is_the_tenants_or_the_items_own(
    make_tenant: Callable[..., Tenant], make_caller: Callable[..., Caller],
    given: dict[str, Any], minutes: float,
) -> None:  # fmt: skip
    caller = make_caller(make_tenant(default_ttl_minutes=30))
    made = put(caller, "k", **given)
    assert made["retention"]["ttl_minutes"] == minutes
    assert minutes_left(made) == pytest.approx(minutes)


def test_null_is_never_even_with_a_default(
    make_tenant: Callable[..., Tenant], make_caller: Callable[..., Caller]
) -> None:
    made = put(make_caller(make_tenant(default_ttl_minutes=30)), "k", ttl=None)
    assert made["retention"]["ttl_minutes"] is None
    assert made["retention"]["visible_until"] is None


def test_an_update_without_ttl_takes_the_tenants_default_again(
    make_tenant: Callable[..., Tenant], make_caller: Callable[..., Caller]
) -> None:
    caller = make_caller(make_tenant(default_ttl_minutes=30))
    put(caller, "k", ttl=5)
    answer = caller.put(["a"], "k", {"n": 2}, index=False).json()
    assert answer["retention"]["ttl_minutes"] == 30


def test_an_expired_item_is_gone_from_everything_before_any_sweep(
    agent: Caller, pass_time: Callable[..., None]
) -> None:
    agent.put(["a"], "k", {"text": "soon gone"}, ttl=10, subjects=["s"])
    assert agent.keys(["a"], query="soon gone") == ["k"]
    pass_time(minutes=10, seconds=1)
    assert agent.get(["a"], "k").status_code == 404
    assert agent.keys(["a"]) == []
    for mode in ("hybrid", "vector", "text"):
        assert agent.keys(["a"], query="soon gone", mode=mode) == []
    assert agent.keys(["a"], include_archived=True) == []
    assert agent.namespaces() == []
    body = {"namespace_prefix": ["a"], "dry_run": False}
    assert agent.call("DELETE", "/store/namespaces", body).json()["matched"] == 0
    assert agent.call("GET", "/usage").json()["by_state"]["TRASH"] == 1


def test_an_expired_item_is_not_revived_by_anything(
    agent: Caller, pass_time: Callable[..., None]
) -> None:
    put(agent, "k", ttl=10)
    pass_time(minutes=11)
    for _ in range(2):
        agent.get(["a"], "k", refresh_ttl="true")
        agent.search(["a"], refresh_ttl=True)
    assert agent.get(["a"], "k").status_code == 404


def test_a_put_on_an_expired_key_makes_a_new_memory(
    agent: Caller, pass_time: Callable[..., None]
) -> None:
    old = put(agent, "k", ttl=10)
    pass_time(minutes=11)
    new = put(agent, "k", if_version=0)
    assert (new["outcome"], new["version"]) == ("created", 1)
    assert new["id"] != old["id"]
    assert instant(new["created_at"]) > instant(old["created_at"])
    assert new["retention"]["visible_until"] is None
    usage = agent.call("GET", "/usage").json()
    assert usage["by_state"] == {"ACTIVE": 1, "ARCHIVED": 0, "TRASH": 1, "PURGED": 0} | {
        name: 0 for name in usage["by_state"] if name not in ("ACTIVE", "TRASH")
    }


READS = {
    "get": lambda caller, refresh: caller.get(
        ["a"], "read", **({} if refresh is None else {"refresh_ttl": str(refresh).lower()})
    ),
    "search": lambda caller, refresh: caller.search(
        ["a"], filter={"n": 1}, limit=1, refresh_ttl=refresh
    ),
    "batch": lambda caller, refresh: caller.batch(
        {"op": "get", "namespace": ["a"], "key": "read", "refresh_ttl": refresh}
    ),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
@pytest.mark.parametrize(
    ("setting", "asked", "refreshes"),
    [(True, None, True), (False, None, False), (False, True, True), (True, False, False)],
)
def test_a_read_item_stays_alive_and_the_unread_one_goes(
    make_tenant: Callable[..., Tenant], make_caller: Callable[..., Caller], owner_url: str,
    read: Callable[..., Any], setting: bool, asked: bool | None, refreshes: bool,
) -> None:  # fmt: skip
    tenant = make_tenant(refresh_on_read=setting)
    caller = make_caller(tenant)
    caller.put(["a"], "unread", {"n": 0}, index=False, ttl=10)
    before = put(caller, "read", ttl=10)
    let_pass(owner_url, tenant, minutes=8)
    assert read(caller, asked).status_code == 200
    let_pass(owner_url, tenant, minutes=8)
    answer = caller.get(["a"], "read")
    assert answer.status_code == (200 if refreshes else 404)
    assert caller.get(["a"], "unread").status_code == 404
    if refreshes:
        assert answer.json()["version"] == before["version"]
        assert answer.json()["retention"]["ttl_minutes"] == 10


def test_a_refresh_moves_both_dates_and_leaves_the_update_alone(
    agent: Caller, pass_time: Callable[..., None]
) -> None:
    put(agent, "k", ttl=10)
    pass_time(minutes=5)
    read = agent.get(["a"], "k").json()
    again = agent.get(["a"], "k").json()
    assert minutes_left(read, "accessed_at") == pytest.approx(10)
    assert minutes_left(read) == pytest.approx(15, abs=0.1)
    assert again["retention"] == read["retention"]
    assert again["updated_at"] == read["updated_at"]


def test_a_search_refreshes_only_the_page_it_returns(
    agent: Caller, pass_time: Callable[..., None]
) -> None:
    for key in ("one", "two", "three"):
        put(agent, key, ttl=10)
    pass_time(minutes=8)
    returned = agent.keys(["a"], limit=1, offset=1)
    assert returned == ["two"]
    pass_time(minutes=8)
    assert agent.keys(["a"]) == ["two"]


def test_a_memory_is_touched_once_a_second_at_most(
    agent: Caller, pass_time: Callable[..., None]
) -> None:
    put(agent, "k", ttl=10)
    counts = [agent.get(["a"], "k").json()["access_count"] for _ in range(3)]
    assert counts == [1, 1, 1]
    pass_time(seconds=1.1)
    assert agent.get(["a"], "k").json()["access_count"] == 2


def test_a_read_that_does_not_refresh_still_counts_as_access(
    agent: Caller, pass_time: Callable[..., None]
) -> None:
    made = put(agent, "k", ttl=10)
    pass_time(minutes=2)
    read = agent.get(["a"], "k", refresh_ttl="false").json()
    assert read["access_count"] == 1
    assert minutes_left(read) == pytest.approx(minutes_left(made))


def test_a_refresh_gives_no_ttl_to_what_has_none(agent: Caller) -> None:
    put(agent, "k")
    assert agent.get(["a"], "k", refresh_ttl="true").json()["retention"]["visible_until"] is None


def test_an_unchanged_put_restarts_the_ttl_and_nothing_else(
    agent: Caller, pass_time: Callable[..., None]
) -> None:
    put(agent, "k", ttl=10)
    pass_time(minutes=8)
    before = agent.get(["a"], "k", refresh_ttl="false").json()
    again = put(agent, "k", ttl=10)
    assert again["outcome"] == "unchanged"
    assert (again["version"], again["updated_at"]) == (1, before["updated_at"])
    assert instant(again["retention"]["visible_until"]) > instant(
        before["retention"]["visible_until"]
    )
    pass_time(minutes=8)
    assert agent.get(["a"], "k").status_code == 200


@pytest.mark.parametrize(
    ("lived", "trash"), [({"minutes": 0}, {"minutes": 10}), ({"days": 50}, {"days": 30})]
)
def test_bytes_outlive_use_by_the_trash_but_not_longer_than_the_memory_lived(
    agent: Caller, pass_time: Callable[..., None], lived: dict[str, float],
    trash: dict[str, float],
) -> None:  # fmt: skip
    put(agent, "k", ttl=60 * 24 * 60)
    pass_time(**lived)
    memory = put(agent, "k", ttl=10)
    until = instant(memory["retention"]["visible_until"])
    purge = instant(memory["retention"]["purge_at"])
    assert (purge - until).total_seconds() == pytest.approx(
        timedelta(**trash).total_seconds(), abs=1
    )
