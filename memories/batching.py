"""A batch: reads first, then puts and deletes, all or nothing, answers by position.

The last op of a key decides what is there; a put of `value: null` deletes. A delete is done where
it stands, so a put after it makes a new memory, as it would alone. A put that a later op of its key
supersedes is judged like any other, by the version that the batch found, and changes nothing.
Embeddings of all puts are one call, before the transaction; an error in one op names it and leaves
nothing.

Deadlocks. Before anything changes, the rows of every key of the batch are locked in the one order
that all writers use, and new keys are created in that order. Two batches over the same keys wait
for each other and never in a circle; the corner that order cannot cover (a key created by somebody
else between our lock and our change) makes one of them run again, in the end alone (`retrying`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

from audit.repeating import settle
from memories.bounding import Budget
from memories.deciding import Prepared
from memories.deleting import check_delete, delete_rows
from memories.namespaces import encode
from memories.namespacing import read_namespaces
from memories.ops import DeleteOp, GetOp, ListNamespacesOp, Op, PutOp, SearchOp
from memories.reading import read_memories
from memories.retrying import retry_when_taken, with_newest_rules
from memories.rows import StoredMemory
from memories.searching import Question, prepare_search, run_search
from memories.statements.lookup import find_keys, lock_by_keys
from memories.writing import Written, apply_puts, judge_puts, prepare_puts
from memoryhub.errors import HubError

T = TypeVar("T")
Key = tuple[str, str]
CHUNK = 500
READS = (GetOp, SearchOp, ListNamespacesOp)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a batch will do. Numbers are positions of ops.

    `final` has the last change of a key, `gone` its deletes, the first one first; `puts` are final,
    `superseded` are not.
    """

    ops: Sequence[Op]
    final: Mapping[Key, int]
    puts: Mapping[int, Prepared]
    superseded: Mapping[int, Prepared]
    gone: Mapping[Key, int]
    reasons: Mapping[Key, str | None]
    questions: Mapping[int, Question]


def run_batch(ops: Sequence[Op]) -> list[Any]:
    """The results by position: put → Written, get → StoredMemory or None, delete → None, …"""
    return with_newest_rules(lambda: retry_when_taken(partial(_run, _plan(ops))))


def _plan(ops: Sequence[Op]) -> _Plan:
    final: dict[Key, int] = {}
    puts: dict[int, PutOp] = {}
    gone: dict[Key, int] = {}
    reasons: dict[Key, str | None] = {}
    for number, op in enumerate(ops):
        if not isinstance(op, PutOp | DeleteOp):
            continue
        key = encode(op.namespace), op.key
        final[key] = number
        if isinstance(op, PutOp) and op.value is not None:
            puts[number] = op
        else:
            reason = op.reason if isinstance(op, DeleteOp) else None
            reasons[key] = _named(number, partial(check_delete, key[0], reason))
            gone.setdefault(key, number)
    questions = {
        number: _named(number, partial(prepare_search, op))
        for number, op in enumerate(ops)
        if isinstance(op, SearchOp)
    }
    lasting = puts.keys() & set(final.values())
    prepared = _prepare(puts, lasting)
    return _Plan(
        ops=ops,
        final=final,
        puts={number: put for number, put in prepared.items() if number in lasting},
        superseded={number: put for number, put in prepared.items() if number not in lasting},
        gone=gone,
        reasons=reasons,
        questions=questions,
    )


def _prepare(puts: Mapping[int, PutOp], lasting: Collection[int]) -> dict[int, Prepared]:
    if not puts:
        return {}
    numbers = list(puts)
    superseded = [place for place, number in enumerate(numbers) if number not in lasting]
    prepared = _positioned(
        numbers, lambda: prepare_puts(list(puts.values()), superseded=superseded)
    )
    return dict(zip(numbers, prepared, strict=True))


def _run(plan: _Plan) -> list[Any]:
    results = _read(plan)
    locked = _lock(plan)
    _judge(plan, locked)
    left = _delete(plan, locked)
    written = _write(plan, left)
    for number, op in enumerate(plan.ops):
        if isinstance(op, PutOp) and op.value is not None:
            results[number] = written.get(plan.final[encode(op.namespace), op.key])
    if plan.final:
        settle({"results": [_kept(result) for result in results]})
    return results


