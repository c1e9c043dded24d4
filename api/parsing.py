"""DRF's door to strict JSON, with the body limit of the endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from rest_framework.parsers import BaseParser

from memories.strict_json import parse_json
from memoryhub.errors import TooLarge


class StrictJSONParser(BaseParser):
    """DRF's door to `parse_json`, with the body limit of the endpoint."""

    media_type = "application/json"

    def parse(
        self, stream: IO[bytes], media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        context = parser_context or {}
        most = getattr(context.get("view"), "max_body_bytes", settings.MAX_BODY_BYTES)
        body = stream.read(most + 1)
        if len(body) > most:
            raise TooLarge(f"A body has at most {most} bytes.")
        return parse_json(body) if body else {}
