"""An officer's job in Chromium: draft a rule, simulate, approve as a second person, activate."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from audit.jobs import run_job
from tenants.actors import job_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.ageing import let_pass
from tests.browser.conftest import Visit
from tests.callers import Caller

pytestmark = pytest.mark.browser

SAYS = {"en": "leave use 90 days after creation", "zh-hans": "自创建起满 90 天停止使用"}
RUNNING = {"en": "The simulation is about to start", "zh-hans": "模拟即将开始"}


def look(visit: Visit, seen: list[str]) -> None:
    """What axe finds on the page as it stands, and whether it is wider than the window."""
    for summary in visit.page.locator("main details.more > summary").all():
        summary.click()
    results = Axe().run(visit.page)
    for found in results.response["violations"]:
        seen += [f"{visit.page.url} {found['id']}: {n['html'][:140]}" for n in found["nodes"][:3]]
    if visit.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        seen.append(f"{visit.page.url} scrolls sideways")
    seen += [f"{visit.page.url} {one}" for one in visit.complaints]
    visit.complaints.clear()


def write_rule(page: Page, language: str) -> None:
    """In the editor, with the sentence following what is typed."""
    page.fill("#id_key", "tickets")
    page.fill("#id_namespace", "support/tickets")
    page.fill("#id_after_days", "90")
    expect(page.locator("#says")).to_contain_text(SAYS[language])
    expect(page.locator("#says .figure").first).to_have_text("3")
    assert not page.locator("#id_weight").is_visible(), "of a kind that has none"


@pytest.mark.parametrize(("theme", "language"), [("light", "en"), ("dark", "zh-hans")])
def test_rules_go_from_the_editor_into_force_and_memories_leave_use(
    theme: str, language: str, tenant: Tenant, agent: Caller, owner_url: str,
    make_person: Callable[..., User], visit: Callable[..., Visit],
) -> None:  # fmt: skip
    for number in range(3):
        agent.put(["support", "tickets"], f"k{number}", {"text": f"tea {number}"}, index=False)
    let_pass(owner_url, tenant, days=100)
    seen: list[str] = []
    width = 1280 if language == "en" else 360
    author = visit(make_person(tenant, "admin"), theme=theme, language=language, width=width)
    second = visit(make_person(tenant, "officer"), theme=theme, language=language)
    page = author.open("/retention")
    look(author, seen)
    author.follow("main .empty button")
    n = int(page.url.rpartition("/")[2])
    page.click(f"main a[href='/retention/{n}/rules/new'] >> nth=0")
    write_rule(page, language)
    look(author, seen)
    page.click("button[value=save]")
    page.wait_for_url(f"**/retention/{n}")
    look(author, seen)
    page.click("form[action$='/simulate'] button")
    expect(page.locator("#progress")).to_contain_text(RUNNING[language])
    look(author, seen)
    with acting_as(job_actor("test", tenant.id)):
        run_job(UUID(_job_of(page)))
    expect(page.locator("main .tiles .figure").first).to_have_text("3")  # it looked by itself
    look(author, seen)
    author.open(f"/retention/{n}/approve")
    assert page.locator("main textarea").count() == 0, "not by the author"
    page = second.open(f"/retention/{n}")
    second.follow(f"a[href='/retention/{n}/approve']")
    look(second, seen)
    page.fill("#id_reason", "agreed in the meeting")
    page.click("main .form button.primary")
    second.follow(f"a[href='/retention/{n}/activate']")
    look(second, seen)
    page.fill("#id_confirm_count", "2")
    page.click("main .form button.primary")
    expect(page.locator("main [role=alert]").first).to_contain_text("confirm_count_required")
    assert agent.get(["support", "tickets"], "k0").status_code == 200
    page.fill("#id_confirm_count", "3")
    page.click("main .form button.primary")
    page.wait_for_url("**/retention")
    assert agent.get(["support", "tickets"], "k0").status_code == 404
    look(second, seen)
    for path in ("/retention/versions", f"/retention/{n}", f"/retention/{n}/difference"):
        second.open(path)
        look(second, seen)
    second.open("/retention")
    second.follow("form[action='/retention/drafts'] button")
    for path in ("examples", "text"):
        second.open(f"{page.url.replace(second.address, '')}/{path}".replace("//", "/"))
        look(second, seen)
        page.go_back()
    author.open("/settings/engine")
    look(author, seen)
    assert seen == []


def _job_of(page: Page) -> str:
    answer = page.request.get(f"{page.url.rpartition('/retention')[0]}/api/v1/engine")
    assert answer.json()["staging"] is not None
    n = page.url.split("/")[-2]
    version = page.request.get(f"{page.url.rpartition('/retention')[0]}/retention/{n}")
    return str(version.text().partition('data-job="')[2][:36])
