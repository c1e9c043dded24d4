"""Filters as SQL: nothing interpolated, nothing raised, and the same answers as in memory."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from memories.filter_sql import compile_sql, to_json
from memories.filters import evaluate, parse_filter

Ask = Callable[[Any, list[Any]], list[Any]]


def test_keys_and_values_never_stand_in_the_text() -> None:
    evil = "x') OR 1=1; --%s \\ \" 中"
    raw = {
        evil: {"$gt": evil, "$in": [evil], "$contains": evil},
        f"{evil}.b": {"c": {"$ne": "2026-01-01T00:00:00Z"}},
    }
    sql, params = compile_sql(parse_filter(raw))
    assert "x'" not in sql
    assert "中" not in sql
    assert sql.count("%s") == len(params) == sql.count("%")


def test_a_column_that_is_not_a_name_is_refused() -> None:
    with pytest.raises(ValueError, match="not the name of a column"):
        compile_sql(parse_filter({}), "value; DROP TABLE x")
    assert compile_sql(parse_filter({"a": 1}), "memory.value")[0].startswith("coalesce((memory.")


def test_dotted_keys_inside_each_other_do_not_blow_up(ask: Ask) -> None:
    raw: Any = {"x.y": {"$gt": 1}}
    value: Any = {"x": {"y": 2}}
    for _ in range(14):
        raw = {"x.y": raw}
        value = {"x": {"y": value}}
    sql, _ = compile_sql(parse_filter(raw))
    assert len(sql) < 5000
    assert ask(raw, [value, {}]) == [True, False]


def test_json_text_keeps_numbers_exact() -> None:
    assert to_json({"a": [Decimal("1E+400"), 0.1, True, None, '中"']}) == (
        '{"a":[1E+400,0.1,true,null,"中\\""]}'
    )
    assert json.loads(to_json({"k": (1, 2)})) == {"k": [1, 2]}


# --- agreement on random pairs --------------------------------------------------------------------

KEYS = ["a", "b", "a.b", "", ".", "b.", "$x", "中", "é", "a'b", '"', "\\", "%s", "😀", "\n"]
FILTER_KEYS = [key for key in KEYS if not key.startswith("$")]
NUMBERS = [
    *(0, -0.0, 1, 1.0, -1, 9, 10, 100, 0.1, 0.30000000000000004, 1e23, 10**23, 2**53, 2**53 + 1),
    *(float(2**53), 1e-7, 1.5e300, 5e-324, Decimal("1e400"), Decimal("0.1"), Decimal("1.10")),
    *(Decimal("0.1000000000000000055511151231257827"), Decimal("-1e-400"), -(10**30)),
]
TEXTS = [
    *("", "a", "b", "A", "z", "é", "中", "😀", "\uffff", "1", "10", "9", "true", "null", "ab", "%"),
    *("_", "\\", "'", '"', "x\ny", "2026-01-01", "0001-01-01T00:00:00+23:59", "infinity", "now"),
    *("2026-01-01T00:00:00", "Jan 01 2026 00:00:00Z", "9999-12-31T23:59:60-23:59"),
    *(
        "2016-12-31T23:59:60Z",
        "2017-01-01T00:00:00Z",
        "2024-02-29T12:00:00Z",
        " 026-01-01T00:00:00Z",
    ),
    *(
        "2023-02-29T12:00:00Z",
        "2026-02-30T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T5:00:00Z",
    ),
    *("2026-001T00:00:00Z", "+026-01-01T00:00:00Z", "20260101T000000Z", "2026-01-01T00:00:00 BC"),
]


OPERATORS = [
    *("$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$gt", "$gte", "$lt", "$lte"),
    *("$in", "$nin", "$exists", "$contains", "$contains", "$not", "$or", "$and"),
]


def some_instant(rng: random.Random) -> str:
    day = f"{rng.choice(['2026', '2025', '0001', '9999', '0000', '2000'])}-{rng.randint(0, 13):02}"
    text = f"{day}-{rng.choice([0, 1, 2, 28, 29, 30, 31, 32]):02}{rng.choice('TTTt _')}"
    text += f"{rng.choice([0, 1, 8, 23, 24]):02}:{rng.choice([0, 30, 59, 60]):02}"
    text += f":{rng.choice([0, 0, 1, 59, 60, 61]):02}"
    text += rng.choice(["", "", ".0", ".5", ".50", ".1234567", ".12345671", ".", "." + "1" * 40])
    offsets = ["Z", "Z", "z", "+00:00", "-00:00", "+08:00", "-23:59", "+15:59", "+16:00", "+24:00"]
    text += rng.choice([*offsets, "", "+0800", "+08", "Z\n", "+05:60"])
    if rng.random() < 0.05:
        spot = rng.randrange(len(text))
        text = text[:spot] + rng.choice(" ٣2-+é") + text[spot + 1 :]
    return text


def some_value(rng: random.Random, depth: int = 3) -> Any:
    pick = rng.random()
    if depth and pick < 0.2:
        return {rng.choice(KEYS): some_value(rng, depth - 1) for _ in range(rng.randint(0, 3))}
    if depth and pick < 0.35:
        return [some_value(rng, depth - 1) for _ in range(rng.randint(0, 3))]
    if pick < 0.6:
        return rng.choice(NUMBERS)
    if pick < 0.75:
        return rng.choice(TEXTS)
    if pick < 0.9:
        return some_instant(rng)
    return rng.choice([None, True, False])


def some_condition(rng: random.Random, depth: int = 2) -> Any:
    pick = rng.random()
    if pick < 0.2:
        return some_value(rng, 0)
    if pick < 0.3:
        return [some_value(rng, 1) for _ in range(rng.randint(0, 2))]
    if depth and pick < 0.4:
        inner = {rng.choice(FILTER_KEYS): some_condition(rng, depth - 1)}
        return inner if rng.random() < 0.9 else {}
    operators: dict[str, Any] = {}
    for _ in range(rng.choice([1, 1, 1, 2])):
        name = rng.choice(OPERATORS)
        if name in ("$in", "$nin"):
            operators[name] = [some_value(rng, 1) for _ in range(rng.randint(0, 3))]
        elif name == "$exists":
            operators[name] = rng.random() < 0.5
        elif name == "$not":
            operators[name] = some_condition(rng, depth - 1) if depth else some_value(rng, 0)
        elif name in ("$or", "$and"):
            operators[name] = [some_condition(rng, 0) for _ in range(rng.randint(0, 2))]
        else:
            operators[name] = some_value(rng, 2)
    return operators


def some_filter(rng: random.Random, depth: int = 2) -> Any:
    made: dict[str, Any] = {}
    for _ in range(rng.choice([1, 1, 1, 2])):
        name = rng.choice([*FILTER_KEYS, "a", "a", "b", "a.b", "$not", "$or", "$and"])
        if name == "$not":
            made[name] = some_filter(rng, depth - 1) if depth else {}
        elif name in ("$or", "$and"):
            count = rng.randint(0, 2) if depth else 0
            made[name] = [some_filter(rng, depth - 1) for _ in range(count)]
        else:
            made[name] = some_condition(rng)
    return made


def alike(rng: random.Random, condition: Any) -> Any:
    """A value built from the filter's own operands, so that a good part of the pairs match."""
    if isinstance(condition, list):
        return alike(rng, rng.choice(condition)) if condition else []
    if not isinstance(condition, dict):
        return condition
    made: dict[str, Any] = {}
    for key, inner in condition.items():
        if key in ("$exists", "$not"):
            return some_value(rng, 1)
        if key in ("$contains", "$eq", "$gte", "$lte") and rng.random() < 0.7:
            return [inner] if key == "$contains" and rng.random() < 0.5 else inner
        if key.startswith("$"):
            found = alike(rng, inner)
            if not isinstance(found, dict):
                return found
            made.update(found)
        else:
            steps = key.split(".") if rng.random() < 0.5 else [key]
            value = alike(rng, inner)
            for step in reversed(steps[1:]):
                value = {step: value}
            made[steps[0]] = value
    return made


