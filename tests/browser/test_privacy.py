"""In Chromium: an admin says what is done, an officer reveals, deletes, restores; axe looks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from audit.jobs import run_job
from tenants.actors import job_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.ageing import let_pass
from tests.browser.conftest import Visit
from tests.browser.test_pages import _findings
from tests.callers import Caller

pytestmark = pytest.mark.browser

CN_ID, MOBILE = "11010519491231002X", "13800138000"
WORDS = {
    "en": ("a stricter one wins", "no look-ahead", "Shown until"),
    "zh-hans": ("以更严格的为准", "不支持环视", "显示至"),
}
PAGES = (
    "/privacy", "/privacy/detectors", "/privacy/rules", "/privacy/patterns", "/privacy/allowed",
    "/privacy/keys",
)  # fmt: skip


def look(window: Visit, name: str, shots: Path) -> None:
    """axe, no sideways scroll, and a picture for whoever looks at the test's folder."""
    assert _findings(window) == []
    assert not window.page.evaluate("document.documentElement.scrollWidth > innerWidth"), name
    window.page.screenshot(path=shots / f"{name}.png", full_page=True)


@pytest.mark.parametrize(("theme", "language"), [("light", "en"), ("dark", "zh-hans")])
def test_an_admin_says_what_is_done_and_rotates_the_key(
    theme: str, language: str, tenant: Tenant, agent: Caller, tmp_path: Path,
    make_person: Callable[..., User], visit: Callable[..., Visit],
) -> None:  # fmt: skip
    beaten, no_look_ahead, _ = WORDS[language]
    agent.put(["staff"], "k", {"t": f"身份证{CN_ID}"}, index=False)
    window = visit(make_person(tenant, "admin"), theme=theme, language=language)
    for number, path in enumerate(PAGES):  # the empty states
        window.open(path)
        look(window, f"empty-{number}", tmp_path)
    page = window.open("/privacy/rules")
    for action, prefix in (("redact", "staff/"), ("flag", "")):
        page.select_option("#rule_entity", "cn_mobile")
        page.select_option("#rule_action", action)
        page.fill("#rule_namespace_prefix", prefix)
        page.click("section[aria-labelledby=h-add] button")
        page.wait_for_selector("section[aria-labelledby=h-rules] tbody tr")
    assert beaten in page.inner_text("section[aria-labelledby=h-rules]")
    page.select_option("#id_entity", "cn_mobile")
    page.fill("#id_namespace_prefix", "staff/x")
    window.follow("section[aria-labelledby=h-ask] button")
    assert page.inner_text("section[aria-labelledby=h-ask] [role=status] tbody")
    look(window, "rules", tmp_path)
    window.follow("section[aria-labelledby=h-rules] tbody tr:first-child a.button")
    look(window, "remove", tmp_path)
    page = window.open("/privacy/patterns")
    page.fill("#id_entity", "badge")
    page.fill("#id_pattern", "(?=B)D")
    page.fill("#id_sample", "my BD-20931 card")
    page.click("button[name=try]")
    assert no_look_ahead in page.inner_text(".wrong")
    look(window, "explained", tmp_path)
    page.fill("#id_pattern", "BD-[0-9]{5}")
    page.click("button[name=try]")
    assert page.inner_text("form [role=status] b") == "BD-20931"
    look(window, "tried", tmp_path)
    page.click("button[name=add]")
    page.wait_for_selector("section[aria-labelledby=h-patterns] tbody tr")
    page = window.open("/privacy/allowed")
    page.fill("#id_value", MOBILE)
    page.fill("#id_note", "Hotline")
    page.click("section[aria-labelledby=h-allow] button")
    page.wait_for_selector("section[aria-labelledby=h-allowed] tbody tr")
    look(window, "allowed", tmp_path)
    page = window.open("/privacy/keys")
    window.follow("section[aria-labelledby=h-keys] form button")
    job = page.url.rpartition("/")[2]
    look(window, "job", tmp_path)
    with acting_as(job_actor("run_job_of", tenant.id)):
        run_job(job)
    page = window.open("/privacy/keys")
    assert page.locator("section[aria-labelledby=h-keys] tbody tr").count() == 2
    look(window, "keys", tmp_path)
    assert window.complaints == []


@pytest.mark.parametrize(("theme", "language"), [("light", "en"), ("dark", "zh-hans")])
def test_an_officer_reveals_deletes_and_restores(
    theme: str, language: str, tenant: Tenant, agent: Caller, tmp_path: Path, owner_url: str,
    make_person: Callable[..., User], visit: Callable[..., Visit],
) -> None:  # fmt: skip
    value = {"who": {"id": f"身份证{CN_ID}"}, "call": MOBILE}
    made = agent.put(["support"], "note", value, tags=[MOBILE, "vip"]).json()["id"]
    let_pass(owner_url, tenant, days=40)  # the trash is never longer than the memory lived
    window = visit(make_person(tenant, "officer"), theme=theme, language=language)
    page = window.open(f"/memories/{made}")
    assert CN_ID not in page.content()
    look(window, "memory", tmp_path)
    window.follow("section[aria-labelledby=h-personal] a.button")
    look(window, "reveal", tmp_path)
    page.fill("#id_reason", "the court asked")
    window.follow("main form button.primary")
    assert page.inner_text("#revealed") == f"身份证{CN_ID}"
    assert WORDS[language][2] in page.inner_text("main")
    look(window, "revealed", tmp_path)
    window.follow("main .button.primary")
    assert CN_ID not in page.content()
    page.click(f"a[href='/memories/{made}/do/label']")
    page.fill("#id_label", "case-7")
    page.click("button[name=show]")
    look(window, "label", tmp_path)
    page.fill("#id_reason", "the case")
    page.click("main form button.primary")
    page.wait_for_selector(".chip:has-text('case-7')")
    window.follow(f"a[href='/memories/{made}/do/delete']")
    look(window, "delete", tmp_path)
    page.fill("#id_reason", "asked for")
    page.click("main form button.danger")
    page.wait_for_selector(".head [data-state=TRASH]")
    assert agent.get(["support"], "note").status_code == 404
    window.follow(f"a[href='/memories/{made}/do/restore']")
    look(window, "restore", tmp_path)
    page.fill("#id_reason", "a mistake")
    page.click("main form button.primary")
    page.wait_for_selector(".head [data-state=ACTIVE]")
    assert agent.get(["support"], "note").json()["id"] == made
    look(window, "back", tmp_path)
    assert window.complaints == []


@pytest.mark.parametrize("role", ["admin", "officer"])
def test_no_page_of_personal_data_scrolls_sideways_on_a_telephone(
    role: str, tenant: Tenant, agent: Caller, make_person: Callable[..., User],
    visit: Callable[..., Visit],
) -> None:  # fmt: skip
    made = agent.put(["support"], "note", {"id": f"身份证{CN_ID}"}, index=False).json()["id"]
    window = visit(make_person(tenant, role), width=360)
    paths = [*PAGES, f"/memories/{made}"]
    if role == "officer":
        paths += [f"/memories/{made}/reveal", f"/memories/{made}/do/delete"]
    wide = [
        path
        for path in paths
        if window.open(path).evaluate("document.documentElement.scrollWidth > innerWidth")
    ]
    assert wide == []
