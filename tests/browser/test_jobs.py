"""Three of the seven jobs in Chromium, in both languages: find a memory by meaning and explain it,
make a key with a prefix and see it confined, restore from the trash. (The other four have files of
their own: holds, rules, requests, evidence.)"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tenants.models import Tenant, User
from tests.browser.conftest import Visit
from tests.browser.test_pages import _findings
from tests.callers import Caller

pytestmark = pytest.mark.browser
LOOKS = pytest.mark.parametrize(
    ("theme", "language", "width"), [("light", "en", 1280), ("dark", "zh-hans", 360)]
)


@LOOKS
def test_a_memory_is_found_by_meaning_and_explained(
    theme: str, language: str, width: int, tenant: Tenant, agent: Caller,
    make_person: Callable[..., User], visit: Callable[..., Visit],
) -> None:  # fmt: skip
    made = agent.put(
        ["support", "T-1"], "complaint", {"text": "She wants her money back for the grinder."},
        ttl=60 * 24 * 40,
    ).json()  # fmt: skip
    agent.put(["support", "T-2"], "weather", {"text": "It rained on the day of the fair."})
    officer = visit(make_person(tenant, "officer"), theme=theme, language=language, width=width)
    page = officer.open("/memories")
    page.fill(".ask input", "refund requested")
    page.click(".ask button")
    page.wait_for_selector("#results .score")
    assert _findings(officer) == []
    first = page.locator("#results a.path").first
    assert first.get_attribute("href") == f"/memories/{made['id']}"
    first.click()
    page.wait_for_selector("#explain")
    told = page.locator("#explain tbody tr").first.inner_text()
    assert told.strip(), "what decides its dates stands there"
    assert page.locator("main time[datetime]").count() >= 3
    assert _findings(officer) == []
    assert officer.complaints == []


@LOOKS
def test_a_key_with_a_prefix_is_made_and_confined(
    theme: str, language: str, width: int, tenant: Tenant, agent: Caller,
    make_person: Callable[..., User], visit: Callable[..., Visit],
) -> None:  # fmt: skip
    agent.put(["support", "T-1"], "note", {"text": "tea"})
    agent.put(["sales", "L-1"], "note", {"text": "tea"})
    admin = visit(make_person(tenant, "admin"), theme=theme, language=language, width=width)
    page = admin.open("/access/keys")
    admin.follow("main .head .button.primary")
    page.fill("#id_name", "support-bot")
    page.fill("#id_prefixes", "support/")
    assert _findings(admin) == []
    admin.follow("main form.form button.primary")
    text = page.locator("code#key").inner_text()
    assert _findings(admin) == []
    bot = Caller(text)
    found = bot.search([], query="tea").json()["items"]
    assert {tuple(one["namespace"]) for one in found} == {("support", "T-1")}
    assert bot.put(["sales", "L-2"], "note", {"text": "mine"}).status_code == 403
    page.go_back()  # the back button gives an empty form or the old one, never the key
    assert text not in page.content()
    page = admin.open("/access/keys")
    line = page.locator("tr", has_text="support-bot").inner_text()
    assert "support/" in line
    assert text not in page.content(), "it was shown once"
    assert admin.complaints == []


@LOOKS
def test_a_memory_is_restored_from_the_trash(
    theme: str, language: str, width: int, tenant: Tenant, agent: Caller,
    make_person: Callable[..., User], visit: Callable[..., Visit],
) -> None:  # fmt: skip
    made = agent.put(["support", "T-1"], "note", {"text": "tea with milk"}).json()
    agent.delete(["support", "T-1"], "note")
    assert agent.get(["support", "T-1"], "note").status_code == 404
    officer = visit(make_person(tenant, "officer"), theme=theme, language=language, width=width)
    page = officer.open("/memories?state=TRASH")
    officer.follow("#results a.path")
    officer.follow(f"a[href='/memories/{made['id']}/do/restore']")
    assert _findings(officer) == []
    page.fill("[name=reason]", "deleted by mistake")
    page.click("main form.form button.primary")
    page.wait_for_url(f"{officer.address}/memories/{made['id']}")
    assert agent.get(["support", "T-1"], "note").status_code == 200
    assert _findings(officer) == []
    assert officer.complaints == []
