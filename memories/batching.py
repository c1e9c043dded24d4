"""A batch: reads first, then puts and deletes, all or nothing, answers by position.

The last put of a key wins; a put of `value: null` deletes. Embeddings of all puts are one call,
before the transaction; an error in one op names it and leaves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from memories.deciding import Prepared
from memories.deleting import delete_keys, require_inside
from memories.namespaces import encode
from memories.namespacing import read_namespaces
from memories.ops import DeleteOp, GetOp, ListNamespacesOp, Op, PutOp, SearchOp
from memories.reading import read_memory
from memories.searching import Question, prepare_search, run_search
from memories.writing import Written, apply_puts, prepare_puts, retry_when_taken
from memoryhub.errors import HubError

T = TypeVar("T")
APPLY_CHUNK = 500


def run_batch(ops: Sequence[Op]) -> list[Any]:
    """The results by position: put → Written, get → StoredMemory or None, delete → None, …"""
    final = _last_changes(ops)
    puts: dict[int, PutOp] = {}
    gone: list[tuple[tuple[str, str], int]] = []
    for key, number in final.items():
        op = ops[number]
        if isinstance(op, PutOp) and op.value is not None:
            puts[number] = op
        else:
            gone.append((key, number))
    for (path, _), number in gone:
        _named(number, partial(require_inside, path))
    prepared = _prepare(puts)
    questions = {
        number: _named(number, partial(prepare_search, op))
        for number, op in enumerate(ops)
        if isinstance(op, SearchOp)
    }
    return retry_when_taken(lambda: _run(ops, final, prepared, gone, questions))


def _last_changes(ops: Sequence[Op]) -> dict[tuple[str, str], int]:
    """For each key that changes, the position of the op that decides what it becomes."""
    return {
        (encode(op.namespace), op.key): number
        for number, op in enumerate(ops)
        if isinstance(op, PutOp | DeleteOp)
    }


def _prepare(puts: dict[int, PutOp]) -> dict[int, Prepared]:
    if not puts:
        return {}
    ops = list(puts.values())
    try:
        return dict(zip(puts, prepare_puts(ops), strict=True))
    except HubError:
        for number, op in puts.items():  # once more, one by one, to name the one at fault
            alone = [op.model_copy(update={"wait": False})]
            _named(number, partial(prepare_puts, alone))
        raise


def _run(
    ops: Sequence[Op], final: dict[tuple[str, str], int], prepared: dict[int, Prepared],
    gone: list[tuple[tuple[str, str], int]], questions: dict[int, Question],
) -> list[Any]:  # fmt: skip
    results: list[Any] = [None] * len(ops)
    for number, op in enumerate(ops):
        results[number] = _named(number, partial(_read, op, questions.get(number)))
    if gone:
        keys = [key for key, _ in gone]
        for start in range(0, len(keys), APPLY_CHUNK):
            delete_keys(keys[start : start + APPLY_CHUNK])
    written = _apply(prepared)
    for number, op in enumerate(ops):
        if isinstance(op, PutOp):
            results[number] = written.get(final[encode(op.namespace), op.key])
    return results


def _apply(prepared: dict[int, Prepared]) -> dict[int, Written]:
    numbers = sorted(prepared, key=lambda n: (prepared[n].namespace, prepared[n].op.key))
    written: dict[int, Written] = {}
    for start in range(0, len(numbers), APPLY_CHUNK):
        chunk = numbers[start : start + APPLY_CHUNK]
        try:
            done = apply_puts([prepared[number] for number in chunk])
        except HubError as error:
            if error.position is None:
                raise
            raise error.under(f"ops[{chunk[error.position]}]") from None
        written.update(zip(chunk, done, strict=True))
    return written


def _read(op: Op, question: Question | None) -> Any:
    match op:
        case GetOp():
            return read_memory(op)
        case SearchOp():
            assert question is not None
            return run_search(question)
        case ListNamespacesOp():
            return read_namespaces(op)
    return None


def _named(number: int, work: Callable[[], T]) -> T:
    """Run one op's part; a fault in its input is seen as `ops[number]…`."""
    try:
        return work()
    except HubError as fault:
        raise fault.under(f"ops[{number}]") from None
