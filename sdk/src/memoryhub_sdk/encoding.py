"""JSON for the wire; what JSON cannot hold is refused with its path, before anything is sent."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from memoryhub_sdk.errors import InvalidRequest

MAX_DEPTH = 200  # keeps us from recursing without end; the hub's own limit is lower
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def encode_json(document: Any, *, path: str = "") -> bytes:
    """The document as UTF-8 JSON.

    Mappings need string keys; lists and tuples become arrays. NaN, infinities, NUL, lone
    surrogates, other types and boundless nesting raise `InvalidRequest` (a ValueError) that
    names the path, seen from `path`.
    """
    return _ENCODER.encode(_checked(document, path, 1)).encode()


def _checked(node: Any, path: str, depth: int) -> Any:
    if node is None or isinstance(node, (bool, int)):
        return node
    if isinstance(node, str):
        return _checked_text(node, path)
    if isinstance(node, float):
        if not math.isfinite(node):
            raise InvalidRequest.at(path, "not_json", f"{node} is not a JSON number")
        return node
    if depth > MAX_DEPTH:
        raise InvalidRequest.at(path, "too_deep", f"more than {MAX_DEPTH} levels")
    if isinstance(node, Mapping):
        return {
            _checked_key(key, path): _checked(value, _under(path, key), depth + 1)
            for key, value in node.items()
        }
    if isinstance(node, (list, tuple)):
        return [_checked(value, f"{path}[{i}]", depth + 1) for i, value in enumerate(node)]
    raise InvalidRequest.at(path, "not_json", f"JSON cannot hold a {type(node).__name__}")


def _under(path: str, key: object) -> str:
    return f"{path}.{key}" if path else str(key)


def _checked_key(key: object, path: str) -> str:
    if not isinstance(key, str):
        raise InvalidRequest.at(
            _under(path, key), "not_json", f"a key must be a string, not {type(key).__name__}"
        )
    return _checked_text(key, _under(path, key))


def _checked_text(text: str, path: str) -> str:
    if "\0" in text:
        raise InvalidRequest.at(path, "nul", "NUL cannot be stored")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InvalidRequest.at(
                path.encode(errors="replace").decode(), "lone_surrogate", "half a surrogate pair"
            ) from None
    return text