def some_document(rng: random.Random, condition: Any) -> Any:
    if rng.random() < 0.5:
        made = alike(rng, condition)
        if isinstance(made, dict):
            return made
    return {rng.choice(["a", "b", "a.b", *KEYS]): some_value(rng) for _ in range(rng.randint(0, 4))}


def check_agreement(ask: Ask, seed: int, pairs: int) -> int:
    """The count of matches among `pairs` random pairs on which SQL and Python agreed."""
    rng = random.Random(seed)
    matched = 0
    for _ in range(pairs // 10):
        condition = some_filter(rng)
        values = [some_document(rng, condition) for _ in range(10)]
        node = parse_filter(condition)
        expected = [evaluate(node, value) for value in values]
        said = ask(condition, values)
        for value, ours, theirs in zip(values, expected, said, strict=True):
            assert ours is theirs, f"seed {seed}: {condition!r} on {value!r}"
        matched += sum(expected)
    return matched


def test_sql_and_python_agree_on_random_pairs(ask: Ask) -> None:
    assert check_agreement(ask, seed=1, pairs=4000) > 800


@pytest.mark.slow
def test_sql_and_python_agree_on_instants(ask: Ask) -> None:
    rng = random.Random(7)
    for _ in range(150):
        condition = {"a": {rng.choice(["$gt", "$gte", "$lt", "$lte"]): some_instant(rng)}}
        values = [{"a": some_instant(rng)} for _ in range(40)]
        node = parse_filter(condition)
        assert ask(condition, values) == [evaluate(node, value) for value in values]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(2, 12))
def test_sql_and_python_agree_on_ten_thousand_more(ask: Ask, seed: int) -> None:
    assert check_agreement(ask, seed=seed, pairs=10_000) > 2000
