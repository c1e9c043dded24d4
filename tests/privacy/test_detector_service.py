"""A company's own detector, as a real service on the loopback: it answers, fails, hangs, is gone.

What it did not look at is not stored; what is stored already stays due, masked on every read.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.request import Request, urlopen

import pytest
from django.db import transaction

from memories.models import Memory
from memories.scanning import scan_pending
from privacy.configuring import add_policy
from privacy.detecting import Span
from privacy.regimes import outside_detectors
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.callers import Caller

NAME = "王小明"
TEXT = {"t": f"请转告{NAME}，电话13800138000"}
TIMEOUT_SECONDS = 0.3


class Service(BaseHTTPRequestHandler):
    """POST a text, get the spans of the staff in it."""

    mood: ClassVar[str] = "well"
    let_go: ClassVar[threading.Event] = threading.Event()

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.mood == "hangs":
            self.let_go.wait(30)
        place = text.find(NAME)
        spans = [] if place < 0 else [{"start": place, "end": place + len(NAME)}]
        body = b"<html>" if self.mood == "babbles" else json.dumps(spans).encode()
        self.send_response(500 if self.mood == "fails" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Nothing: texts are not for a log."""


class StaffService:
    """The client, as a company would write it (docs/privacy.md)."""

    name = "staff"
    address: ClassVar[str] = ""

    def find(self, text: str) -> Iterator[Span]:
        asked = Request(self.address, data=text.encode(), method="POST")
        with urlopen(asked, timeout=TIMEOUT_SECONDS) as answer:
            found = json.load(answer)
        for one in found:
            start, end = one["start"], one["end"]
            yield Span("staff_name", start, end, text[start:end], 0.9, self.name)


@pytest.fixture
def service(settings: Any) -> Iterator[type[Service]]:
    """The running service, which the hub asks."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    StaffService.address = f"http://127.0.0.1:{server.server_port}/"
    settings.PII_DETECTORS = [f"{__name__}.StaffService"]
    outside_detectors.cache_clear()
    Service.mood = "well"
    Service.let_go.clear()
    yield Service
    Service.let_go.set()
    server.shutdown()
    server.server_close()
    outside_detectors.cache_clear()


def scan(tenant: Tenant) -> Any:
    with acting_as(operator_actor(tenant.id)):
        return scan_pending()


@pytest.mark.slow
def test_what_it_finds_is_masked_like_our_own_findings(
    service: type[Service], agent: Caller
) -> None:
    shown = agent.put(["a"], "k", TEXT).json()["value"]["t"]
    assert NAME not in shown
    assert "138****8000" in shown


@pytest.mark.slow
@pytest.mark.parametrize("mood", ["fails", "hangs", "babbles"])
def test_while_it_does_not_answer_nothing_is_stored(
    mood: str, service: type[Service], agent: Caller
) -> None:
    service.mood = mood
    refused = agent.put(["a"], "k", TEXT)
    assert (refused.status_code, refused.json()["code"]) == (503, "detector_unavailable")
    assert refused["Retry-After"]
    opened = agent.call("POST", "/sessions", {"subject": "u1"})
    if opened.status_code < 300:
        path = f"/sessions/{opened.json()['session_id']}/messages"
        said = agent.call("POST", path, {"role": "user", "content": TEXT["t"]})
        assert said.status_code == 503, said.content
    service.mood = "well"
    service.let_go.set()
    assert agent.get(["a"], "k").status_code == 404
    assert agent.put(["a"], "k", TEXT).status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize("mood", ["fails", "hangs"])
def test_a_scan_that_it_stops_stays_due_and_masked(
    mood: str, service: type[Service], agent: Caller, tenant: Tenant
) -> None:
    stored = agent.put(["a"], "k", {"t": "the tea is green"}).json()
    with acting_as(operator_actor(tenant.id)):
        add_policy(entity="staff_name", action="redact")  # everything is looked at again
    service.mood = mood
    assert scan(tenant)["stopped"] == 1
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        row = Memory.objects.get(id=stored["id"])
    assert row.scanned_at is None
    assert row.scan_due_at is not None
    service.mood = "well"
    service.let_go.set()
    assert scan(tenant)["scanned"] == 1
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        assert Memory.objects.get(id=stored["id"]).scanned_at is not None
    assert agent.put(["a"], "new", TEXT).json()["value"]["t"].startswith("请转告[staff_name]")
