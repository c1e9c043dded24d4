"""Filters as SQL: one boolean expression over a jsonb column, with the meaning of `evaluate`.

Two rules make it safe. Keys and values are always bound parameters; the text is put together from
the constants of this module only. And no value, whatever it holds, can raise or make the answer
unknown: a cast stands behind the CASE that proves it possible, and every node is true or false,
so that NOT means not. `OFFSET 0` keeps the planner from copying an expression to each of its uses,
which would read a large value several times and grow with the depth of the filter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from memories.filter_values import Order, exact_number, read_instant
from memories.filters import (
    And,
    Equal,
    Exists,
    Field,
    HoldsItems,
    HoldsText,
    IsObject,
    Node,
    Not,
    OneOf,
    Or,
    Ranged,
)

_COLUMN = re.compile(r'[a-z_]+(\.[a-z_]+)?|"[a-z_]+"(\."[a-z_]+")?')


@dataclass(frozen=True, slots=True)
class _Sql:
    """A piece of SQL with the parameters of its placeholders, in order."""

    text: str
    params: tuple[object, ...] = ()


def compile_sql(node: Node, column: str = "value") -> tuple[str, list[object]]:
    """A boolean expression with %s placeholders, never null, and its parameters.

    `column` is the name of a jsonb column, perhaps with its table; it comes from code, never
    from a request.
    """
    if not _COLUMN.fullmatch(column):
        raise ValueError(f"not the name of a column: {column!r}")
    compiled = _compile(node, _Sql(column))
    return compiled.text, list(compiled.params)


def _compile(node: Node, value: _Sql) -> _Sql:
    match node:
        case And(nodes):
            return _connect([_compile(each, value) for each in nodes], " AND ", "true")
        case Or(nodes):
            return _connect([_compile(each, value) for each in nodes], " OR ", "false")
        case Not(inner):
            return _join("NOT ", _compile(inner, value))
        case Field():
            return _compile_field(node, value)
        case IsObject():
            return _join("coalesce(jsonb_typeof(", value, ") = 'object', false)")
        case Exists():
            return _join("(", value, " IS NOT NULL)")
        case Equal(operand):
            return _join("coalesce(", value, " = ", _bind_json(operand), ", false)")
        case OneOf(operands):
            texts = [to_json(operand) for operand in operands]
            listed = _Sql("ANY(%s::text[]::jsonb[])", (texts,))
            return _join("coalesce(", value, " = ", listed, ", false)")
        case Ranged(order, operand):
            return _compile_range(order, operand, value)
        case HoldsItems(items):
            return _compile_items(items, value)
        case HoldsText(text):
            found = _join("strpos(", value, " #>> '{}', ", _Sql("%s::text", (text,)), ") > 0")
            return _when_type("string", value, found)


def _compile_field(node: Field, value: _Sql) -> _Sql:
    """Step into the key; what is read once stays in place, all else is read once by a subselect."""
    literal = _step(value, [node.key])
    inner = node.node.node if isinstance(node.node, Not) else node.node
    dotted = len(node.steps) > 1
    if not dotted and isinstance(inner, Equal | OneOf | Exists | IsObject):
        return _compile(node.node, literal)
    if dotted:
        literal = _join("coalesce(", literal, ", ", _step(value, node.steps), ")")
    holds = _compile(node.node, _Sql("field.v"))
    return _join("(SELECT ", holds, " FROM (SELECT ", literal, " AS v OFFSET 0) AS field)")


def _step(value: _Sql, keys: Sequence[str]) -> _Sql:
    """`->` with text enters objects only; a list or a scalar gives null."""
    return _join("(", value, _Sql(" -> %s::text" * len(keys), tuple(keys)), ")")


def _compile_items(items: Sequence[object], value: _Sql) -> _Sql:
    """Scalars by containment in one go; lists and objects one by one, since `@>` goes deeper."""
    scalars = [item for item in items if not isinstance(item, Mapping | list | tuple)]
    found = [_join(value, " @> ", _bind_json(scalars))]
    for item in items:
        if isinstance(item, Mapping | list | tuple):
            entries = _join("jsonb_array_elements(", value, ") AS items(item)")
            equal = _join("items.item = ", _bind_json(item))
            found.append(_join("EXISTS (SELECT 1 FROM ", entries, " WHERE ", equal, ")"))
    return _when_type("array", value, _connect(found, " AND ", "true"))


def _compile_range(order: Order, operand: object, value: _Sql) -> _Sql:
    if exact_number(operand) is not None:
        return _when_type("number", value, _join(value, f" {order} ", _bind_json(operand)))
    if not isinstance(operand, str):
        return _Sql("false")
    instant = read_instant(operand)
    bound = _Sql("%s::text", (operand,))
    if instant is None:
        text = _join("(", value, " #>> '{}') COLLATE \"C\"")
        return _when_type("string", value, _join(text, f" {order} ", bound))
    by_text = _join(f'parts.t COLLATE "C" {order} ', bound)
    by_time = _join(f"{_INSTANT} {order} ", _Sql("(%s::bigint, %s::text)", tuple(instant)))
    decided = _join(
        *("CASE WHEN parts.t IS NULL THEN false WHEN ", _IS_INSTANT),
        *(" THEN ", by_time, " ELSE ", by_text, " END"),
    )
    text = _join("CASE jsonb_typeof(", value, ") WHEN 'string' THEN ", value, " #>> '{}' END")
    return _join("(SELECT ", decided, " FROM ", _PARTS_BEFORE, text, _PARTS_AFTER, ")")


# A string is cut into date and time (`clock`, its second 60 written as 59) and what follows
# (`tail`). It is an instant if the tail reads so and Postgres can read the clock and writes it
# back the same: 30 February, hour 24 and other notations do not come back. The cast without a
# zone plus the offset in seconds covers all offsets; Postgres alone refuses some beyond 15 hours.
_PARTS_BEFORE = (
    "(SELECT texts.t, substr(texts.t, 20) AS tail, left(texts.t, 10) || 'T' ||"
    " substr(texts.t, 12, 6) || CASE substr(texts.t, 18, 2) WHEN '60' THEN '59'"
    " ELSE substr(texts.t, 18, 2) END AS clock FROM (SELECT "
)
_PARTS_AFTER = " AS t OFFSET 0) AS texts OFFSET 0) AS parts"
_IS_INSTANT = (
    "CASE WHEN parts.tail !~"
    " '^([.][0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$' THEN false"
    " WHEN substr(parts.t, 11, 1) NOT IN ('T', 't', ' ') THEN false"
    " WHEN NOT pg_input_is_valid(parts.clock, 'timestamp') THEN false"
    " ELSE to_jsonb(parts.clock::timestamp) #>> '{}' = parts.clock END"
)
_INSTANT = (
    "(extract(epoch FROM parts.clock::timestamp)::bigint"
    " + CASE substr(parts.t, 18, 2) WHEN '60' THEN 1 ELSE 0 END"
    " - CASE WHEN right(parts.tail, 1) IN ('Z', 'z') THEN 0"
    " ELSE (left(right(parts.tail, 6), 1) || '1')::int"
    " * (substr(right(parts.tail, 6), 2, 2)::int * 3600 + right(parts.tail, 2)::int * 60) END,"
    " CASE WHEN left(parts.tail, 1) = '.'"
    " THEN rtrim(substring(parts.tail FROM '^[.]([0-9]+)'), '0') ELSE '' END COLLATE \"C\")"
)


# --- putting pieces together ----------------------------------------------------------------------


def _join(*pieces: str | _Sql) -> _Sql:
    parts = [piece if isinstance(piece, _Sql) else _Sql(piece) for piece in pieces]
    params = tuple(param for part in parts for param in part.params)
    return _Sql("".join(part.text for part in parts), params)


def _connect(nodes: Sequence[_Sql], word: str, when_empty: str) -> _Sql:
    if not nodes:
        return _Sql(when_empty)
    pieces: list[str | _Sql] = ["("]
    for index, node in enumerate(nodes):
        pieces += [word if index else "", node]
    return _join(*pieces, ")")


def _when_type(name: str, value: _Sql, holds: _Sql) -> _Sql:
    """`holds`, decided only for values of one JSON type; false for all others and for missing."""
    return _join(
        *("CASE WHEN jsonb_typeof(", value, f") = '{name}' THEN ", holds),
        " ELSE false END",
    )


def _bind_json(operand: object) -> _Sql:
    return _Sql("%s::jsonb", (to_json(operand),))


_PLAIN = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def to_json(value: object) -> str:
    """JSON text with numbers exact: `Decimal` keeps its digits, which `json` cannot write."""
    try:
        return _PLAIN.encode(value)
    except TypeError:
        return _spell(value)


def _spell(value: object) -> str:
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, Mapping):
        entries = (f"{_PLAIN.encode(key)}:{_spell(entry)}" for key, entry in value.items())
        return "{" + ",".join(entries) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_spell, value)) + "]"
    return _PLAIN.encode(value)
