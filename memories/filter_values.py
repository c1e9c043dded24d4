"""How a filter compares JSON values in Python: exactly as jsonb and our SQL do.

Numbers are exact decimals (a float is what its shortest text says, as it is when stored), instants
are whole seconds plus the digits of the fraction, so no precision is lost on either side.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Literal, NamedTuple

Order = Literal["<", "<=", ">", ">="]

_COMPARISONS: Mapping[Order, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

_INSTANT = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)"
    r"(?:\.([0-9]+))?(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))"
)
_EPOCH = date(1970, 1, 1).toordinal()


class Instant(NamedTuple):
    """Seconds since 1970 in UTC, and the digits after the point without closing zeros."""

    seconds: int
    fraction: str


def read_instant(text: str) -> Instant | None:
    """The instant of an RFC 3339 text, years 0001 to 9999; None when it is not one.

    A second 60 is the second that follows 59, whether or not that leap second took place.
    """
    found = _INSTANT.fullmatch(text)
    if found is None:
        return None
    try:
        day = date(int(found[1]), int(found[2]), int(found[3])).toordinal() - _EPOCH
    except ValueError:
        return None
    seconds = day * 86_400 + int(found[4]) * 3600 + int(found[5]) * 60 + int(found[6])
    if found[8]:
        offset = int(found[9]) * 3600 + int(found[10]) * 60
        seconds -= offset if found[8] == "+" else -offset
    return Instant(seconds, (found[7] or "").rstrip("0"))


def exact_number(value: object) -> Decimal | None:
    """The exact number that a JSON number is stored as; None for anything else, also booleans."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, int):
        return Decimal(value)
    return value if isinstance(value, Decimal) else None


def is_equal(value: object, operand: object) -> bool:
    """JSON equality: 1 is 1.0, 1 is not "1" and not true, lists go element by element."""
    if isinstance(value, bool) or isinstance(operand, bool):
        return value is operand
    if value is None or isinstance(value, str):
        return value == operand
    number = exact_number(value)
    if number is not None:
        return number == exact_number(operand)
    if isinstance(value, Mapping):
        return (
            isinstance(operand, Mapping)
            and value.keys() == operand.keys()
            and all(is_equal(entry, operand[key]) for key, entry in value.items())
        )
    if isinstance(value, Sequence):
        return (
            isinstance(operand, Sequence)
            and not isinstance(operand, str)
            and len(value) == len(operand)
            and all(map(is_equal, value, operand))
        )
    return False


def is_in_range(value: object, order: Order, operand: object) -> bool:
    """Numbers by number, instants by time, other strings by code point; all else is false."""
    compare = _COMPARISONS[order]
    if isinstance(value, str) and isinstance(operand, str):
        instant, bound = read_instant(value), read_instant(operand)
        if instant is not None and bound is not None:
            return compare(instant, bound)
        return compare(value, operand)
    number, limit = exact_number(value), exact_number(operand)
    return number is not None and limit is not None and compare(number, limit)


def holds_items(value: object, items: Sequence[object]) -> bool:
    """Whether a list has each of the items among its entries."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        return False
    return all(any(is_equal(entry, item) for entry in value) for item in items)
