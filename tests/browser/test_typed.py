"""What is typed survives the session, on every page with a form; and no form acts twice.

The first test finds the forms by walking the table of addresses, types into each, ends the session
under it, sends it, signs in again and looks at what stands there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.sessions.backends.cache import SessionStore
from django.db import transaction
from playwright.sync_api import Page

from erasure.models import SubjectRequest
from memories.models import SweepScope
from memoryhub.demonstrating.making import Demo
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.browser.conftest import PASSWORD, Visit
from tests.browser.test_every_page import _addresses, _things

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1200)]

FORMS = """() => [...document.querySelectorAll("main form[method=post]")].map((form, place) =>
  [...form.elements].some((one) => one.name && !["submit", "button", "hidden", "password", "file"]
    .includes(one.type) && !document.body.dataset.unkept.split(" ").includes(one.name))
  ? place : -1).filter((place) => place >= 0)"""
"""Places of the forms that have something to type or to choose, secrets apart."""

TYPE = """(place) => {
  const form = document.querySelectorAll("main form[method=post]")[place];
  form.noValidate = true;
  for (const one of form.elements) {
    if (!one.name) continue;
    if (["submit", "button", "hidden", "password", "file"].includes(one.type)) continue;
    if (one.type === "checkbox") one.checked = !one.checked;
    else if (one.type === "radio") one.checked = true;
    else if (one.multiple) for (const option of one.options) option.selected = true;
    else if (one.options) one.selectedIndex = one.options.length - 1;
    else one.value = { number: "7", date: "2026-02-03", "datetime-local": "2026-02-03T04:05",
      email: "typed@example.com", url: "https://example.com/" }[one.type] || `typed ${one.name}`;
    for (const kind of ["input", "change"]) one.dispatchEvent(new Event(kind, { bubbles: true }));
  }
}"""
READ = """(place) => [...document.querySelectorAll("main form[method=post]")[place].elements]
  .filter((one) => one.name
    && !["submit", "button", "hidden", "password", "file"].includes(one.type))
  .map((one) => [one.name, document.body.dataset.unkept.split(" ").includes(one.name) ? null
    : ["checkbox", "radio"].includes(one.type) ? one.checked
    : one.options ? [...one.selectedOptions].map((chosen) => chosen.value) : one.value])"""
SEND = """(place) => document.querySelectorAll("main form[method=post]")[place].requestSubmit()"""
STORED = "Object.values(sessionStorage).join()"


def _end_session(page: Page) -> None:
    cookies = {one["name"]: one["value"] for one in page.context.cookies()}
    SessionStore(cookies["sessionid"]).flush()


def _sign_in(visit: Visit, user: User) -> None:
    visit.page.fill("#id_login", user.email)
    visit.page.fill("#id_password", PASSWORD)
    visit.page.click("main .button.primary")
    visit.page.wait_for_load_state("load")


def test_every_form_keeps_what_was_typed_when_the_session_ends(
    demo: Demo,
    make_person: Callable[..., User],
    visit: Callable[..., Visit],
) -> None:
    with acting_as(operator_actor(demo.tenant.id)), transaction.atomic():
        scope = str(SweepScope.objects.all()[0].id)
    things = _things(demo) | {"scope_id": scope}
    lost: dict[str, Any] = {}
    seen: set[tuple[str, int]] = set()
    for role in ("officer", "admin"):
        user = make_person(demo.tenant, role)
        window = visit(user)
        page = window.page
        for address in _addresses(things):
            answer = page.request.get(window.address + address)
            if answer.status != 200 or 'method="post"' not in answer.text().split("<main")[-1]:
                continue
            page.goto(window.address + address)
            for place in page.evaluate(FORMS):
                if (address, place) in seen:
                    continue
                seen.add((address, place))
                window.open(address)
                page.evaluate(TYPE, place)
                before = page.evaluate(READ, place)
                page.wait_for_load_state("networkidle")
                cookies = page.context.cookies()
                page.context.clear_cookies(name="sessionid")  # as one that has run out
                page.evaluate(SEND, place)
                page.wait_for_url("**/signin?**")
                page.context.clear_cookies()
                page.context.add_cookies(cookies)  # type: ignore[arg-type]  # signed in again
                window.open(address)
                after = page.evaluate(READ, place)
                if after != before:
                    lost[f"{role} {address} {place}"] = [
                        (was, now) for was, now in zip(before, after, strict=False) if was != now
                    ]
                page.evaluate("sessionStorage.clear()")
    assert len(seen) > 25, sorted(seen)
    assert lost == {}


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_one_signs_in_again_and_finds_the_form_as_it_was_left(
    language: str, tenant: Tenant, make_person: Callable[..., User], visit: Callable[..., Visit]
) -> None:
    user = make_person(tenant, "officer")
    window = visit(user, language=language)
    page = window.open("/requests/new")
    page.fill("[name=subject]", "c-1")
    page.fill("[name=reason]", "by letter")
    _end_session(page)
    page.click("main form.form button.primary")
    page.wait_for_url("**/signin?**")
    _sign_in(window, user)
    assert page.url == f"{window.address}/requests/new"
    assert page.input_value("[name=subject]") == "c-1"
    assert page.input_value("[name=reason]") == "by letter"
    # typed and not sent: a link led to the sign-in instead
    page.fill("[name=reason]", "by letter of May")
    _end_session(page)
    page.click(".side a[href='/holds']")
    page.wait_for_url("**/signin?**")
    _sign_in(window, user)
    assert page.url == f"{window.address}/holds"
    window.open("/requests/new")
    assert page.input_value("[name=reason]") == "by letter of May"
    assert page.is_visible("#typed")
    page.reload()
    assert page.input_value("[name=reason]") == "by letter of May"
    page.click("#typed button")
    page.wait_for_load_state("load")
    assert page.input_value("[name=reason]") == ""
    assert window.complaints == []


def test_a_double_click_and_the_back_button_send_once(
    tenant: Tenant, make_person: Callable[..., User], visit: Callable[..., Visit]
) -> None:
    window = visit(make_person(tenant, "officer"))
    page = window.open("/requests/new")
    page.fill("[name=subject]", "c-1")
    page.fill("[name=reason]", "by letter")
    page.dblclick("main form.form button.primary")
    page.wait_for_url("**/requests/*-*")
    assert "by letter" not in page.evaluate(STORED), "it has acted"
    page.go_back()
    page.wait_for_load_state("load")
    page.reload()
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        assert SubjectRequest.objects.count() == 1
    assert window.complaints == []


def test_nothing_stays_after_signing_out_or_for_somebody_else(
    tenant: Tenant, make_person: Callable[..., User], visit: Callable[..., Visit]
) -> None:
    first, second = make_person(tenant, "officer"), make_person(tenant, "officer")
    window = visit(first)
    page = window.open("/requests/new")
    page.fill("[name=reason]", "by letter")
    assert "by letter" in page.evaluate(STORED)
    page.click(".menu.me summary")
    page.click(".menu.me form[data-forgets] button")
    page.wait_for_load_state("load")
    assert "by letter" not in page.evaluate(STORED)
    window.open("/signin")
    _sign_in(window, first)
    window.open("/requests/new")
    page.fill("[name=subject]", "c-1")
    page.fill("[name=reason]", "by telephone")
    _end_session(page)
    page.click("main form.form button.primary")
    page.wait_for_url("**/signin?**")
    _sign_in(window, second)
    window.open("/requests/new")
    assert page.input_value("[name=reason]") == ""
    assert "by telephone" not in page.evaluate(STORED)
    assert window.complaints == []


def test_another_theme_and_a_refusal_lose_nothing(
    tenant: Tenant, make_person: Callable[..., User], visit: Callable[..., Visit]
) -> None:
    window = visit(make_person(tenant, "officer"))
    page = window.open("/requests/new")
    page.fill("[name=reason]", "by letter")
    page.click(".menu.me summary")
    page.click(".menu.me button[value=dark]")
    page.wait_for_selector("html[data-theme=dark]")
    assert page.input_value("[name=reason]") == "by letter"
    page.fill("[name=subject]", "c-1")
    page.context.clear_cookies(name="csrftoken")  # as after signing in beside it
    page.click("main form.form button.primary")
    page.wait_for_selector("body[data-refused]")
    page.go_back()
    page.wait_for_load_state("load")
    assert page.input_value("[name=reason]") == "by letter"
    assert page.input_value("[name=subject]") == "c-1"
