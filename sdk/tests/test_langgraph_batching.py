"""How a batch that is too large for one request is split."""

from __future__ import annotations

from typing import Any

import pytest
from fake_hub import FakeHub
from langgraph.store.base import GetOp, MatchCondition, PutOp
from langgraph.store.base import ListNamespacesOp as ListOp

from memoryhub_sdk import InvalidRequest, Retries
from memoryhub_sdk.calling import Reply
from memoryhub_sdk.langgraph import MemoryHubStore, batching
from memoryhub_sdk.langgraph.batching import Answers, chunks_of
from memoryhub_sdk.langgraph.translating import ask


def _asked(*ops: Any) -> Any:
    return ask(ops, fields=None)


def test_what_fits_is_one_request_in_the_given_order() -> None:
    asked = _asked(PutOp(("a",), "k", {}), GetOp(("a",), "k"), PutOp(("a",), "x", None))
    assert list(chunks_of(asked)) == [[0, 1, 2]]
    assert list(chunks_of([])) == []


def test_what_does_not_fit_is_split_reads_first() -> None:
    asked = _asked(
        *[op for n in range(3) for op in (PutOp(("a",), str(n), {}), GetOp(("a",), "k"))]
    )
    assert list(chunks_of(asked, max_ops=2)) == [[1, 3], [5], [0, 2], [4]]


def test_chunks_stay_below_the_limit_of_bytes() -> None:
    asked = _asked(*[PutOp(("a",), str(n), {"text": "文" * 100}) for n in range(10)])
    size = len(asked[0].content)
    limit = 10 + 3 * (size + 1)
    chunks = list(chunks_of(asked, max_bytes=limit))
    assert [len(chunk) for chunk in chunks] == [3, 3, 3, 1]
    flow = Answers([asked[at] for at in chunks[0]]).flow(Retries())
    assert len(next(flow).content) <= limit


def test_one_operation_over_the_limit_is_left_to_the_hub() -> None:
    asked = _asked(PutOp(("a",), "big", {"text": "x" * 500}), PutOp(("a",), "k", {}))
    assert list(chunks_of(asked, max_bytes=200)) == [[0], [1]]


def test_what_needs_no_asking_is_in_no_chunk() -> None:
    nothing = ListOp((MatchCondition("prefix", ("a",)), MatchCondition("prefix", ("b",))))
    assert list(chunks_of(_asked(nothing, GetOp(("a",), "k"), GetOp((), "k")))) == [[1]]


def test_a_split_batch_answers_by_position(
    store: MemoryHubStore, fake: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put(("a",), "k", {"n": 0})
    monkeypatch.setattr(batching.chunks_of, "__kwdefaults__", {"max_ops": 2, "max_bytes": 10**6})
    ops = [PutOp(("a",), "k", {"n": 1}), GetOp(("a",), "k"), GetOp(("a",), "x")]
    results = store.batch([*ops, PutOp(("a",), "k", {"n": 2}), PutOp(("a",), "y", {}), ops[1]])
    assert [one and one.value["n"] for one in results] == [None, 0, None, None, None, 0]
    assert store.get(("a",), "k").value == {"n": 2}
    assert len(fake.requests) == 1 + 4 + 1


def test_a_fault_is_placed_as_the_caller_counts() -> None:
    asked = _asked(
        *[op for n in range(2) for op in (PutOp(("a",), str(n), {}), GetOp(("a",), "k"))]
    )
    flow = Answers([*asked, *asked]).flow(Retries())
    next(flow)
    problem = b'{"code": "x", "errors": [{"path": "ops[3].key", "code": "x", "detail": "y"}]}'
    with pytest.raises(InvalidRequest) as caught:
        flow.send(Reply(422, {}, problem))
    assert caught.value.errors[0].path == "ops[3].key"
    assert Answers(asked)._moved("ops[1].value.a", [0, 3]) == "ops[3].value.a"
    assert Answers(asked)._moved("namespace", [0, 3]) == "namespace"
    assert Answers(asked[:1])._moved("ops[0].value.a", [0]) == "value.a"


def test_a_large_batch_is_waited_for_longer() -> None:
    send = next(Answers(_asked(*[GetOp(("a",), "k")] * 1000)).flow(Retries()))
    assert send.patience == 20


def test_twenty_thousand_operations_are_one_request(store: MemoryHubStore, fake: FakeHub) -> None:
    assert store.batch([GetOp(("a",), "k")] * 20_000) == [None] * 20_000
    assert len(fake.requests) == 1
    assert store.batch([GetOp(("a",), "k")] * 20_001) == [None] * 20_001
    assert len(fake.requests) == 3
