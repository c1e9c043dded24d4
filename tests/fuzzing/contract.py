"""Whether an answer is one that the OpenAPI schema promises."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

import jsonschema_rs
from drf_spectacular.generators import SchemaGenerator


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """The OpenAPI document as served."""
    return json.loads(json.dumps(SchemaGenerator().get_schema(request=None, public=True)))


@lru_cache(maxsize=1)
def _routes() -> list[tuple[re.Pattern[str], dict[str, Any]]]:
    return [
        (re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path)), operations)
        for path, operations in sorted(schema()["paths"].items(), key=lambda one: "{" in one[0])
    ]


@lru_cache(maxsize=256)
def _validator(reference: str) -> Any:
    shape = json.loads(reference)
    return jsonschema_rs.Draft202012Validator(
        {**shape, "components": schema()["components"]}, validate_formats=True
    )


def operation_of(method: str, path: str) -> dict[str, Any] | None:
    """What the schema says of this call, None where it says nothing."""
    for pattern, operations in _routes():
        if pattern.fullmatch(path):
            return operations.get(method.lower())
    return None


def fault_of(method: str, path: str, answer: Any) -> str | None:
    """What is wrong with an answer, or None."""
    status = answer.status_code
    if status >= 500:
        return f"{status}: {answer.content[:300]!r}"
    if method in ("HEAD", "OPTIONS"):
        return None
    operation = operation_of(method, path)
    media = answer.headers.get("Content-Type", "").partition(";")[0]
    if status >= 400:
        promised = {"application/problem+json": {"schema": {"$ref": _PROBLEM}}}
        if operation is not None and str(status) not in operation["responses"]:
            return f"{status} is not in the schema"
    elif operation is None:
        return f"{status} for an address that is not in the schema"
    else:
        response = operation["responses"].get(str(status))
        if response is None:
            return f"{status} is not in the schema"
        promised = response.get("content", {})
    if not promised:
        return f"{status} has a body: {answer.content[:100]!r}" if answer.content else None
    if media not in promised:
        return f"{status} as {media}"
    document = json.loads(answer.content)
    errors = _validator(json.dumps(promised[media]["schema"])).iter_errors(document)
    return next((f"{status}: {error.message[:300]}" for error in errors), None)


_PROBLEM = "#/components/schemas/ProblemShape"
