"""Filters over `value`: read into a tree, decided in memory just as `filter_sql` decides in SQL.

`{"k": v}` is JSON equality; `{"k": {"$gt": 9}}` an operator; `{"k": {"a": 1}}` a nested partial
match (`k` is an object and its `a` is 1). Keys are ANDed; `$and`, `$or` and `$not` take filters at
the top and conditions below a key. Ranges compare numbers with numbers, RFC 3339 instants with
instants by time, other strings by code point, and match nothing else. A missing key matches only
what is negated (`$ne`, `$nin`, `$not`, `{"$exists": false}`). Every node is true or false, never
unknown. Pure: no Django, no settings, no clock.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from memories.filter_values import Order, exact_number, holds_items, is_equal, is_in_range
from memoryhub.errors import Invalid

RANGES: Mapping[str, Order] = {"$lt": "<", "$lte": "<=", "$gt": ">", "$gte": ">="}


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a filter may be: nesting, conditions, entries of one list, bytes of one text."""

    depth: int = 32
    conditions: int = 256
    entries: int = 1000
    key_bytes: int = 1024
    key_steps: int = 64
    text_bytes: int = 65_536
    number_digits: int = 4000


DEFAULT_LIMITS = Limits()


# --- the tree -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class And:
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or:
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    node: Node


@dataclass(frozen=True, slots=True)
class Field:
    """`node` holds for what stands under `key`: the literal key, else the dotted path."""

    key: str
    node: Node

    @property
    def steps(self) -> list[str]:
        """The dotted path; one step when the key has no dot."""
        return self.key.split(".")


@dataclass(frozen=True, slots=True)
class IsObject:
    pass


@dataclass(frozen=True, slots=True)
class Exists:
    pass


@dataclass(frozen=True, slots=True)
class Equal:
    operand: object


@dataclass(frozen=True, slots=True)
class OneOf:
    operands: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Ranged:
    """The value is of the operand's kind (number, instant, text) and lies on this side of it."""

    order: Order
    operand: object


@dataclass(frozen=True, slots=True)
class HoldsItems:
    """The value is a list with each of these among its entries."""

    items: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class HoldsText:
    """The value is a string with this part."""

    text: str


Node = And | Or | Not | Field | IsObject | Exists | Equal | OneOf | Ranged | HoldsItems | HoldsText


