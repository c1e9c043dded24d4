"""An officer's job in Chromium: place a hold, see a sweep respect it, release it by two."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dashboard.views import holds
from memories.sweeping import sweep_now
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.ageing import let_pass
from tests.browser.conftest import Visit
from tests.browser.test_pages import _findings
from tests.callers import Caller

pytestmark = pytest.mark.browser

WORDS = {
    "en": ("1 memory is kept", "Held", "Release asked for", "Released", "another officer has"),
    "zh-hans": ("1 条记忆将保留", "已冻结", "已申请解除", "已解除", "须由另一名合规专员"),
}


@pytest.mark.parametrize(("theme", "language"), [("light", "en"), ("dark", "zh-hans")])
def test_a_hold_is_placed_a_sweep_respects_it_and_two_people_release_it(
    theme: str, language: str, tenant: Tenant, agent: Caller, owner_url: str,
    make_person: Callable[..., User], visit: Callable[..., Visit],
) -> None:  # fmt: skip
    kept, held, asked, released, another = WORDS[language]
    made = agent.put(["support", "T-1"], "note", {"text": "tea"}, ttl=1, subjects=["c-1"]).json()
    agent.put(["sales"], "note", {"text": "tea"}, ttl=1)
    first = visit(make_person(tenant, "officer"), theme=theme, language=language)
    second = visit(make_person(tenant, "officer"), theme=theme, language=language)
    page = first.open("/holds")
    assert _findings(first) == []
    first.follow("main .head .button.primary")
    page.fill("#id_subjects", "c-1")
    page.wait_for_selector(f"#covers .sentence:has-text('{kept}')")
    assert _findings(first) == []
    page.fill("#id_matter", "Doe v. Acme")
    page.fill("#id_custodian", "Legal")
    page.fill("#id_reason", "the court asks for it")
    page.click("button[name=place]")
    page.wait_for_selector("h1:has-text('Doe v. Acme')")
    let_pass(owner_url, tenant, days=60)
    with acting_as(operator_actor(tenant.id)):
        assert sweep_now().counts["purged"] == 1, "only what is not held"
    page.reload()
    assert held in page.inner_text("#memories")
    assert _findings(first) == []
    first.follow(f"a[href='/memories/{made['id']}']")
    assert "Doe v. Acme" in page.inner_text("section[aria-labelledby=h-holds]")
    assert _findings(first) == []
    first.follow("section[aria-labelledby=h-holds] a:has-text('Doe v. Acme')")
    address = page.url.removeprefix(first.address)
    first.follow("main .head .actions a")
    assert _findings(first) == []
    page.fill("#id_reason", "settled")
    page.click("form button.primary")
    page.wait_for_selector(f".chips:has-text('{asked}')")
    first.follow("main .head .actions a.danger")
    assert another in page.inner_text("main")
    assert page.locator("form button.danger").count() == 0
    page = second.open(address)
    second.follow("main .head .actions a.danger")
    assert _findings(second) == []
    page.fill("#id_reason", "settled")
    page.click("form button.danger")
    page.wait_for_selector(f".chips:has-text('{released}')")
    second.open("/holds")
    assert _findings(second) == []
    assert first.complaints == second.complaints == []


@pytest.mark.parametrize(("theme", "language"), [("light", "en"), ("dark", "zh-hans")])
def test_what_the_release_of_a_large_hold_lets_fall_comes_after_the_page(
    theme: str, language: str, tenant: Tenant, agent: Caller, make_person: Callable[..., User],
    visit: Callable[..., Visit], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    for number in range(2):
        agent.put(["a"], f"k{number}", {"n": number}, index=False, ttl=60)
    body = {"matter": "M", "custodian": "c", "reason": "r", "scope": {"namespaces": [["a"]]}}
    hold = agent.call("POST", "/policies/holds", body).json()["id"]
    monkeypatch.setattr(holds, "LOOKED_AT", 1)
    window = visit(make_person(tenant, "officer"), theme=theme, language=language)
    page = window.open(f"/holds/{hold}/release")
    page.fill("#id_reason", "settled")
    page.wait_for_selector("#falling .banner")
    assert page.inner_text("#falling dd >> nth=0") == "2"
    assert page.input_value("#id_reason") == "settled", "what was typed meanwhile stays"
    assert _findings(window) == []
    assert window.complaints == []


@pytest.mark.parametrize("width", [360, 1280])
def test_no_page_of_holds_scrolls_sideways(
    width: int, tenant: Tenant, agent: Caller, make_person: Callable[..., User],
    visit: Callable[..., Visit],
) -> None:  # fmt: skip
    agent.put(["support", "T-1"], "note", {"text": "tea"}, subjects=["c-1"], index=False)
    body = {"matter": "M", "custodian": "c", "reason": "r", "scope": {"subjects": ["c-1"]}}
    hold = agent.call("POST", "/policies/holds", body).json()["id"]
    window = visit(make_person(tenant, "officer"), width=width)
    paths = ("/", "/holds", "/holds/new", f"/holds/{hold}", f"/holds/{hold}/release")
    wide = [
        path
        for path in paths
        if window.open(path).evaluate("document.documentElement.scrollWidth > innerWidth")
    ]
    assert wide == []
