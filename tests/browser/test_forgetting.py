"""Forgetting at work in Chromium: review, findings, runs and the calendar, in both languages."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe

from memories.sweeping import sweep_now
from memories.sweeps import acting
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.ageing import let_pass
from tests.browser.conftest import Visit
from tests.callers import Caller
from tests.people import Person
from tests.rules.governing import Governed

pytestmark = pytest.mark.browser

PAGES = ("/", "/retention/reviews", "/retention/runs", "/settings/findings")


@pytest.fixture
def worked(
    tenant: Tenant, agent: Caller, make_person: Callable[..., User], owner_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> User:  # fmt: skip
    """Rules acted: two memories wait for review, one could not be archived. The officer."""
    officer = make_person(tenant, "officer")
    governed = Governed(
        tenant, Person(make_person(tenant, "admin"), tenant), Person(officer, tenant)
    )
    governed.enforce(
        {"key": "support", "kind": "expire", "namespace": ["support"], "after": {"days": 90},
         "end": "review"},
        {"key": "profiles", "kind": "archive", "memory_kind": "profile", "after": {"days": 90}},
    )  # fmt: skip
    for ticket in ("T-1", "T-2"):
        agent.put(["support", ticket], "note", {"text": f"about {ticket}"}, index=False)
    agent.put(["users", "u1"], "profile", {"likes": "tea"}, kind="profile", index=False)
    let_pass(owner_url, tenant, days=91)
    agent.put(["sales"], "offer", {"text": "soon over"}, index=False, ttl=60 * 24 * 40)
    monkeypatch.setattr(acting, "list_acts", lambda *given: 1 / 0)
    with acting_as(operator_actor(tenant.id)):
        sweep_now(trigger="beat")
        sweep_now(dry_run=True)
    monkeypatch.undo()
    return officer


@pytest.mark.parametrize(("theme", "language"), [("light", "en"), ("dark", "zh-hans")])
def test_the_pages_of_forgetting_please_axe_and_fit_a_telephone(
    theme: str, language: str, worked: User, visit: Callable[..., Visit]
) -> None:
    found: dict[str, list[str]] = {}
    officer = visit(worked, theme=theme, language=language)
    officer.open("/retention/reviews")
    one = officer.page.locator("tbody a.button").first.get_attribute("href")
    officer.open("/settings/findings")
    closing = officer.page.locator("tbody a.button").first.get_attribute("href")
    for path in (*PAGES, str(one), str(closing)):
        officer.open(path)
        results = Axe().run(officer.page)
        wrong = [
            f"{rule['id']}: {node['html'][:160]}"
            for rule in results.response["violations"]
            for node in rule["nodes"][:3]
        ]
        if wrong or officer.complaints:
            found[path] = [*wrong, *officer.complaints]
            officer.complaints.clear()
        officer.page.set_viewport_size({"width": 360, "height": 800})
        if officer.page.evaluate("document.documentElement.scrollWidth > 360"):
            found.setdefault(path, []).append("scrolls sideways")
        officer.page.set_viewport_size({"width": 1280, "height": 800})
    assert found == {}


def test_an_officer_decides_about_what_waits_and_closes_a_finding(
    worked: User, agent: Caller, visit: Callable[..., Visit]
) -> None:
    officer = visit(worked)
    page = officer.page
    officer.open("/retention/reviews")
    page.locator("tbody a.button").first.click()
    assert "cannot be undone" in page.inner_text("main")
    page.select_option("select[name=decision]", "keep")
    page.fill("textarea[name=reason]", "the customer wrote again")
    page.click("form.form button.primary")
    assert "The decision was carried out." in page.inner_text("body")
    assert page.locator("tbody tr").count() == 1
    assert len(agent.keys(["support"])) == 1
    officer.open("/settings/findings")
    page.locator("tbody a.button").first.click()
    page.fill("textarea[name=reason]", "seen to")
    page.click("form.form button.primary")
    assert "Nothing was found" in page.inner_text("main")
    officer.open("/")
    page.click("text=Count anew")
    assert "being counted anew" in page.inner_text("main")
