"""What the browser tests share: the hub on a port of its own, Chromium, signed-in people."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest
from django.core.wsgi import get_wsgi_application
from playwright.sync_api import Browser, Page

from memoryhub.demonstrating.making import Demo, make_demo
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import User
from tests.browser.chromium import chromium

PASSWORD = "correct horse battery"
# Playwright keeps an event loop in this thread; Django would refuse to be used beside it.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, *args: object) -> None:
        """Nothing: the test says what it saw."""


@pytest.fixture(scope="session")
def address(hub: str) -> Iterator[str]:
    """The hub, served from this process."""
    server = make_server(
        "127.0.0.1", 0, get_wsgi_application(), server_class=_Server, handler_class=_Quiet
    )
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="session")
def chrome() -> Iterator[Browser]:
    """One Chromium for the run; the tests are skipped where there is none."""
    try:
        with chromium() as browser:
            yield browser
    except RuntimeError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def demo(hub: str) -> Demo:
    """The demo tenant: everything a page can show is there."""
    with acting_as(operator_actor()):
        return make_demo(lambda text: None)


@dataclass
class Visit:
    """A browser window, and what it complained about."""

    page: Page
    address: str
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str) -> Page:
        """Go there."""
        self.page.goto(self.address + path)
        return self.page

    def follow(self, selector: str) -> None:
        """Click what leads to another page, and be there: what looks next sees that one."""
        with self.page.expect_navigation():
            self.page.locator(selector).first.click()


@pytest.fixture
def visit(chrome: Browser, address: str) -> Iterator[Callable[..., Visit]]:
    """Opens a window, signed in as `user` where one is given."""
    contexts = []

    def begin(
        user: User | None = None, *, theme: str = "light", language: str = "en", width: int = 1280
    ) -> Visit:
        context = chrome.new_context(viewport={"width": width, "height": 900})
        contexts.append(context)
        context.add_cookies(
            [
                {"name": "hub_theme", "value": theme, "url": address},
                {"name": "django_language", "value": language, "url": address},
            ]
        )
        page = context.new_page()
        made = Visit(page, address)
        page.on("console", lambda one: _note(made, one.type, one.text))
        page.on("pageerror", lambda error: made.complaints.append(str(error)))
        if user is not None:
            made.open("/signin")
            page.fill("#id_login", user.email)
            page.fill("#id_password", PASSWORD)
            page.click("main .button.primary")
            page.wait_for_url(f"{address}/")
        return made

    yield begin
    for context in contexts:
        context.close()


def _note(visit: Visit, kind: str, text: str) -> None:
    if kind in ("error", "warning") and "status of 4" not in text:
        visit.complaints.append(text)
