"""Rules taken through their life by two people over HTTP, with the jobs run in between."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from audit.jobs import run_job
from tenants.actors import job_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.people import Person

BASE = "/policies/rulesets"


class Governed:
    """A tenant with an author and an approver of rules."""

    def __init__(self, tenant: Tenant, author: Person, approver: Person) -> None:
        self.tenant, self.author, self.approver = tenant, author, approver

    def draft(self, *rules: dict[str, Any], **content: Any) -> int:
        """A draft with this content; its number."""
        made = self.author.call("POST", BASE, {"based_on": None, "note": "n"})
        assert made.status_code == 201, made.content
        n = int(made.json()["n"])
        body = {"rules": list(rules), "cases": [], **content}
        written = self.author.call("PUT", f"{BASE}/{n}", body)
        assert written.status_code == 200, written.content
        return n

    def simulate(self, n: int) -> dict[str, Any]:
        """The result of a simulation that has been run."""
        answer = self.author.call("POST", f"{BASE}/{n}/simulate")
        assert answer.status_code == 202, answer.content
        self.run(answer.json()["id"])
        job = self.author.call("GET", f"/jobs/{answer.json()['id']}").json()
        assert job["state"] == "done", job
        result: dict[str, Any] = job["result"]
        return result

    def run(self, job_id: str) -> None:
        with acting_as(job_actor("test", self.tenant.id)):
            run_job(UUID(job_id))

    def approve(self, n: int, person: Person | None = None) -> Any:
        return (person or self.approver).call("POST", f"{BASE}/{n}/approve", {"reason": "good"})

    def activate(self, n: int, **body: Any) -> Any:
        return self.approver.call("POST", f"{BASE}/{n}/activate", body)

    def enforce(self, *rules: dict[str, Any], **content: Any) -> int:
        """These rules from draft to in force; the number of their version."""
        n = self.draft(*rules, **content)
        confirm = self.simulate(n)["confirm_count"]
        assert self.approve(n).status_code == 200
        body = {} if confirm is None else {"confirm_count": confirm}
        answer = self.activate(n, **body)
        assert answer.status_code == 200, answer.content
        return n


def expire(key: str = "e", **more: Any) -> dict[str, Any]:
    return {"key": key, "kind": "expire", "after": {"days": 90}, **more}


def keep(key: str = "k", **more: Any) -> dict[str, Any]:
    return {"key": key, "kind": "keep", "after": {"days": 365}, **more}
