"""JSON answers through orjson: instants in UTC with `Z`, stored values put in as their own text."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import orjson
from rest_framework.renderers import BaseRenderer

from memories.presenting import RawJson

OPTIONS = (
    orjson.OPT_UTC_Z
    | orjson.OPT_NAIVE_UTC
    | orjson.OPT_NON_STR_KEYS
    | orjson.OPT_PASSTHROUGH_DATACLASS
)


def _default(thing: Any) -> Any:
    if isinstance(thing, RawJson):
        return orjson.Fragment(thing.text)
    if isinstance(thing, Decimal):
        return orjson.Fragment(str(thing))
    if isinstance(thing, frozenset | set):
        return sorted(thing)
    raise TypeError(type(thing).__name__)


def render_json(document: Any) -> bytes:
    """The bytes of an answer."""
    return orjson.dumps(document, default=_default, option=OPTIONS)


class HubJSONRenderer(BaseRenderer):
    """The one renderer of the API; problems go out as application/problem+json."""

    media_type = "application/json"
    format = "json"
    charset = None
    render_style = "binary"

    def render(
        self, data: Any, accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:  # fmt: skip
        return b"" if data is None else render_json(data)
