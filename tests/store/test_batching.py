"""POST /store/batch: reads first, the last put of a key wins, all or nothing, by position."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Event
from typing import Any

import pytest

from tenants.models import Tenant
from tests.callers import Caller
from tests.threads import at_once


def put(key: str, value: Any, namespace: str = "a", **options: Any) -> dict[str, Any]:
    return {"op": "put", "namespace": [namespace], "key": key, "value": value, **options}


def get(key: str, **options: Any) -> dict[str, Any]:
    return {"op": "get", "namespace": ["a"], "key": key, **options}


def delete(key: str) -> dict[str, Any]:
    return {"op": "delete", "namespace": ["a"], "key": key}


def results(answer: Any) -> list[Any]:
    assert answer.status_code == 200, answer.content[:500]
    found: list[Any] = answer.json()["results"]
    return found


def test_results_come_by_position_and_reads_see_what_was_before(agent: Caller) -> None:
    agent.put(["a"], "k", {"n": 1})
    got = results(agent.batch(put("k", {"n": 2}), get("k"), get("none"), delete("none")))
    assert got[0]["outcome"] == "updated"
    assert got[0]["version"] == 2
    assert got[1]["value"] == {"n": 1}
    assert got[2] is None
    assert got[3] is None
    assert agent.get(["a"], "k").json()["value"] == {"n": 2}


def test_the_last_put_of_a_key_wins_and_is_one_version(agent: Caller) -> None:
    got = results(agent.batch(put("k", {"n": 1}), put("k", {"n": 2}), put("k", {"n": 3})))
    assert [one["version"] for one in got] == [1, 1, 1]
    assert agent.get(["a"], "k").json()["value"] == {"n": 3}


@pytest.mark.parametrize("gone", [delete("x"), put("x", None)], ids=["delete", "null"])
def test_put_then_delete_leaves_nothing_and_delete_then_put_leaves_the_item(
    agent: Caller, gone: Any
) -> None:
    agent.batch(put("x", {"n": 1}), gone, delete("y"), put("y", {"n": 2}))
    assert agent.get(["a"], "x").status_code == 404
    assert agent.get(["a"], "y").json()["value"] == {"n": 2}
    # of a key that is there, the item is a new memory, and the old one keeps its id and history
    old = agent.put(["a"], "x", {"n": 1}).json()
    got = results(agent.batch(gone, put("x", {"n": 3}, if_version=0), get("x")))
    assert (got[0], got[1]["version"], got[1]["outcome"]) == (None, 1, "created")
    assert got[2]["value"] == {"n": 1}
    assert agent.get(["a"], "x").json()["id"] == got[1]["id"] != old["id"]
    assert agent.call("GET", f"/memories/{old['id']}").status_code == 404
    results(agent.batch(put("x", {"n": 4}), gone))
    assert agent.get(["a"], "x").status_code == 404


def test_a_superseded_put_that_must_fail_fails_the_batch(agent: Caller) -> None:
    agent.put(["a"], "k", {"n": 1})
    unknown = "0198f0a4-0000-7000-8000-000000000000"
    for bad, status, path in [
        (put("k", {"n": 2}, if_version=7), 412, "ops[1]"),
        (put("k", {"n": 2}, kind="nonsense"), 422, "ops[1].kind"),
        (put("k", {"n": 2}, derived_from=[unknown]), 422, "ops[1].derived_from[0]"),
        (put("k", {"a": "x" * (1 << 20)}), 422, "ops[1].value"),
    ]:
        answer = agent.batch(put("new", {"n": 1}), bad, put("k", {"n": 3}))
        found = answer.json()
        assert answer.status_code == status, bad
        assert found.get("at", found.get("errors", [{}])[0].get("path")) == path
        assert agent.keys([]) == ["k"]
    got = results(agent.batch(put("k", {"n": 2}, if_version=1), put("k", {"n": 3}, if_version=1)))
    assert [one["version"] for one in got] == [2, 2]
    assert agent.batch(delete("k"), put("k", {}, if_version=2), put("k", {})).status_code == 412


def test_a_superseded_delete_asks_for_the_right_to_delete(
    agent: Caller, tenant: Tenant, make_caller: Callable[..., Caller]
) -> None:
    writer = make_caller(tenant, scopes=["memory:write"])
    assert writer.batch(delete("k"), put("k", {"n": 1})).status_code == 403
    assert writer.batch(put("k", None), put("k", {"n": 1})).status_code == 403
    assert agent.keys([]) == []


def test_a_value_of_null_deletes(agent: Caller) -> None:
    agent.put(["a"], "k", {"n": 1})
    assert results(agent.batch(put("k", None))) == [None]
    assert agent.get(["a"], "k").status_code == 404


def test_an_empty_batch_has_empty_results(agent: Caller) -> None:
    assert results(agent.batch()) == []


def test_the_root_langgraph_is_accepted_in_a_batch(agent: Caller) -> None:
    assert results(agent.batch(put("k", {}, "langgraph")))[0]["outcome"] == "created"


@pytest.mark.parametrize(
    ("bad", "path"),
    [
        (put("k", {"n": 1}, ttl=0), "ops[1].ttl"),
        (put("k", {"n": 1}, kind="nonsense"), "ops[1].kind"),
        (put("k", {"n": 1}, derived_from=["0198f0a4-0000-7000-8000-000000000000"]),
         "ops[1].derived_from[0]"),
        (put("k", {"a": "x" * (1 << 20)}), "ops[1].value"),
        ({"op": "nonsense"}, "ops[1].op"),
        ({"op": "get", "namespace": ["a.b"], "key": "k"}, "ops[1].namespace[0]"),
        ({"op": "search", "namespace_prefix": [], "filter": {"a": {"$no": 1}}},
         "ops[1].filter.a.$no"),
    ],
)  # fmt: skip
def test_one_failing_op_is_named_and_leaves_nothing(agent: Caller, bad: Any, path: str) -> None:
    answer = agent.batch(put("first", {"n": 1}), bad, put("last", {"n": 1}))
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["path"] == path
    assert agent.keys([]) == []


def test_a_fault_deep_in_a_value_is_named_with_its_op(agent: Caller) -> None:
    raw = b'{"ops": [{"op": "put", "namespace": ["a"], "key": "k", "value": {"a": NaN}}]}'
    answer = agent.call("POST", "/store/batch", raw=raw)
    assert answer.json()["errors"][0]["path"] == "ops[0].value.a"


def test_another_version_than_expected_fails_the_whole_batch(agent: Caller) -> None:
    agent.put(["a"], "k", {"n": 1})
    answer = agent.batch(put("new", {"n": 1}), put("k", {"n": 2}, if_version=7))
    assert answer.status_code == 412
    assert answer.json()["version"] == 1
    assert answer.json()["at"] == "ops[1]"
    assert agent.get(["a"], "new").status_code == 404


@pytest.mark.slow
def test_too_many_ops_are_refused(agent: Caller) -> None:
    answer = agent.batch(*[get("k")] * 20_001)
    assert answer.status_code == 422
    assert answer.json()["code"] == "too_many_ops"


def test_a_body_above_32_mib_is_413(agent: Caller) -> None:
    raw = b'{"ops": [' + b" " * (32 * 1024 * 1024) + b"]}"
    assert agent.call("POST", "/store/batch", raw=raw).status_code == 413


@pytest.mark.slow
def test_twenty_thousand_ops_in_one_request(agent: Caller) -> None:
    ops = [put(str(n), {"n": n}, wait=False, index=False) for n in range(10_000)]
    assert len(results(agent.batch(*ops, *[get("x")] * 10_000))) == 20_000
    got = results(agent.batch(*[get(str(n)) for n in range(10_000)]))
    assert [one["value"]["n"] for one in got] == list(range(10_000))


def test_values_larger_than_an_answer_may_be_are_refused_not_read(
    agent: Caller, settings: Any
) -> None:
    settings.MAX_RESPONSE_BYTES = 100_000
    for n in range(4):
        agent.put(["a"], str(n), {"a": "x" * 30_000}, index=False)
    answer = agent.batch(*[get(str(n)) for n in range(4)])
    assert (answer.status_code, answer.json()["code"]) == (422, "response_too_large")
    answer = agent.search(["a"], limit=4)
    assert (answer.status_code, answer.json()["code"]) == (422, "response_too_large")
    assert len(results(agent.batch(*[get(str(n)) for n in range(3)]))) == 3


@pytest.mark.parametrize(("writers", "turns"), [(3, 1), pytest.param(6, 4, marks=pytest.mark.slow)])
def test_batches_over_the_same_keys_at_once_end_without_a_deadlock(
    agent: Caller, writers: int, turns: int
) -> None:
    keys = [str(n) for n in range(60)]
    agent.batch(*[put(key, {"n": 0}, index=False) for key in keys[::3]])

    def run(number: int) -> list[str]:
        refused = []
        for turn in range(turns):
            shuffled = keys[(number * 7) % 60 :] + keys[: (number * 7) % 60]
            ops = [
                delete(key) if (n + number + turn) % 3 == 0
                else put(key, {"n": number, "t": turn}, index=False)
                for n, key in enumerate(shuffled if number % 2 else shuffled[::-1])
            ]  # fmt: skip
            answer = Caller(agent.key).batch(*ops)
            if answer.status_code != 200:
                refused.append(f"{answer.status_code} {answer.content!r}")
        return refused

    assert at_once([partial(run, number) for number in range(writers)]) == [[]] * writers
    # all or nothing: what is there was left by one batch, the last, and is all that it put
    items = [agent.get(["a"], key).json() for key in keys]
    left = {(one["value"]["n"], one["value"]["t"]) for one in items if "value" in one}
    assert len(left) == 1
    assert sum("value" in one for one in items) == 40


@pytest.mark.slow
def test_a_batch_ends_however_often_others_take_its_keys(agent: Caller) -> None:
    """Keys come and go under it all the time: a batch that only tried again would never get all."""
    batch = [put(str(n), {"n": n}, index=False) for n in range(120)]
    is_done = Event()

    def come_and_go(key: str) -> set[int]:
        caller, statuses = Caller(agent.key), set()
        while not is_done.is_set():
            statuses.add(caller.put(["a"], key, {"n": 0}, index=False).status_code)
            statuses.add(caller.delete(["a"], key).status_code)
        return statuses

    def write() -> set[int]:
        try:
            return {Caller(agent.key).batch(*batch).status_code for _ in range(3)}
        finally:
            is_done.set()

    found = at_once([write, *(partial(come_and_go, str(n * 30)) for n in range(4))])
    assert found == [{200}] + [{200, 204}] * 4


@pytest.mark.slow
def test_twenty_batches_that_create_one_key_make_twenty_versions_of_one_memory(
    agent: Caller,
) -> None:
    def run(number: int) -> Any:
        return results(Caller(agent.key).batch(put("k", {"n": number}, index=False)))[0]

    made = at_once([partial(run, number) for number in range(20)])
    assert len({one["id"] for one in made}) == 1
    assert sorted(one["version"] for one in made) == list(range(1, 21))


@pytest.mark.slow
def test_reads_while_a_batch_writes_do_not_fail(agent: Caller) -> None:
    keys = [str(n) for n in range(50)]
    agent.batch(*[put(key, {"n": 0}, index=False, ttl=10) for key in keys])

    def write() -> set[int]:
        caller = Caller(agent.key)
        ops = [put(key, {"n": 1}, index=False, ttl=10) for key in keys]
        return {caller.batch(*ops).status_code for _ in range(5)}

    def read() -> set[int]:
        caller = Caller(agent.key)
        return {caller.search(["a"], limit=50).status_code for _ in range(10)}

    assert at_once([write, read, write, read]) == [{200}] * 4