def _judge(plan: _Plan, locked: Mapping[Key, StoredMemory]) -> None:
    """Superseded puts fail as if alone: by the rows found, or by none after a delete."""
    before: list[int] = []
    after: list[int] = []
    for number, put in plan.superseded.items():
        deleted = plan.gone.get((put.namespace, put.op.key), len(plan.ops))
        (before if number < deleted else after).append(number)
    for numbers, rows in ((before, locked), (after, {})):
        if numbers:
            puts = [plan.superseded[number] for number in numbers]
            _positioned(numbers, partial(judge_puts, puts, rows))


def _delete(plan: _Plan, locked: Mapping[Key, StoredMemory]) -> dict[Key, StoredMemory]:
    """Take out of use what the batch deletes; the rows that are left under their keys."""
    deleted: set[UUID] = set()
    for reason in dict.fromkeys(plan.reasons.values()):
        keys = sorted(key for key in plan.gone if key in locked and plan.reasons[key] == reason)
        deleted.update(delete_rows([locked[key] for key in keys], reason=reason))
    return {key: row for key, row in locked.items() if row.id not in deleted}


def _lock(plan: _Plan) -> dict[Key, StoredMemory]:
    """The rows of all keys, locked.

    A statement that waits for another batch sees of it only the rows that it waited for, not what
    was created beside them. A put of such a key meets it in the index; a delete would find nothing
    and leave it there, the one batch half over the other. So what is to go and was not found is
    looked for until a look that waits for nobody finds nothing.
    """
    locked = _lock_rows(sorted(plan.final))
    while created := _find_keys(sorted(plan.gone.keys() - locked.keys())):
        locked |= _lock_rows(created)
    return locked


def _lock_rows(keys: Sequence[Key]) -> dict[Key, StoredMemory]:
    locked: dict[Key, StoredMemory] = {}
    for start in range(0, len(keys), CHUNK):
        locked |= lock_by_keys(keys[start : start + CHUNK])
    return locked


def _find_keys(keys: Sequence[Key]) -> list[Key]:
    found: list[Key] = []
    for start in range(0, len(keys), CHUNK):
        found += find_keys(keys[start : start + CHUNK])
    return found


def _write(plan: _Plan, locked: Mapping[Key, StoredMemory]) -> dict[int, Written]:
    puts = plan.puts
    plain = [number for number in puts if not puts[number].op.dedup]
    plain.sort(key=lambda n: (puts[n].namespace, puts[n].op.key))
    chunks = [plain[start : start + CHUNK] for start in range(0, len(plain), CHUNK)]
    chunks += [[number] for number in puts if puts[number].op.dedup]
    written: dict[int, Written] = {}
    for chunk in chunks:
        prepared = [puts[number] for number in chunk]
        done = _positioned(chunk, partial(apply_puts, prepared, locked))
        written.update(zip(chunk, done, strict=True))
    return written


def _read(plan: _Plan) -> list[Any]:
    """What the reads give, at their positions; None everywhere else."""
    results: list[Any] = [None] * len(plan.ops)
    budget = Budget()
    gets = {n: op for n, op in enumerate(plan.ops) if isinstance(op, GetOp)}
    if gets:
        rows = read_memories(list(gets.values()), budget)
        for number, row in zip(gets, rows, strict=True):
            results[number] = row
    for number, op in enumerate(plan.ops):
        if isinstance(op, SearchOp):
            found = _named(number, partial(run_search, plan.questions[number]))
            budget.spend(sum(len(hit.row.value) for hit in found.hits))
            results[number] = found
        elif isinstance(op, ListNamespacesOp):
            results[number] = _named(number, partial(read_namespaces, op))
    return results


def _kept(result: Any) -> list[Any] | None:
    """What is kept of a put for a replay; reads are asked again."""
    if not isinstance(result, Written):
        return None
    return [str(result.row.id), result.row.version, result.outcome]


def _positioned(numbers: Sequence[int], work: Callable[[], T]) -> T:
    """Run a part over several ops; a fault says which of them, seen as `ops[number]…`."""
    try:
        return work()
    except HubError as fault:
        if fault.position is None:
            raise
        raise fault.under(f"ops[{numbers[fault.position]}]") from None


def _named(number: int, work: Callable[[], T]) -> T:
    """Run one op's part; a fault in its input is seen as `ops[number]…`."""
    try:
        return work()
    except HubError as fault:
        raise fault.under(f"ops[{number}]") from None
