"""Schemathesis against the schema as served, in process: what it draws is answered as promised.

Its own generators know the schema's shapes; ours (test_random_requests) know our weak spots, and
are in the daily run as well. What is drawn is counted (tests/fuzzing/counting.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis.checks import load_all_checks
from schemathesis.config import SchemathesisConfig
from schemathesis.generation import GenerationMode

from memoryhub.wsgi import application
from tenants.models import Tenant
from tests.callers import Caller
from tests.fuzzing.counting import count as count_answer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

FEW, MANY, REST = 8, 330, 15
LESS = {"/api/v1/store/batch": 100, "/api/v1/usage": 40}  # slow to draw, slow to answer
CHECKS = (
    "not_a_server_error", "status_code_conformance", "content_type_conformance",
    "response_schema_conformance",
)  # fmt: skip
STORE = [
    ("/api/v1/store/items", "GET"),
    ("/api/v1/store/items", "PUT"),
    ("/api/v1/store/items", "DELETE"),
    ("/api/v1/store/items/search", "POST"),
    ("/api/v1/store/namespaces", "POST"),
    ("/api/v1/store/namespaces", "DELETE"),
    ("/api/v1/store/batch", "POST"),
    ("/api/v1/usage", "GET"),
]


@lru_cache(maxsize=1)
def promised() -> Any:
    """The schema, read through the application as a client would."""
    return schemathesis.openapi.from_wsgi(
        "/api/schema?format=json", app=application, config=SchemathesisConfig()
    )


def chosen_checks() -> list[Any]:
    load_all_checks()
    return schemathesis.checks.CHECKS.get_by_names(list(CHECKS))


@pytest.fixture
def key(make_tenant: Callable[..., Tenant], make_caller: Callable[..., Caller]) -> str:
    return str(make_caller(make_tenant(embedding_profile="none")).key)


def try_out(path: str, method: str, key: str, *, count: int) -> Counter[int]:
    """How many requests got which status; each answer is as the schema promises."""
    statuses: Counter[int] = Counter()
    operation = promised()[path][method]
    headers = {"Authorization": f"Bearer {key}"}
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):

        @seed(20260131)
        @settings(
            max_examples=count,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def conforms(case: Any) -> None:
            answer = case.call(headers=headers)
            count_answer(answer.status_code)
            statuses[answer.status_code] += 1
            case.validate_response(answer, checks=chosen_checks())

        conforms()
    return statuses


@pytest.mark.parametrize(("path", "method"), [STORE[1], STORE[3]])
def test_a_few_drawn_requests_conform(key: str, path: str, method: str) -> None:
    statuses = try_out(path, method, key, count=FEW)
    assert sum(statuses.values()) >= FEW
    assert max(statuses) < 500


@pytest.mark.parametrize(("path", "method"), STORE)
def test_hundreds_of_drawn_requests_conform(key: str, path: str, method: str) -> None:
    statuses = try_out(path, method, key, count=LESS.get(path, MANY))
    assert sum(statuses.values()) >= LESS.get(path, MANY)
    assert max(statuses) < 500


@pytest.mark.timeout(1800)
def test_every_other_operation_conforms_too(key: str) -> None:
    others = [
        (operation.path, operation.method.upper())
        for operation in (result.ok() for result in promised().get_all_operations())
        if (operation.path, operation.method.upper()) not in STORE
    ]
    assert not [path for path, _ in others if "/store/" in path]
    failed = []
    for path, method in others:
        try:
            try_out(path, method, key, count=REST)
        except (Exception, BaseExceptionGroup) as failure:  # told together at the end
            failed.append(f"{method} {path}: {failure}"[:1000])
    assert not failed, "\n\n".join(failed)
