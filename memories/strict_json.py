"""Strict JSON: UTF-8, numbers exact, and what Postgres or a client cannot hold named by its path.

Standard-library JSON reads NaN, Infinity, lone surrogates and NUL without complaint, and rounds
numbers. Here those characters and constants are 422 with their path, and a number that a float
would change is kept as a Decimal. Most bodies hold none of it and are not walked at all.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

from memoryhub.errors import FieldError, Invalid, Malformed, path_text

DEPTH = 64
DIGITS = 1000
"""Longest number taken: Postgres would print 1e100000 with all its zeros."""


_SURROGATE = re.compile(r"[\ud800-\udfff]")
"""What must not stand in an answer either, where a path names a key that holds one."""
_EXPONENT = re.compile(r"[0-9][eE]")


class _Strange(float):
    """NaN or an infinity as written in the body; refused with its path."""


class _TooLong(_Strange):
    """A number of more digits than are taken; refused with its path, and never counted out."""


def _float(text: str) -> float | Decimal | _Strange:
    number = float(text)
    if math.isfinite(number) and repr(number) == text:
        return number
    try:
        exact = Decimal(text)
    except InvalidOperation:  # an exponent of more digits than a number can have
        return _TooLong("inf")
    if math.isfinite(number) and Decimal(number) == exact:
        return number
    return exact


def _integer(text: str) -> int | _Strange:
    return int(text) if len(text) <= DIGITS else _TooLong("inf")


def parse_json(body: bytes) -> Any:
    """The document in the body. Raises Malformed, or Invalid naming each bad place."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed("The body is not UTF-8.") from None
    if text.count("[") + text.count("{") > DEPTH and _depth(text) > DEPTH:
        raise Invalid.at("", "too_deep", f"JSON is nested at most {DEPTH} deep.")
    try:
        document = json.loads(text, parse_float=_float, parse_int=_integer, parse_constant=_Strange)
    except (ValueError, RecursionError) as error:
        where = f" at character {error.pos}" if isinstance(error, json.JSONDecodeError) else ""
        raise Malformed(f"The body is not JSON{where}.") from None
    if _may_hold_strange_things(text):
        faults = list(_faults(document, ()))
        if faults:
            raise Invalid(faults[:100])
    return document


def read_exactly(text: str) -> Any:
    """Stored JSON as a value: whole numbers and floats as such, what a float would change exact."""
    return json.loads(text, parse_float=_exact)


def _exact(text: str) -> float | Decimal:
    number = float(text)
    return number if repr(number) == text else Decimal(text)


def _may_hold_strange_things(text: str) -> bool:
    """\\u escapes (NUL, surrogates), the constants, exponents and very long numbers."""
    return (
        "\\u" in text or "NaN" in text or "Infinity" in text or len(text) > DIGITS
        or _EXPONENT.search(text) is not None
    )  # fmt: skip


def _depth(text: str) -> int:
    """The deepest nesting, brackets inside strings left out."""
    deepest = depth = 0
    in_string = escaped = False
    for letter in text:
        if in_string:
            if escaped:
                escaped = False
            elif letter == "\\":
                escaped = True
            elif letter == '"':
                in_string = False
        elif letter == '"':
            in_string = True
        elif letter in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif letter in "]}":
            depth -= 1
    return deepest


def _faults(node: Any, path: tuple[str | int, ...]) -> Iterator[FieldError]:
    match node:
        case str():
            yield from _text_faults(node, path)
        case dict():
            for key, value in node.items():
                yield from _text_faults(key, path)
                yield from _faults(value, (*path, _SURROGATE.sub("\ufffd", key)))
        case list():
            for number, value in enumerate(node):
                yield from _faults(value, (*path, number))
        case _TooLong():
            yield FieldError(path_text(path), "out_of_range", "The number has too many digits.")
        case _Strange():
            yield FieldError(path_text(path), "not_a_number", "NaN and Infinity are not JSON.")
        case Decimal() if abs(node.adjusted()) > DIGITS or len(node.as_tuple().digits) > DIGITS:
            yield FieldError(path_text(path), "out_of_range", "The number has too many digits.")


def _text_faults(text: str, path: tuple[str | int, ...]) -> Iterator[FieldError]:
    if "\x00" in text:
        yield FieldError(path_text(path), "nul", "U+0000 cannot be stored.")
    elif _SURROGATE.search(text):
        yield FieldError(path_text(path), "lone_surrogate", "A lone surrogate is no character.")
