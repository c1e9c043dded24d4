"""Bodies: strict JSON, and no other media type."""

from __future__ import annotations

from typing import Any

from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from memories.strict_json import parse_json
from memoryhub.errors import UnsupportedMedia


def read_json(request: Request) -> Any:
    """The body's document; an empty object where there is no body.

    Raises UnsupportedMedia, Malformed or Invalid. How long it may be was asked before the view.
    """
    plain = request._request
    if not plain.body:
        return {}
    if plain.content_type != "application/json":
        raise UnsupportedMedia("Send application/json.")
    return parse_json(plain.body)


class SchemaOnlyParser(BaseParser):
    """Names the media type to the schema. A view that asked DRF for `request.data` would get JSON
    that is not strict; this one refuses it."""

    media_type = "application/json"

    def parse(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError("bodies are read by read_json")
