"""The officer's job in Chromium: an erasure request from intake to certificate."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.db import transaction
from playwright.sync_api import Page

from audit.jobs import run_job
from audit.models import Job
from tenants.actors import job_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.browser.conftest import Visit
from tests.callers import Caller

pytestmark = pytest.mark.browser
SHOTS = os.environ.get("HUB_SHOTS", "")


def findings(visit: Visit, name: str) -> list[str]:
    """What axe finds here, and what the browser complained about."""
    if SHOTS:
        width = (visit.page.viewport_size or {"width": 0})["width"]
        language = visit.page.locator("html").get_attribute("lang")
        theme = visit.page.locator("html").get_attribute("data-theme") or "light"
        path = Path(SHOTS) / f"requests-{name}-{language}-{theme}-{width}.png"
        visit.page.screenshot(path=path, full_page=True)
    found = [
        f"{name}: {one['id']}: {node['html'][:200]}"
        for one in Axe().run(visit.page).response["violations"]
        for node in one["nodes"][:3]
    ]
    complaints, visit.complaints = [f"{name}: {one}" for one in visit.complaints], []
    return [*found, *complaints]


def run_waiting(tenant: Tenant) -> None:
    """What the worker does: every job that waits."""
    with acting_as(job_actor("test", tenant.id)):
        for identifier in _waiting():
            run_job(identifier)


def _waiting() -> list[UUID]:
    with transaction.atomic():
        return list(Job.objects.filter(state="queued").values_list("id", flat=True))


def press(page: Page) -> None:
    page.click("main form.form button.primary")


@pytest.mark.parametrize(
    ("theme", "language", "width"), [("light", "en", 1280), ("dark", "zh-hans", 360)]
)
def test_an_erasure_request_from_intake_to_certificate(
    theme: str, language: str, width: int, agent: Caller, tenant: Tenant,
    make_person: Callable[..., User], visit: Callable[..., Visit],
) -> None:  # fmt: skip
    source = agent.put(["crm"], "tea", {"text": "likes tea"}, subjects=["person-77"]).json()["id"]
    agent.put(["crm"], "stray", {"text": "call person-77 about the refund"})
    agent.put(["crm"], "both", {"text": "two people"}, derived_from=[source], kind="summary")
    agent.put(["crm"], "bob", {"text": "Bob likes coffee"}, subjects=["bob"])
    look = {"theme": theme, "language": language, "width": width}
    first = visit(make_person(tenant, "officer"), **look)
    second = visit(make_person(tenant, "officer"), **look)
    wrong: list[str] = []

    page = first.open("/requests")
    wrong += findings(first, "empty")
    page.click(".empty .button.primary")
    wrong += findings(first, "new")
    page.fill("#id_subject", "person-77")
    page.fill("#id_reason", "asks to be forgotten")
    press(page)
    page.wait_for_selector("ol.steps")
    address = page.url.removeprefix(first.address)
    wrong += findings(first, "opened")

    page.click(".next .button.primary")
    wrong += findings(first, "identity")
    page.fill("#id_method", "passport")
    page.fill("#id_reference", "seen at the desk")
    press(page)
    page.wait_for_selector("ol.steps")
    page.click(".next .button.primary")
    page.wait_for_selector("#progress")
    run_waiting(tenant)
    page = first.open(address)
    assert page.locator(".tiles .figure").all_inner_texts() == ["1", "1", "1", "0"]
    wrong += findings(first, "scope")

    page.check("tbody tr:has-text('crm') input[type=checkbox] >> nth=0")
    page.click("section form button.small >> text=/Leave|排除/")
    wrong += findings(first, "exclusions")
    assert page.locator(".sentence").inner_text().startswith(("1", "无"))
    first.open(address)
    page.click(".next .button.primary")
    page.check("input[name=grant][value=yes]")
    page.fill("#id_reason", "nothing stands against it")
    wrong += findings(first, "decide")
    press(page)
    page.wait_for_selector(".next .button.primary")
    page.click(".next .button.primary")
    page.fill("#id_reason", "my own")
    press(page)
    assert page.locator(".banner[role=alert]").count() == 1, "not by the one who decided"

    page = second.open(address + "/approve")
    assert "3" in page.locator(".banner h3").inner_text()
    wrong += findings(second, "approve")
    page.fill("#id_reason", "checked")
    press(page)
    page.wait_for_selector("#progress")
    wrong += findings(second, "running")
    run_waiting(tenant)
    page = second.open(address)
    wrong += findings(second, "closed")
    page.click("header.head .button.primary")
    page.wait_for_selector("pre.code")
    wrong += findings(second, "certificate")
    assert "person-77" not in page.content()
    assert agent.get(["crm"], "bob").status_code == 200
    assert agent.get(["crm"], "tea").status_code == 404

    second.open("/requests")
    wrong += findings(second, "board")
    for path in ("/requests", address, address + "/certificate"):
        page = second.open(path)
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wrong.append(f"{path} scrolls sideways")
    assert wrong == []


def test_what_is_past_due_is_shown_on_the_overview_and_the_board(
    agent: Caller, tenant: Tenant, make_person: Callable[..., User], visit: Callable[..., Visit]
) -> None:
    asked = {"subject": "c-1", "kind": "access", "reason": "asks"}
    for received in ("2026-01-01T00:00:00Z", None):
        body = asked if received is None else {**asked, "received_at": received}
        assert agent.call("POST", "/subject-requests", body).status_code == 201
    window = visit(make_person(tenant, "officer"))
    page = window.open("/")
    tile = page.locator('a.tile[href="/requests"]')
    assert tile.get_attribute("data-tone") == "bad"
    assert "1 past due" in tile.inner_text()
    wrong = findings(window, "overview")
    page = window.open("/requests")
    assert page.locator('.board li[data-tone="bad"]').count() == 1
    wrong += findings(window, "late")
    assert wrong == []
