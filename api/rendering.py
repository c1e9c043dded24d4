"""JSON answers through orjson: instants in UTC with `Z`, stored values put in as their own text."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import orjson
from django.http import HttpResponse

OPTIONS = (
    orjson.OPT_UTC_Z
    | orjson.OPT_NAIVE_UTC
    | orjson.OPT_NON_STR_KEYS
    | orjson.OPT_PASSTHROUGH_DATACLASS
)


def _default(thing: Any) -> Any:
    if isinstance(thing, Decimal):
        return orjson.Fragment(str(thing))
    if isinstance(thing, frozenset | set):
        return sorted(thing)
    raise TypeError(type(thing).__name__)


def render_json(document: Any) -> bytes:
    """The bytes of an answer."""
    return orjson.dumps(document, default=_default, option=OPTIONS)


class Response(HttpResponse):
    """A document (`data`) as JSON, rendered as it is made; None: no body."""

    def __init__(
        self, data: Any = None, *, status: int = 200, headers: Mapping[str, str] | None = None,
        content_type: str = "application/json",
    ) -> None:  # fmt: skip
        body = b"" if data is None else render_json(data)
        super().__init__(body, content_type=content_type, status=status, headers=headers)
        if data is None:
            del self["Content-Type"]
        self.data = data
