"""Index paths: which texts of a value are embedded, and under which names.

The grammar and the results are those of LangGraph's `get_text_at_path`: `a.b`, `a[0]`, `a[-1]`,
`a[*].c`, `*`, `{x,y.z}`, and `$` for the whole value as sorted JSON. A missing step or a bad index
gives no text. Unlike there, `$` is honoured everywhere, names are unique, and what one value may
give is capped, because `*` over a large list would be half a million vectors. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import Any

from memoryhub.errors import FieldError, Invalid

WHOLE = "$"

_CLOSING = {"[": "]", "{": "}"}
_UNFIT = re.compile(r"[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Limits:
    """Paths of one index, bytes of one path; of one value: texts, their characters, steps taken."""

    paths: int = 64
    path_bytes: int = 512
    texts: int = 256
    characters: int = 4 * 1024 * 1024
    steps: int = 100_000


DEFAULT_LIMITS = Limits()


# --- checking -------------------------------------------------------------------------------------


def check_index(
    index: object, *, path: str = "index", limits: Limits = DEFAULT_LIMITS
) -> tuple[str, ...]:
    """The paths of an `index` option, each once; `false` is no paths.

    Raises `Invalid` at `index` or `index[2]`: `invalid_index`, `too_many_paths`,
    `invalid_index_path`, `path_too_long`.
    """
    if index is False:
        return ()
    if isinstance(index, str | bytes) or not isinstance(index, Sequence):
        raise Invalid.at(path, "invalid_index", "The index is false or a list of paths.")
    if len(index) > limits.paths:
        raise Invalid.at(path, "too_many_paths", f"At most {limits.paths} paths are allowed.")
    faults = [
        fault
        for number, each in enumerate(index)
        if (fault := _find_fault(each, f"{path}[{number}]", limits)) is not None
    ]
    if faults:
        raise Invalid(faults)
    return tuple(dict.fromkeys(index))


def _find_fault(each: object, path: str, limits: Limits) -> FieldError | None:
    if not isinstance(each, str):
        return FieldError(path, "invalid_index_path", "A path is a string.")
    if _UNFIT.search(each):
        detail = "The path contains U+0000 or a lone surrogate."
        return FieldError(path, "invalid_index_path", detail)
    if len(each.encode()) > limits.path_bytes:
        detail = f"A path takes at most {limits.path_bytes} bytes."
        return FieldError(path, "path_too_long", detail)
    steps = split_path(each)
    if not steps:
        return FieldError(path, "invalid_index_path", "A path needs at least one step.")
    if any(step[0] in _CLOSING and not step.endswith(_CLOSING[step[0]]) for step in steps):
        return FieldError(path, "invalid_index_path", "A bracket is not closed.")
    return None


# --- extracting -----------------------------------------------------------------------------------


def extract_texts(
    value: Mapping[str, Any], fields: Iterable[str], *, limits: Limits = DEFAULT_LIMITS
) -> list[tuple[str, str]]:
    """(name, text) for each text under the fields; several of one path are `path.0`, `path.1`, …

    Duplicate fields are dropped; what is beyond the limits is left out.
    """
    named: dict[str, str] = {}
    left = limits.characters
    allowance = iter(range(limits.steps))
    for path in dict.fromkeys(fields):
        found: list[str] = []
        for text in islice(_find_texts(value, path, allowance), limits.texts - len(named)):
            left -= len(text)
            if left < 0:
                break
            found.append(text)
        for number, text in enumerate(found):
            name = f"{path}.{number}" if len(found) > 1 else path
            while name in named:
                name += ".0"
            named[name] = text
    return list(named.items())


def _find_texts(value: Mapping[str, Any], path: str, allowance: Iterator[int]) -> Iterator[str]:
    return _as_text(value) if path == WHOLE else _walk(value, split_path(path), allowance)


def _walk(value: Any, steps: Sequence[str], allowance: Iterator[int]) -> Iterator[str]:
    """Each call takes one of the allowance, since `*` may go to every entry for nothing."""
    if next(allowance, None) is None:
        return
    if not steps:
        yield from _as_text(value)
        return
    step, rest = steps[0], steps[1:]
    if step.startswith("{") and step.endswith("}"):  # always the last: what follows is ignored
        for chosen in step[1:-1].split(","):
            yield from _walk_keys(value, split_path(chosen.strip()))
        return
    for entry in _enter(value, step):
        yield from _walk(entry, rest, allowance)


def _enter(value: Any, step: str) -> Iterable[Any]:
    """What one step leads to: nothing, one entry, or all of them."""
    if step.startswith("[") and step.endswith("]"):
        return _enter_list(value, step[1:-1]) if isinstance(value, list) else ()
    if step == "*":
        if isinstance(value, Mapping):
            return value.values()
        return value if isinstance(value, list) else ()
    return (value[step],) if isinstance(value, Mapping) and step in value else ()


def _enter_list(entries: list[Any], index: str) -> Iterable[Any]:
    if index == "*":
        return entries
    try:
        at = int(index)
    except ValueError:
        return ()
    return entries[at : at + 1 or None] if -len(entries) <= at < len(entries) else ()


def _walk_keys(value: Any, keys: Sequence[str]) -> Iterator[str]:
    """Inside braces a path has keys only; one without any is nothing."""
    if not keys:
        return
    for key in keys:
        if not isinstance(value, Mapping) or key not in value:
            return
        value = value[key]
    yield from _as_text(value)


def _as_text(value: Any) -> Iterator[str]:
    if isinstance(value, str | int | float | Decimal):
        yield str(value)
    elif isinstance(value, Mapping | list):
        yield json.dumps(value, sort_keys=True, ensure_ascii=False, default=_plain_number)


def _plain_number(number: Any) -> float | str:
    """`Decimal`, which `json` cannot write: near enough for a text that is only embedded."""
    if not isinstance(number, Decimal):
        raise TypeError(f"not JSON: {type(number).__name__}")
    near = float(number)
    return near if abs(near) != float("inf") else str(number)


# --- the grammar ----------------------------------------------------------------------------------


def split_path(path: str) -> list[str]:
    """The steps of a path: keys, `*`, and brackets and braces with what they hold."""
    steps: list[str] = []
    start = position = 0
    while position <= len(path):
        char = path[position] if position < len(path) else "."
        if char not in _CLOSING and char != ".":
            position += 1
            continue
        if start < position:
            steps.append(path[start:position])
        end = position + 1 if char == "." else _find_end(path, position)
        if char in _CLOSING:
            steps.append(path[position:end])
        start = position = end
    return steps


def _find_end(path: str, start: int) -> int:
    """Behind the bracket that closes the one at `start`, or the end of the path."""
    opening, depth = path[start], 0
    for position in range(start, len(path)):
        depth += (path[position] == opening) - (path[position] == _CLOSING[opening])
        if depth == 0:
            return position + 1
    return len(path)
