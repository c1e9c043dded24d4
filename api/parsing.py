"""Bodies: strict JSON, and no other media type."""

from __future__ import annotations

from typing import IO, Any

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


class StrictJSONParser(BaseParser):
    """Names the media type to the schema, and makes `request.data` strict too, should a view ask
    for it."""

    media_type = "application/json"

    def parse(self, stream: IO[bytes], *_: Any, **__: Any) -> Any:
        """The document. Raises Malformed or Invalid."""
        return parse_json(stream.read())
