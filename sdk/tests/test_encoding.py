"""JSON for the wire, and the paths of what it cannot hold."""

from __future__ import annotations

import enum
import json
from collections import OrderedDict
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

import pytest

from memoryhub_sdk.encoding import encode_json


class Colour(enum.StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    "document",
    [
        {"text": "名字 \U0001f600 \u2028", "n": [1, 2.5, -0.0, 10**30], "t": True, "x": None},
        {"": {}, "a": []},
        "text",
    ],
)
def test_json_goes_through_unchanged(document: Any) -> None:
    assert json.loads(encode_json(document)) == document


def test_mappings_tuples_and_string_enums_count_as_json() -> None:
    document = MappingProxyType({"a": (1, Colour.RED), "o": OrderedDict(b=2)})
    assert encode_json(document) == b'{"a":[1,"red"],"o":{"b":2}}'


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ({"value": {"a": [0, {"b": float("nan")}]}}, "value.a[1].b"),
        ({"value": {"a": float("-inf")}}, "value.a"),
        ({"value": {"at": datetime(2026, 1, 31, tzinfo=UTC)}}, "value.at"),
        ({"value": {"s": {1, 2}}}, "value.s"),
        ({"value": {"b": b"bytes"}}, "value.b"),
        ({"value": {3: "three"}}, "value.3"),
        ({"value": {"a": "x\0y"}}, "value.a"),
        ({"value": {"a\0": 1}}, "value.a"),
        ({"value": {"a": "\ud800"}}, "value.a"),
        ([[], [object()]], "[1][0]"),
    ],
)
def test_what_json_cannot_hold_is_named_by_its_path(document: Any, path: str) -> None:
    with pytest.raises(ValueError, match=r"not_json|nul|surrogate") as caught:
        encode_json(document)
    assert caught.value.errors[0].path.rstrip("\0") == path


def test_a_structure_that_holds_itself_is_refused() -> None:
    circle: dict[str, Any] = {}
    circle["again"] = circle
    with pytest.raises(ValueError, match="levels"):
        encode_json(circle)
