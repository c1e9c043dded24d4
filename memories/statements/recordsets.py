"""Many rows as one parameter: JSON that Postgres reads as rows of a given type.

`VALUES` with a placeholder a cell costs the client more than the insert costs the server (a batch
of 10,000 memories has a million cells). One JSON text is written and read at C speed, keeps the
order of the rows (and so the order of locks), and has no limit of 65,535 parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

import orjson


class Raw(str):
    """JSON text that goes into a row as it is: numbers keep all their digits."""

    __slots__ = ()


def recordset(types: Mapping[str, str], alias: str = "d") -> str:
    """`json_to_recordset(%s::json) AS d (id uuid, …)`, with one placeholder."""
    columns = ", ".join(f"{name} {kind}" for name, kind in types.items())
    return f"json_to_recordset(%s::json) AS {alias} ({columns})"


def as_records(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """The parameter of a `recordset` of these columns."""
    records = [dict(zip(names, row, strict=True)) for row in rows]
    return orjson.dumps(records, _as_json, orjson.OPT_PASSTHROUGH_SUBCLASS).decode()


def _as_json(value: Any) -> Any:
    """What orjson asks for: a cell of a type that it does not know."""
    match value:
        case Raw():
            return orjson.Fragment(str(value))
        case bytes() | memoryview():
            return "\\x" + bytes(value).hex()
        case timedelta():
            return f"{value.days} days {value.seconds} seconds {value.microseconds} microseconds"
    raise TypeError(type(value).__name__)
