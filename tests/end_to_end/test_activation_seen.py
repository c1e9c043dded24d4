"""An activation in one process, seen by another at its very next request: reads, lists, counts."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from tenants.models import Tenant, User
from tests.ageing import let_pass
from tests.people import Person
from tests.rules.governing import Governed, expire

OLD, YOUNG = ["notes", "old"], ["notes", "young"]


@pytest.fixture
def governed(tenant: Tenant, make_person: Callable[..., User]) -> Governed:
    """Two people who act in this process; the server is another one."""
    author = Person(make_person(tenant, "admin"), tenant)
    return Governed(tenant, author, Person(make_person(tenant, "officer"), tenant))


def _seen(client: httpx.Client) -> dict[str, object]:
    """What the other process says of the old memories, by each door."""
    items = client.get("/store/items", params={"namespace": "notes.old", "key": "k0"})
    listed = client.post("/store/items/search", json={"namespace_prefix": OLD}).json()["items"]
    spaces = client.post("/store/namespaces", json={"prefix": ["notes"]}).json()["namespaces"]
    usage = client.get("/usage", params={"namespace_prefix": "notes.old"}).json()
    return {
        "get": items.status_code, "listed": len(listed), "namespaces": sorted(spaces),
        "active": usage["by_state"]["ACTIVE"],
    }  # fmt: skip


@pytest.mark.slow
def test_another_process_has_the_new_dates_at_once_and_the_old_ones_back(
    client: httpx.Client, governed: Governed, owner_url: str
) -> None:
    for number in range(3):
        body = {"namespace": OLD, "key": f"k{number}", "value": {"n": number}, "index": False}
        assert client.put("/store/items", json=body).status_code == 200
    let_pass(owner_url, governed.tenant, days=100)
    body = {"namespace": YOUNG, "key": "k", "value": {"n": 1}, "index": False}
    assert client.put("/store/items", json=body).status_code == 200
    before = {"get": 200, "listed": 3, "namespaces": [OLD, YOUNG], "active": 3}
    after = {"get": 404, "listed": 0, "namespaces": [YOUNG], "active": 0}
    assert _seen(client) == before
    n = governed.draft(expire(namespace=["notes"]))
    confirm = governed.simulate(n)["confirm_count"]
    governed.approve(n)
    assert _seen(client) == before, "staged, not switched"
    assert governed.activate(n, confirm_count=confirm).status_code == 200
    assert _seen(client) == after
    assert client.get("/engine").json()["ruleset"] == n
    assert client.get("/policies/rulesets/active").json()["n"] == n
    governed.enforce(expire(namespace=["notes"], after={"days": 400}))
    assert _seen(client) == before
