"""Subject requests taken through their steps by two officers over HTTP, with the jobs run."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from audit.jobs import run_job
from tenants.actors import job_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.people import Person

BASE = "/subject-requests"
WHY = {"reason": "asked by letter"}


class Asking:
    """A tenant with two officers."""

    def __init__(self, tenant: Tenant, officer: Person, second: Person) -> None:
        self.tenant, self.officer, self.second = tenant, officer, second

    def open(self, subject: str, kind: str = "erasure", **more: Any) -> str:
        body = {"subject": subject, "kind": kind, **WHY, **more}
        made = self.officer.call("POST", BASE, body)
        assert made.status_code == 201, made.content
        return str(made.json()["id"])

    def step(self, request: str, name: str, body: Any = None, *, by: Person | None = None) -> Any:
        return (by or self.officer).call("POST", f"{BASE}/{request}/{name}", body)

    def get(self, request: str) -> dict[str, Any]:
        found: dict[str, Any] = self.officer.call("GET", f"{BASE}/{request}").json()
        return found

    def run(self, job: str) -> dict[str, Any]:
        with acting_as(job_actor("test", self.tenant.id)):
            run_job(UUID(job))
        found: dict[str, Any] = self.officer.call("GET", f"/jobs/{job}").json()
        return found

    def verify(self, request: str) -> dict[str, Any]:
        answer = self.step(request, "identity", {"method": "passport", "reference": "seen"})
        assert answer.status_code == 200, answer.content
        found: dict[str, Any] = answer.json()
        return found

    def scope(self, request: str) -> dict[str, Any]:
        answer = self.step(request, "scope")
        assert answer.status_code == 202, answer.content
        job = self.run(answer.json()["id"])
        assert job["state"] == "done", job
        found: dict[str, Any] = self.get(request)["scope"]
        return found

    def decide(self, request: str, *, grant: bool = True) -> Any:
        return self.step(request, "decide", {"grant": grant, "reason": "it is their right"})

    def approve(self, request: str, *, by: Person | None = None) -> Any:
        return self.step(request, "approve", by=by or self.second)

    def ready(self, subject: str, kind: str = "erasure") -> str:
        """A request that only needs the second person."""
        request = self.open(subject, kind)
        self.verify(request)
        self.scope(request)
        assert self.decide(request).status_code == 200
        return request

    def carry_out(self, request: str) -> dict[str, Any]:
        """Approved and run; the request afterwards."""
        answer = self.approve(request)
        assert answer.status_code == 202, answer.content
        job = self.run(answer.json()["id"])
        assert job["state"] == "done", job
        return self.get(request)

    def erase(self, subject: str) -> dict[str, Any]:
        """From intake to the end."""
        return self.carry_out(self.ready(subject))

    def store(self, request: dict[str, Any], name: str) -> dict[str, Any]:
        lines = [line for line in request["result"]["stores"] if line["store"] == name]
        assert len(lines) == 1, (name, request["result"])
        found: dict[str, Any] = lines[0]
        return found
