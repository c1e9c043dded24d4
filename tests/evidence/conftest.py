"""An officer who asks for evidence, and their jobs run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth import get_user_model

from audit.jobs import run_job
from tenants.actors import job_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.audit.conftest import anchors, seal_now, seal_once  # noqa: F401 - fixtures
from tests.people import Person

User = get_user_model()
Run = Callable[[Any], dict[str, Any]]


@pytest.fixture
def officer(tenant: Tenant, make_person: Callable[..., Any]) -> Person:
    """An officer of the tenant."""
    return Person(make_person(tenant, "officer"), tenant)


@pytest.fixture
def run(tenant: Tenant, officer: Person) -> Run:
    """Runs the job of a 202 answer to its end; the job."""

    def run_to_end(answer: Any) -> dict[str, Any]:
        assert answer.status_code == 202, answer.content
        job = answer.json()["id"]
        with acting_as(job_actor("test", tenant.id)):
            run_job(UUID(job))
        found: dict[str, Any] = officer.call("GET", f"/jobs/{job}").json()
        assert found["state"] == "done", found
        return found

    return run_to_end


@pytest.fixture
def download(officer: Person) -> Callable[[dict[str, Any]], bytes]:
    """The file of a job."""

    def fetch(job: dict[str, Any]) -> bytes:
        answer = officer.call("GET", f"/jobs/{job['id']}/file")
        assert answer.status_code == 200
        return b"".join(answer.streaming_content)

    return fetch
