"""Our own wild requests: never a 5xx, and every answer as the OpenAPI schema says.

The daily run draws some; `make test-all` draws thousands with other seeds, and counts them
(tests/fuzzing/counting.py). A failure names seed and number, and draws the same request again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tenants.models import Tenant, User
from tests.callers import Caller
from tests.fuzzing.contract import fault_of
from tests.fuzzing.counting import count as count_answer
from tests.fuzzing.wild import FOR_PEOPLE, PATHS, Drawing, Wild
from tests.people import Person

Faults = list[str]


def send(caller: Caller, wild: Wild) -> Any:
    extra = {"HTTP_" + name.upper().replace("-", "_"): v for name, v in wild.headers.items()}
    if isinstance(caller, Person):
        extra |= {"HTTP_X_HUB_TENANT": caller.tenant.slug, "HTTP_X_CSRFTOKEN": caller.token}
        extra.pop("HTTP_X_API_KEY", None)
        extra.pop("HTTP_COOKIE", None)
    else:
        extra.setdefault("HTTP_AUTHORIZATION", f"Bearer {caller.key}")
    return caller.client.generic(
        wild.method, "/api/v1" + wild.path, wild.body, content_type=wild.content_type, **extra
    )


def run(
    callers: list[Caller], seed: int, count: int, paths: dict[str, list[str]] = PATHS
) -> Faults:
    drawing, faults = Drawing(seed, paths), []
    for number in range(count):
        wild = drawing.request()
        answer = send(callers[number % len(callers)], wild)
        count_answer(answer.status_code)
        fault = fault_of(wild.method, "/api/v1" + wild.path.partition("?")[0], answer)
        if fault is not None:
            faults.append(f"seed {seed}, request {number}: {fault}\n  {wild}"[:1500])
    return faults


@pytest.fixture
def callers(make_tenant: Callable[..., Tenant], make_caller: Callable[..., Caller]) -> list[Caller]:
    """With vectors, without, and with a prefix."""
    plain = make_tenant(embedding_profile="none")
    return [
        make_caller(make_tenant()),
        make_caller(plain),
        make_caller(plain, prefixes=["users/", "a/b/"]),
    ]


def test_some_wild_requests_are_answered_as_promised(callers: list[Caller]) -> None:
    faults = run(callers, 1, 150)
    assert not faults, "\n".join(faults[:5])


@pytest.fixture
def people(make_tenant: Callable[..., Tenant], make_person: Callable[..., User]) -> list[Caller]:
    """An admin and an officer of one tenant."""
    tenant = make_tenant(embedding_profile="none")
    return [Person(make_person(tenant, role), tenant) for role in ("admin", "officer")]


def test_some_wild_requests_of_people_are_answered_as_promised(people: list[Caller]) -> None:
    faults = run(people, 100, 60, FOR_PEOPLE)
    assert not faults, "\n".join(faults[:5])


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(101, 103))
def test_wild_requests_of_people_are_answered_as_promised(people: list[Caller], seed: int) -> None:
    faults = run(people, seed, 1_000, FOR_PEOPLE)
    assert not faults, "\n".join(faults[:5])


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(2, 8))
def test_thousands_of_wild_requests_are_answered_as_promised(
    callers: list[Caller], seed: int
) -> None:
    faults = run(callers, seed, 1_000)
    assert not faults, "\n".join(faults[:5])
