"""What another tenant's key, or a key of another prefix, can tell: nothing.

Each call is made twice, for a thing of somebody else's and for a thing that is nowhere. Status,
body and headers must be alike, request ids and the caller's own words apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from memories.sweeping import sweep_now
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.callers import Caller

NAMESPACE = ["users", "u1"]
MARKER = "marker-of-a"
Ask = Callable[[Caller, list[str], str], Any]

READS: dict[str, Ask] = {
    "get": lambda caller, ns, key: caller.get(ns, key),
    "get without refresh": lambda caller, ns, key: caller.get(ns, key, refresh_ttl="false"),
    "search": lambda caller, ns, key: caller.search(ns),
    "search by meaning": lambda caller, ns, key: caller.search(ns, query=MARKER),
    "search by text": lambda caller, ns, key: caller.search(ns, query=MARKER, mode="text"),
    "search by vector": lambda caller, ns, key: caller.search(ns, query=MARKER, mode="vector"),
    "search by filter": lambda caller, ns, key: caller.search(ns, filter={"text": MARKER}),
    "search by subject": lambda caller, ns, key: caller.search(ns, subjects=["s"]),
    "search by tag": lambda caller, ns, key: caller.search(ns, tags=["t"]),
    "search with the archive": lambda caller, ns, key: caller.search(ns, include_archived=True),
    "list": lambda caller, ns, key: caller.call("POST", "/store/namespaces", {"prefix": ns}),
    "list by suffix": lambda caller, ns, key: caller.call(
        "POST", "/store/namespaces", {"suffix": ns[-1:]}
    ),
    "batch": lambda caller, ns, key: caller.batch(
        {"op": "get", "namespace": ns, "key": key},
        {"op": "search", "namespace_prefix": ns},
        {"op": "search", "namespace_prefix": ns, "query": MARKER},
        {"op": "list_namespaces", "prefix": ns},
    ),
    "usage": lambda caller, ns, key: caller.call("GET", f"/usage?namespace_prefix={'.'.join(ns)}"),
}

WRITES: dict[str, Ask] = {
    "put": lambda caller, ns, key: caller.put(ns, key, {"n": 1}, index=False),
    "put of a version": lambda caller, ns, key: caller.put(
        ns, key, {"n": 1}, index=False, if_version=1
    ),
    "put that must be new": lambda caller, ns, key: caller.put(
        ns, key, {"n": 1}, index=False, if_version=0
    ),
    "delete": lambda caller, ns, key: caller.delete(ns, key),
    "delete below": lambda caller, ns, key: caller.call(
        "DELETE", "/store/namespaces", {"namespace_prefix": ns, "dry_run": False}
    ),
    "count below": lambda caller, ns, key: caller.call(
        "DELETE", "/store/namespaces", {"namespace_prefix": ns}
    ),
    "batch put": lambda caller, ns, key: caller.batch(
        {"op": "put", "namespace": ns, "key": key, "value": {"n": 1}, "index": False}
    ),
    "batch delete": lambda caller, ns, key: caller.batch(
        {"op": "delete", "namespace": ns, "key": key}
    ),
}

VOLATILE = {"request_id", "search_id", "id", "created_at", "updated_at"}


def shape(thing: Any) -> Any:
    """An answer without what differs from call to call."""
    if isinstance(thing, dict):
        return {
            name: "…" if name in VOLATILE and value is not None else shape(value)
            for name, value in thing.items()
        }
    return [shape(one) for one in thing] if isinstance(thing, list) else thing


def told(answer: Any) -> tuple[int, dict[str, str], Any]:
    """All that an answer tells."""
    headers = {name: value for name, value in answer.headers.items() if name != "X-Request-Id"}
    return answer.status_code, headers, shape(answer.json()) if answer.content else None


def put_secret(agent: Caller) -> dict[str, Any]:
    made = agent.put(NAMESPACE, "k", {"text": MARKER}, subjects=["s"], tags=["t"])
    assert made.status_code == 200
    return made.json()


@pytest.fixture
def secret(agent: Caller) -> dict[str, Any]:
    """A memory of tenant A that everybody would like to see."""
    return put_secret(agent)


@dataclass(frozen=True)
class Stage:
    """One such memory for all that only try: `check` holds it against what it was."""

    agent: Caller
    outsider: Caller
    narrow: Caller
    secret: dict[str, Any]

    def check(self) -> None:
        kept = self.agent.get(NAMESPACE, "k").json()
        expected = (self.secret["id"], 1, {"text": MARKER})
        assert (kept["id"], kept["version"], kept["value"]) == expected


@pytest.fixture(scope="module")
def stage(make_tenant: Callable[..., Tenant], make_caller: Callable[..., Caller]) -> Stage:
    tenant, rival = make_tenant(), make_tenant()
    agent, narrow = make_caller(tenant), make_caller(tenant, prefixes=["users/u2/"])
    return Stage(agent, make_caller(rival), narrow, put_secret(agent))


def compare(ask: Ask, caller: Caller) -> tuple[int, dict[str, str], Any]:
    there, nowhere = ask(caller, NAMESPACE, "k"), ask(caller, ["users", "zz"], "k")
    assert MARKER not in there.content.decode()
    seen, expected = told(there), told(nowhere)
    text = repr(seen).replace("'u1'", "'zz'")
    assert text == repr(expected)
    return seen


@pytest.mark.parametrize("ask", READS.values(), ids=READS)
def test_a_read_by_another_tenants_key_cannot_tell_it_from_nothing(ask: Ask, stage: Stage) -> None:
    compare(ask, stage.outsider)
    stage.check()


@pytest.mark.parametrize("ask", WRITES.values(), ids=WRITES)
def test_a_write_by_another_tenants_key_cannot_tell_it_from_nothing(
    ask: Ask, stage: Stage, outsider: Caller
) -> None:
    compare(ask, outsider)
    stage.check()


@pytest.mark.parametrize("ask", READS.values(), ids=READS)
def test_a_read_with_another_prefix_cannot_tell_it_from_nothing(ask: Ask, stage: Stage) -> None:
    status, _, body = compare(ask, stage.narrow)
    assert status in (200, 404)
    assert stage.secret["id"] not in repr(body)


@pytest.mark.parametrize("ask", WRITES.values(), ids=WRITES)
def test_a_write_with_another_prefix_is_refused_whether_or_not_it_is_there(
    ask: Ask, stage: Stage
) -> None:
    status, _, body = compare(ask, stage.narrow)
    assert (status, body["code"]) == (403, "outside_prefix")
    stage.check()


def test_a_wide_question_shows_a_narrow_key_its_own_part_only(
    secret: dict[str, Any], agent: Caller, tenant: Tenant, make_caller: Callable[..., Caller]
) -> None:
    agent.put(["users", "u10"], "k", {"text": "a neighbour by name"})
    agent.put(["users", "u1", "notes"], "k", {"text": "below"})
    narrow = make_caller(tenant, prefixes=["users/u1/"])
    assert {tuple(ns) for ns in narrow.namespaces()} == {("users", "u1"), ("users", "u1", "notes")}
    assert len(narrow.keys([])) == 2
    assert len(narrow.keys(["users"], query="neighbour")) == 2
    assert narrow.call("GET", "/usage").json()["rows"] == 2
    assert narrow.get(["users", "u10"], "k").status_code == 404


def test_a_delete_above_the_prefix_takes_only_what_lies_inside(
    secret: dict[str, Any], agent: Caller, tenant: Tenant, make_caller: Callable[..., Caller]
) -> None:
    agent.put(["users", "u2"], "k", {"n": 1})
    narrow = make_caller(tenant, prefixes=["users/u1/"])
    body = {"namespace_prefix": ["users"], "dry_run": False}
    assert narrow.call("DELETE", "/store/namespaces", body).json()["deleted"] == 1
    assert agent.get(["users", "u2"], "k").status_code == 200
    assert agent.get(NAMESPACE, "k").status_code == 404


def test_the_same_key_in_two_tenants_is_two_memories(
    secret: dict[str, Any], agent: Caller, outsider: Caller
) -> None:
    other = outsider.put(NAMESPACE, "k", {"text": "mine"}).json()
    assert other["outcome"] == "created"
    assert other["id"] != secret["id"]
    outsider.delete(NAMESPACE, "k")
    assert agent.get(NAMESPACE, "k").json()["value"] == {"text": MARKER}


@pytest.mark.parametrize("who", ["outsider", "other prefix"])
def test_a_source_of_somebody_else_is_as_unknown_as_one_that_never_was(
    who: str, secret: dict[str, Any], outsider: Caller, tenant: Tenant,
    make_caller: Callable[..., Caller],
) -> None:  # fmt: skip
    caller = outsider if who == "outsider" else make_caller(tenant, prefixes=["users/u2/"])
    there, nowhere = (
        caller.put(["users", "u2"], "mine", {"n": 1}, derived_from=[identifier])
        for identifier in (secret["id"], "01900000-0000-7000-8000-000000000000")
    )
    assert told(there) == told(nowhere)
    assert there.json()["errors"][0]["code"] == "unknown_source"


def test_requests_of_other_prefixes_are_not_counted(
    secret: dict[str, Any], agent: Caller, tenant: Tenant, make_caller: Callable[..., Caller]
) -> None:
    narrow = make_caller(tenant, prefixes=["users/u2/"])
    before = narrow.call("GET", "/usage").json()["requests_24h"]
    agent.get(NAMESPACE, "k")
    assert narrow.call("GET", "/usage").json()["requests_24h"] == before == 0


def test_closed_doors_answer_alike_with_and_without_a_thing_behind(
    secret: dict[str, Any], tenant: Tenant, make_caller: Callable[..., Caller]
) -> None:
    caller = make_caller(tenant, scopes=["event:write"])
    for ask in [*READS.values(), *WRITES.values()]:
        status, _, body = compare(ask, caller)
        assert (status, body["code"]) == (403, "scope_missing")


def test_a_narrow_key_sees_the_sweeps_of_its_own_part_only(
    tenant: Tenant, make_caller: Callable[..., Caller]
) -> None:
    narrow = make_caller(tenant, scopes=["policy:read"], prefixes=["users/u2/"])
    wide = make_caller(tenant, scopes=["policy:read"])
    with acting_as(operator_actor(tenant.id)):
        runs = [sweep_now(prefix) for prefix in ("users/u2/", "users/u1/", "users/", "")]
    mine, *others = (str(run.id) for run in runs)
    listed = narrow.call("GET", "/policies/sweeps?count=true").json()
    assert ([run["id"] for run in listed["items"]], listed["total"]) == ([mine], 1)
    assert narrow.call("GET", f"/policies/sweeps/{mine}").status_code == 200
    for other in others:
        assert narrow.call("GET", f"/policies/sweeps/{other}").status_code == 404
    assert wide.call("GET", "/policies/sweeps?count=true").json()["total"] == 4
