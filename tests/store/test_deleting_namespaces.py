"""DELETE /store/namespaces: everything visible below a prefix, at once or as a job."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from audit.jobs import run_job
from memories import deleting
from tenants.actors import job_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.callers import Caller
from tests.people import Person


def clear(by: Caller, prefix: list[str], **options: Any) -> Any:
    body = {"namespace_prefix": prefix, "dry_run": False, **options}
    return by.call("DELETE", "/store/namespaces", body)


def fill(agent: Caller, number: int, namespace: list[str]) -> None:
    agent.batch(
        *[
            {"op": "put", "namespace": namespace, "key": str(n), "value": {}, "index": False}
            for n in range(number)
        ]
    )


def run(tenant: Tenant, job_id: str) -> None:
    with acting_as(job_actor("run_job_of", tenant.id)):
        run_job(UUID(job_id))


def test_a_dry_run_counts_and_deletes_nothing(agent: Caller) -> None:
    fill(agent, 3, ["a", "b"])
    done = clear(agent, ["a"], dry_run=True)
    assert done.json() == {"matched": 3, "deleted": 0, "kept": []}
    assert len(agent.keys(["a"])) == 3


def test_whole_labels_below_the_prefix_go_and_nothing_else(agent: Caller) -> None:
    for namespace in (["a"], ["a", "b"], ["ab"], ["A"], ["b", "a"]):
        fill(agent, 2, namespace)
    assert clear(agent, ["a"]).json()["deleted"] == 4
    assert sorted(agent.namespaces()) == [["A"], ["ab"], ["b", "a"]]
    assert clear(agent, ["a"]).json() == {"matched": 0, "deleted": 0, "kept": []}


def test_the_empty_prefix_is_refused(agent: Caller) -> None:
    assert clear(agent, []).status_code == 422


def test_a_key_deletes_only_inside_its_prefixes(
    agent: Caller, tenant: Tenant, make_caller: Callable[..., Caller]
) -> None:
    fill(agent, 2, ["a", "mine"])
    fill(agent, 2, ["a", "other"])
    narrow = make_caller(tenant, prefixes=["a/mine/"])
    assert clear(narrow, ["b"]).json()["code"] == "outside_prefix"
    assert clear(narrow, ["a"]).json()["matched"] == 2
    assert agent.namespaces() == [["a", "other"]]


def test_another_tenant_keeps_everything(agent: Caller, outsider: Caller) -> None:
    fill(outsider, 2, ["a"])
    fill(agent, 1, ["a"])
    assert clear(agent, ["a"]).json()["deleted"] == 1
    assert len(outsider.keys(["a"])) == 2


def test_an_officer_gives_a_reason(agent: Caller, officer: Person) -> None:
    fill(agent, 1, ["a"])
    assert clear(officer, ["a"]).json()["errors"][0]["path"] == "reason"
    assert clear(officer, ["a"], dry_run=True).status_code == 200
    assert clear(officer, ["a"], reason="a request by the customer").json()["deleted"] == 1


def test_an_officer_deletes_one_item_with_a_reason(agent: Caller, officer: Person) -> None:
    agent.put(["a"], "k", {"n": 1})
    body = {"namespace": ["a"], "key": "k"}
    assert officer.call("DELETE", "/store/items", body).status_code == 422
    assert officer.call("DELETE", "/store/items", {**body, "reason": "why"}).status_code == 204
    assert agent.get(["a"], "k").status_code == 404


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deleting, "AT_ONCE", 3)
    monkeypatch.setattr(deleting, "CHUNK", 2)


@pytest.mark.usefixtures("small")
def test_many_become_a_job_with_progress_and_result(agent: Caller, tenant: Tenant) -> None:
    fill(agent, 7, ["a"])
    begun = clear(agent, ["a"])
    assert begun.status_code == 202
    job = begun.json()
    assert job["state"] == "queued"
    assert job["progress"] == {"done": 0, "total": 7}
    assert begun.headers["Location"].endswith(job["id"])
    agent.put(["a"], "later", {"n": 1})
    run(tenant, job["id"])
    done = agent.call("GET", f"/jobs/{job['id']}").json()
    assert done["state"] == "done"
    assert done["result"] == {"matched": 7, "deleted": 7, "kept": []}
    assert agent.keys(["a"]) == ["later"]


@pytest.mark.usefixtures("small")
def test_a_job_killed_in_the_middle_goes_on_where_it_was(
    agent: Caller, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(agent, 7, ["a"])
    job = clear(agent, ["a"]).json()
    taken, trash = [], deleting._trash

    class Killed(BaseException):
        pass

    def trash_twice(rows: Any, reason: Any) -> None:
        if len(taken) == 2:
            raise Killed
        taken.append(len(rows))
        trash(rows, reason)

    with monkeypatch.context() as broken:
        broken.setattr(deleting, "_trash", trash_twice)
        with pytest.raises(Killed):
            run(tenant, job["id"])
    half = agent.call("GET", f"/jobs/{job['id']}").json()
    assert half["state"] == "running"
    assert half["progress"]["done"] == 4
    run(tenant, job["id"])
    done = agent.call("GET", f"/jobs/{job['id']}").json()
    assert done["result"]["deleted"] == 7
    assert agent.keys(["a"]) == []


@pytest.mark.usefixtures("small")
def test_a_cancelled_job_does_nothing_more(agent: Caller, tenant: Tenant) -> None:
    fill(agent, 7, ["a"])
    job = clear(agent, ["a"]).json()
    assert agent.call("POST", f"/jobs/{job['id']}/cancel").json()["state"] == "cancelled"
    run(tenant, job["id"])
    assert len(agent.keys(["a"])) == 7
    again = agent.call("POST", f"/jobs/{job['id']}/cancel")
    assert (again.status_code, again.json()["state"]) == (409, "cancelled")


@pytest.mark.usefixtures("small")
def test_a_job_is_seen_by_who_began_it_and_by_officers(
    agent: Caller, outsider: Caller, officer: Person, tenant: Tenant,
    make_caller: Callable[..., Caller],
) -> None:  # fmt: skip
    fill(agent, 7, ["a"])
    job = clear(agent, ["a"]).json()["id"]
    assert officer.call("GET", f"/jobs/{job}").status_code == 200
    for other in (outsider, make_caller(tenant)):
        assert other.call("GET", f"/jobs/{job}").status_code == 404
        assert other.call("POST", f"/jobs/{job}/cancel").status_code == 404
        assert other.call("GET", f"/jobs/{job}/file").status_code == 404
    assert agent.call("GET", f"/jobs/{job}/file").status_code == 404


def test_nothing_is_deleted_unless_the_caller_says_so(agent: Caller) -> None:
    fill(agent, 2, ["a"])
    answer = agent.call("DELETE", "/store/namespaces", {"namespace_prefix": ["a"]}).json()
    assert (answer["matched"], answer["deleted"]) == (2, 0)
    assert len(agent.keys(["a"])) == 2