# --- reading --------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Counter:
    conditions: int = 0


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the reader stands: the path for errors, the depth, the count of the whole filter."""

    path: str
    limits: Limits
    depth: int = 0
    counter: _Counter = field(default_factory=_Counter)

    def enter(self, step: str) -> _Place:
        if self.depth >= self.limits.depth:
            detail = f"A filter is at most {self.limits.depth} levels deep."
            raise Invalid.at(self.path, "filter_too_deep", detail)
        return replace(self, path=f"{self.path}{step}", depth=self.depth + 1)

    def count(self) -> None:
        self.counter.conditions += 1
        if self.counter.conditions > self.limits.conditions:
            detail = f"A filter has at most {self.limits.conditions} conditions."
            raise Invalid.at(self.path, "filter_too_large", detail)

    def refuse(self, detail: str, code: str = "invalid_filter") -> Invalid:
        return Invalid.at(self.path, code, detail)


def parse_filter(raw: object, *, path: str = "filter", limits: Limits = DEFAULT_LIMITS) -> Node:
    """The tree of a filter as it came in JSON.

    Raises `Invalid` at the exact path: `filter.a.$foo` `unknown_operator`, `invalid_filter`,
    `filter_too_deep`, `filter_too_large`, `nul_character`, `lone_surrogate`, `not_finite`.
    """
    return _read_filter(raw, _Place(path, limits))


def _read_filter(raw: object, place: _Place) -> Node:
    if not isinstance(raw, Mapping):
        raise place.refuse("A filter is an object.")
    nodes: list[Node] = []
    for key, spec in raw.items():
        _check_key(key, place)
        at = place.enter(f".{key}")
        if key in _CONNECTIVES:
            nodes.append(_CONNECTIVES[key](spec, at, _read_filter))
        elif key.startswith("$"):
            raise at.refuse("There is no such operator here.", "unknown_operator")
        else:
            nodes.append(Field(key, _read_condition(spec, at)))
    return _all_of(nodes)


def _read_condition(spec: object, place: _Place) -> Node:
    """What may stand under a key: an operand, operators, or a nested partial match."""
    if not isinstance(spec, Mapping):
        return _read_equal(spec, place)
    if not any(isinstance(key, str) and key.startswith("$") for key in spec):
        place.count()
        return And((IsObject(), _read_filter(spec, place)))
    nodes: list[Node] = []
    for name, operand in spec.items():
        _check_key(name, place)
        at = place.enter(f".{name}")
        if name in _CONNECTIVES:
            nodes.append(_CONNECTIVES[name](operand, at, _read_condition))
        elif name in _OPERATORS:
            nodes.append(_OPERATORS[name](operand, at))
        else:
            raise at.refuse("There is no such operator.", "unknown_operator")
    return _all_of(nodes)


Reader = Callable[[object, _Place], Node]


def _read_each(raw: object, place: _Place, read: Reader) -> tuple[Node, ...]:
    entries = _check_list(raw, place)
    return tuple(read(entry, place.enter(f"[{index}]")) for index, entry in enumerate(entries))


def _read_and(raw: object, place: _Place, read: Reader) -> Node:
    return And(_read_each(raw, place, read))


def _read_or(raw: object, place: _Place, read: Reader) -> Node:
    return Or(_read_each(raw, place, read))


def _read_not(raw: object, place: _Place, read: Reader) -> Node:
    return Not(read(raw, place))


def _read_equal(raw: object, place: _Place) -> Node:
    place.count()
    _check_operand(raw, place)
    return Equal(raw)


def _read_one_of(raw: object, place: _Place) -> Node:
    place.count()
    _check_operand(raw, place)
    return OneOf(tuple(_check_list(raw, place)))


def _read_exists(raw: object, place: _Place) -> Node:
    place.count()
    if not isinstance(raw, bool):
        raise place.refuse("$exists takes true or false.")
    return Exists() if raw else Not(Exists())


def _read_range(order: Order) -> Reader:
    def read(raw: object, place: _Place) -> Node:
        place.count()
        _check_operand(raw, place)
        return Ranged(order, raw)

    return read


def _read_holds(raw: object, place: _Place) -> Node:
    place.count()
    _check_operand(raw, place)
    if isinstance(raw, str):
        return Or((HoldsItems((raw,)), HoldsText(raw)))
    return HoldsItems(tuple(_check_list(raw, place)) if _is_list(raw) else (raw,))


_CONNECTIVES: Mapping[str, Callable[[object, _Place, Reader], Node]] = {
    "$and": _read_and,
    "$or": _read_or,
    "$not": _read_not,
}

_OPERATORS: Mapping[str, Reader] = {
    "$eq": _read_equal,
    "$ne": lambda raw, place: Not(_read_equal(raw, place)),
    "$in": _read_one_of,
    "$nin": lambda raw, place: Not(_read_one_of(raw, place)),
    "$exists": _read_exists,
    "$contains": _read_holds,
    **{name: _read_range(order) for name, order in RANGES.items()},
}


def _all_of(nodes: list[Node]) -> Node:
    return nodes[0] if len(nodes) == 1 else And(tuple(nodes))


# --- checking what will be bound ------------------------------------------------------------------

_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


def _is_list(raw: object) -> bool:
    return isinstance(raw, Sequence) and not isinstance(raw, str | bytes)


def _check_list(raw: object, place: _Place) -> Sequence[object]:
    if not isinstance(raw, Sequence) or isinstance(raw, str | bytes):
        raise place.refuse("This operator takes a list.")
    if len(raw) > place.limits.entries:
        detail = f"A list in a filter has at most {place.limits.entries} entries."
        raise place.refuse(detail, "filter_too_large")
    return raw


def _check_key(key: object, place: _Place) -> None:
    if not isinstance(key, str):
        raise place.refuse("A key is a string.")
    _check_text(key, place, place.limits.key_bytes)
    if key.count(".") >= place.limits.key_steps:
        detail = f"A key has at most {place.limits.key_steps} steps."
        raise place.refuse(detail, "filter_too_large")


def _check_operand(raw: object, place: _Place) -> None:
    """Refuse what is not JSON or what Postgres cannot hold, at its own path."""
    if isinstance(raw, str):
        _check_text(raw, place, place.limits.text_bytes)
    elif isinstance(raw, int | float | Decimal):
        _check_number(raw, place)
    elif isinstance(raw, Mapping):
        for key, entry in raw.items():
            _check_key(key, place)
            _check_operand(entry, place.enter(f".{key}"))
    elif _is_list(raw):
        for index, entry in enumerate(_check_list(raw, place)):
            _check_operand(entry, place.enter(f"[{index}]"))
    elif raw is not None:
        raise place.refuse("This is not JSON.")


def _check_text(text: str, place: _Place, limit: int) -> None:
    if _LONE_SURROGATE.search(text):
        raise place.refuse("The text contains a lone surrogate.", "lone_surrogate")
    if "\x00" in text:
        raise place.refuse("The text contains U+0000.", "nul_character")
    if len(text.encode()) > limit:
        raise place.refuse(f"The text is longer than {limit} bytes.", "filter_too_large")


def _check_number(number: int | float | Decimal, place: _Place) -> None:
    """Keep numbers where Postgres' numeric is exact; the far ends are of no use in a filter."""
    limit = place.limits.number_digits
    if isinstance(number, int):
        if number.bit_length() > limit * 3:
            raise place.refuse("The number is too large.", "number_out_of_range")
        return
    exact = exact_number(number)
    if exact is None or not exact.is_finite():
        raise place.refuse("NaN and Infinity are not JSON.", "not_finite")
    exponent = exact.as_tuple().exponent
    if abs(exact.adjusted()) > limit or abs(int(exponent)) > limit:
        raise place.refuse("The number is too large or too small.", "number_out_of_range")


# --- deciding in memory ---------------------------------------------------------------------------

_MISSING = object()


def evaluate(node: Node, value: object) -> bool:
    """Whether a value, as JSON came into Python, passes the filter."""
    match node:
        case And(nodes):
            return all(evaluate(each, value) for each in nodes)
        case Or(nodes):
            return any(evaluate(each, value) for each in nodes)
        case Not(inner):
            return not evaluate(inner, value)
        case Field(_, inner):
            return evaluate(inner, _look_up(node, value))
        case IsObject():
            return isinstance(value, Mapping)
        case Exists():
            return value is not _MISSING
        case Equal(operand):
            return is_equal(value, operand)
        case OneOf(operands):
            return any(is_equal(value, operand) for operand in operands)
        case Ranged(order, operand):
            return is_in_range(value, order, operand)
        case HoldsItems(items):
            return holds_items(value, items)
        case HoldsText(text):
            return isinstance(value, str) and text in value


def _look_up(at: Field, value: object) -> object:
    """What stands under the key; only objects are entered, never lists."""
    if isinstance(value, Mapping) and at.key in value:
        return value[at.key]
    for step in at.steps:
        if not isinstance(value, Mapping) or step not in value:
            return _MISSING
        value = value[step]
    return value
