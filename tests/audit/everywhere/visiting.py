"""People on the dashboard's pages: what they look at, and what their forms are about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction

from audit.jobs import run_job
from memories.models import Finding
from memories.sweeping import sweep_now
from tenants.actors import job_actor, operator_actor
from tenants.clock import wall_clock
from tenants.context import acting_as
from tests.ageing import let_pass
from tests.audit.everywhere.places import HOLD
from tests.audit.everywhere.world import NUMBERS, World, identifier
from tests.erasure.asking import Asking
from tests.people import Person
from tests.rules.governing import Governed

WHY = {"reason": "because"}
SECRET = {"text": "AKIAIOSFODNN7EXAMPLE is the key id"}
SEALED = {"text": "他的身份证是11010519491231002X。"}


@dataclass
class Visits:
    """A world whose pages are visited. Whatever a form is about is made for it."""

    world: World
    owner_url: str

    def visit(
        self, letter: str, method: str, path: str, data: Any = None
    ) -> tuple[Any, tuple[str, ...]]:
        """A page, as a browser asks for it: the answer, and what it left."""
        by = self.world.second if letter == "second" else self.world.people[letter]
        request_id = uuid4().hex
        tenant = self.world.tenant.slug
        headers = {"x-request-id": request_id, "x-csrftoken": by.token, "x-hub-tenant": tenant}
        ask = by.client.get if method == "GET" else by.client.post
        answer = ask(path, data or {}, headers=headers)
        return answer, self.world.left_by(request_id)

    # --- things ---------------------------------------------------------------------------------

    def _call(self, letter: str, path: str, body: Any, method: str = "POST") -> Any:
        by = self.world.people[letter]
        answer = by.call(method, path, body)
        assert answer.status_code < 300, answer.content
        return answer.json()

    @property
    def number(self) -> int:
        return next(NUMBERS)

    def memory(self, value: Any = None, **options: Any) -> str:
        return self.world.put(["a"], f"k{self.number}", value, **options)

    def deleted(self) -> str:
        made = self.memory()
        self._call("O", f"/memories/{made}/label", {"label": "x", **WHY})
        (row,) = [self.world.agent.call("GET", f"/memories/{made}").json()]
        self.world.agent.delete(row["namespace"], row["key"])
        return made

    def waiting(self) -> str:
        """A memory that waits for review; made anew, for rules put into force since let it go."""
        rule = {"key": "e", "kind": "expire", "after": {"days": 90}, "end": "review"}
        self.rules.enforce({**rule, "namespace": ["reviewed"]})
        made = self.world.put(["reviewed"], f"k{self.number}")
        let_pass(self.owner_url, self.world.tenant, days=91)
        with acting_as(operator_actor(self.world.tenant.id)):
            sweep_now("reviewed/")
        return made

    @property
    def rules(self) -> Governed:
        return Governed(self.world.tenant, self.world.people["A"], self.world.people["O"])

    @property
    def asking(self) -> Asking:
        return Asking(self.world.tenant, self.world.people["O"], self.world.second)

    def draft(self) -> int:
        return self.rules.draft({"key": "e", "kind": "expire", "after": {"days": 9000}})

    def seen(self, n: int) -> str:
        """The content that a form was about."""
        found = self.world.people["A"].call("GET", f"/policies/rulesets/{n}").json()
        return str(found["hash"])

    def simulated(self) -> int:
        n = self.draft()
        self.rules.simulate(n)
        return n

    def approved(self) -> int:
        n = self.simulated()
        assert self.rules.approve(n).status_code == 200
        return n

    def hold(self, *, asked_for: bool = False) -> str:
        made = str(self._call("O", "/policies/holds", HOLD)["id"])
        if asked_for:
            self._call("O", f"/policies/holds/{made}/release", WHY)
        return made

    def request(self, kind: str = "access") -> str:
        return self.asking.open(f"c-{self.number}", kind)

    def identified(self) -> str:
        request = self.request()
        self.asking.verify(request)
        return request

    def scoped(self) -> tuple[str, str]:
        """A request, and a memory in its scope."""
        subject = f"c-{self.number}"
        memory = self.memory(subjects=[subject])
        request = self.asking.open(subject, "access")
        self.asking.verify(request)
        self.asking.scope(request)
        return request, memory

    def ready(self, kind: str = "access") -> str:
        subject = f"c-{self.number}"
        self.memory(subjects=[subject])
        return self.asking.ready(subject, kind)

    def carried_out(self, kind: str) -> str:
        request = self.ready(kind)
        self.asking.carry_out(request)
        return request

    def job(self, path: str = "/audit/exports", *, is_run: bool = False) -> str:
        made = str(self._call("O", path, {})["id"])
        if is_run:
            self.run(made)
        return made

    def run(self, job: str) -> None:
        with acting_as(job_actor("test", self.world.tenant.id)):
            run_job(UUID(job))

    def bundle(self) -> str:
        """A bundle of the log that has been made."""
        self.visit("O", "POST", "/audit/integrity/bundle")
        (event, *_) = self.world.agent.call("GET", "/audit/events?action=job.begin").json()["items"]
        self.run(event["target"]["id"])
        return str(event["target"]["id"])

    def finding(self) -> str:
        with acting_as(operator_actor(self.world.tenant.id)), transaction.atomic():
            made = Finding.objects.create(kind="scan_late", detail="x", found_at=wall_clock())
        return str(made.id)

    def question(self) -> str:
        body = {"question": "?", "expected": [self.world.memory]}
        return identifier(self.world.agent.call("POST", "/golden-questions", body))

    def measured(self) -> None:
        """No run is under way, and there is something to ask."""
        self.question()
        for event in self.world.agent.call("GET", "/audit/events?action=job.begin").json()["items"]:
            if event["links"].get("kind") == "recall":
                self.run(event["target"]["id"])

    def member(self) -> str:
        body = {"email": f"m{self.number}-{uuid4().hex[:6]}@example.com", "role": "viewer"}
        return str(self._call("A", "/members", body)["id"])

    def key(self) -> str:
        return str(self._call("A", "/keys", {"name": f"k{self.number}"})["id"])

    def sweep_scope(self) -> str:
        body = {"namespace_prefix": [f"s{self.number}"], "interval_minutes": 5}
        return str(self._call("A", "/policies/sweep-scopes", body)["id"])

    def allowed(self) -> str:
        return str(self._call("A", "/privacy/allowed", {"value": f"hotline {self.number}"})["id"])

    def event(self) -> str:
        return str(self.world.agent.call("GET", "/audit/events").json()["items"][0]["id"])

    def newcomer(self) -> Person:
        return self.world.make_person("viewer")
