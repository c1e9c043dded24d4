"""Every page in Chromium: no axe finding, no CSP violation, no sideways scroll, keyboard reach."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe

from tenants.models import Tenant, User
from tests.browser.conftest import Visit
from tests.callers import Caller

pytestmark = pytest.mark.browser

OFFICER_PAGES = (
    "/", "/memories", "/memories?q=tea&kind=fact", "/privacy", "/privacy/detectors",
    "/requests", "/requests/new", "/audit", "/account", "/nowhere", "/memories/recall", "/help",
)  # fmt: skip
ADMIN_PAGES = (
    "/access", "/access/invite", "/access/keys", "/access/keys/new", "/settings",
    "/settings/sweeps", "/memories",
)  # fmt: skip


@pytest.fixture
def memory(agent: Caller) -> str:
    """A memory with versions, personal data and an end; beside it others."""
    made = agent.put(
        ["support", "T-1"], "note", {"text": "Likes tea. Call 13800138000.", "n": 1},
        ttl=60 * 24 * 40, tags=["tea"], subjects=["c-1"],
    ).json()  # fmt: skip
    agent.put(["support", "T-1"], "note", {"text": "Likes coffee. Call 13800138000.", "n": 2})
    agent.put(["sales", "a9"], "key", {"text": "AKIAIOSFODNN7EXAMPLE is the key id"})
    for number in range(3):
        agent.put(["sales", f"a{number}"], "note", {"text": f"tea number {number}"})
    agent.delete(["sales", "a0"], "note")
    return made["id"]


def _findings(visit: Visit) -> list[str]:
    results = Axe().run(visit.page)
    return [
        f"{found['id']}: {node['html'][:160]}"
        for found in results.response["violations"]
        for node in found["nodes"][:3]
    ]


@pytest.mark.parametrize(("theme", "language"), [("light", "en"), ("dark", "zh-hans")])
def test_axe_finds_nothing_and_nothing_violates_the_policy(
    theme: str, language: str, tenant: Tenant, memory: str, make_person: Callable[..., User],
    visit: Callable[..., Visit],
) -> None:  # fmt: skip
    found: dict[str, list[str]] = {}
    stranger = visit(theme=theme, language=language)
    officer = visit(make_person(tenant, "officer"), theme=theme, language=language)
    admin = visit(make_person(tenant, "admin"), theme=theme, language=language)
    pages = (
        (stranger, ("/signin",)),
        (officer, (*OFFICER_PAGES, f"/memories/{memory}")),
        (admin, ADMIN_PAGES),
    )
    for person, paths in pages:
        for path in paths:
            person.open(path)
            for summary in person.page.locator("details.more > summary").all():
                summary.click()
            findings = _findings(person)
            if findings or person.complaints:
                found[path] = [*findings, *person.complaints]
                person.complaints.clear()
    assert found == {}


@pytest.mark.parametrize("width", [360, 1280, 1600])
def test_no_page_scrolls_sideways(
    width: int, tenant: Tenant, memory: str, make_person: Callable[..., User],
    visit: Callable[..., Visit],
) -> None:  # fmt: skip
    officer = visit(make_person(tenant, "officer"), width=width)
    admin = visit(make_person(tenant, "admin"), width=width)
    wide = []
    for person, paths in (
        (officer, (*OFFICER_PAGES, f"/memories/{memory}")),
        (admin, ADMIN_PAGES),
    ):
        for path in paths:
            page = person.open(path)
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                wide.append(path)
    assert wide == []


FIRST_SEEN = """[...document.querySelectorAll("main > *")].find((one) => one.offsetHeight > 0)
  .getBoundingClientRect().top - document.querySelector("main").getBoundingClientRect().top"""
LEFT = "(which) => document.querySelector(which).getBoundingClientRect().left"


def test_every_page_begins_at_the_same_height_and_edge(
    tenant: Tenant, memory: str, make_person: Callable[..., User], visit: Callable[..., Visit]
) -> None:
    officer = visit(make_person(tenant, "officer"))
    tops = {officer.open(path).evaluate(FIRST_SEEN) for path in ("/", "/audit", "/memories")}
    page = officer.open(f"/memories/{memory}")
    assert tops == {page.evaluate(FIRST_SEEN)}, "nothing hidden takes room"
    assert page.evaluate(LEFT, "main .crumbs li") == page.evaluate(LEFT, "main h1")


def test_everything_is_reached_by_keyboard(
    tenant: Tenant, memory: str, make_person: Callable[..., User], visit: Callable[..., Visit]
) -> None:
    page = visit(make_person(tenant, "officer")).open("/memories")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    seen: set[str] = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.outerHTML.slice(0, 60)"))
    assert any('class="path"' in one for one in seen), "a memory"
    assert any("<summary" in one for one in seen), "a menu"
    assert any('type="search"' in one for one in seen), "the search"


def test_a_search_changes_only_the_results_and_the_address(
    tenant: Tenant, memory: str, make_person: Callable[..., User], visit: Callable[..., Visit]
) -> None:
    window = visit(make_person(tenant, "officer"))
    page = window.open("/memories")
    page.fill(".ask input", "coffee")
    page.click(".ask button")
    page.wait_for_selector("#results .score")
    assert "q=coffee" in page.url
    assert "tag=" not in page.url
    assert window.complaints == []


def test_an_event_opens_beside_the_list(
    tenant: Tenant, memory: str, make_person: Callable[..., User], visit: Callable[..., Visit]
) -> None:
    page = visit(make_person(tenant, "officer")).open("/audit")
    page.click("table .plain >> nth=0")
    page.wait_for_selector("#event .facts")
    assert page.url.endswith("/audit")


def test_html_in_stored_text_is_text_and_nothing_runs(
    agent: Caller, tenant: Tenant, make_person: Callable[..., User], visit: Callable[..., Visit]
) -> None:
    hostile = (
        '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>'
    )
    made = agent.put(["a"], "k", {"text": hostile, hostile: 1}, tags=[hostile]).json()
    window = visit(make_person(tenant, "officer"))
    for path in ("/memories", f"/memories/{made['id']}"):
        page = window.open(path)
        assert "owned" not in page.title()
        assert page.locator('main img[src="x"]').count() == 0
    assert window.complaints == []


def test_the_api_documentation_runs_under_the_policy(
    tenant: Tenant, make_person: Callable[..., User], visit: Callable[..., Visit]
) -> None:
    window = visit(make_person(tenant, "officer"))
    page = window.open("/api/docs")
    page.wait_for_selector(".opblock", timeout=20_000)
    assert [one for one in window.complaints if "Content Security" in one] == []


def test_signing_in_works_without_a_script(
    chrome: object, address: str, tenant: Tenant, make_person: Callable[..., User]
) -> None:
    context = chrome.new_context(java_script_enabled=False)  # type: ignore[attr-defined]
    page = context.new_page()
    page.goto(f"{address}/signin")
    page.fill("#id_login", make_person(tenant, "officer").email)
    page.fill("#id_password", "correct horse battery")
    page.click("main .button.primary")
    assert page.locator("h1").inner_text() == "Overview"
    page.click("details.me > summary")
    assert page.locator("details.me a").first.is_visible()
    context.close()
