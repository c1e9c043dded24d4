"""From the hub's JSON to frozen dataclasses, by their annotations.

Fields that this version does not know are left out, so that a newer hub does not break an older
client; a field that is missing and has no default is an `UnexpectedReply`.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from typing import Any, TypeVar

from memoryhub_sdk.errors import UnexpectedReply

T = TypeVar("T")
_Reader = Callable[[Any], Any]


def decode(kind: type[T], document: Any) -> T:
    """One dataclass out of one JSON object."""
    if not isinstance(document, Mapping):
        raise _unexpected(f"{kind.__name__}: an object was expected, not {document!r:.80}")
    given = {}
    for name, reader, needed in _plan_for(kind):
        if name in document:
            try:
                given[name] = reader(document[name])
            except (TypeError, ValueError):
                raise _unexpected(f"{kind.__name__}.{name}: {document[name]!r:.80}") from None
        elif needed:
            raise _unexpected(f"{kind.__name__}.{name} is missing")
    return kind(**given)


def decode_optional(kind: type[T], document: Any) -> T | None:
    """Null stays None."""
    return None if document is None else decode(kind, document)


def decode_each(kind: type[T], documents: Any) -> tuple[T, ...]:
    """A list of objects."""
    if not isinstance(documents, list):
        raise _unexpected(f"a list of {kind.__name__} was expected, not {documents!r:.80}")
    return tuple(decode(kind, document) for document in documents)


_PLANS: dict[type[Any], tuple[tuple[str, _Reader, bool], ...]] = {}


def _plan_for(kind: type[Any]) -> tuple[tuple[str, _Reader, bool], ...]:
    if kind in _PLANS:
        return _PLANS[kind]
    hints = typing.get_type_hints(kind)
    plan = _PLANS[kind] = tuple(
        (
            field.name,
            _reader_of(hints[field.name]),
            field.default is MISSING and field.default_factory is MISSING,
        )
        for field in fields(kind)
    )
    return plan


def _reader_of(hint: Any) -> _Reader:
    """How a value of this annotation is read; what is no date, tuple or dataclass, as it is."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        reader = _reader_of(next(part for part in inner if part is not types.NoneType))
        return lambda value: None if value is None else reader(value)
    if origin is tuple:
        element = _reader_of(inner[0])
        return lambda values: tuple(element(value) for value in _listed(values))
    if hint is datetime:
        return datetime.fromisoformat
    if isinstance(hint, type) and is_dataclass(hint):
        return lambda value: decode(hint, value)
    return lambda value: value


def _listed(values: Any) -> list[Any]:
    if not isinstance(values, list):
        raise TypeError("not a list")
    return values


def _unexpected(detail: str) -> UnexpectedReply:
    return UnexpectedReply(detail, code="unexpected_reply")
