"""The four rules that people ask for first, made in the editor in Chromium and seen to act."""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect

from audit.jobs import run_job
from memories.models import SweepRun
from memories.sweeping import sweep_now
from tenants.actors import job_actor, operator_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.ageing import let_pass
from tests.browser.conftest import Visit
from tests.callers import Caller
from tests.rules.wanted import FOUR, Life, Wanted

pytestmark = [pytest.mark.browser, pytest.mark.slow]

STATES = {
    "en": {"ARCHIVED": "Archived", "TRASH": "Trash"},
    "zh-hans": {"ARCHIVED": "已归档", "TRASH": "回收站"},
}


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("inactive", "en"), ("inactive", "zh-hans"), ("completed", "en"), ("faded", "en"),
        ("little_read", "zh-hans"),
    ],
)  # fmt: skip
def test_a_rule_made_in_the_editor_acts_and_the_memory_says_so(
    name: str, language: str, tenant: Tenant, agent: Caller, owner_url: str,
    make_person: Callable[..., User], visit: Callable[..., Visit],
) -> None:  # fmt: skip
    wanted = FOUR[name]
    wanted.write(agent)
    author = visit(make_person(tenant, "admin"), language=language)
    second = visit(make_person(tenant, "officer"), language=language)
    page = author.open("/retention")
    page.click("main .empty button")
    page.click("main a[href$='/rules/new'] >> nth=0")
    fill_in(page, wanted)
    for sentence in wanted.says.values():  # both, whatever the language of the page
        expect(page.locator("#says")).to_contain_text(sentence)
    expect(page.locator("#says .figure").first).to_have_text(str(wanted.speaks_about))
    page.click("button[value=save]")
    page.wait_for_url(re.compile(r"/retention/\d+$"))
    expect(page.locator("ol.rules")).to_contain_text(wanted.says[language])
    simulate(page, tenant)
    approve_and_activate(second, page.url.split("/")[-2])
    wanted.happen(Life(tenant, agent, lambda **span: let_pass(owner_url, tenant, **span)))
    with acting_as(operator_actor(tenant.id)):
        run: SweepRun = sweep_now()
    assert {what: count for what, count in run.counts.items() if count} == wanted.swept
    look_at_memories(second, wanted, STATES[language][wanted.state])
    assert [*author.complaints, *second.complaints] == []


def fill_in(page: Page, wanted: Wanted) -> None:
    """As a person does: only what is shown, in the order of the page."""
    for name, value in wanted.fields.items():
        field = page.locator(f"form.rule-form [name={name}]").first
        if field.get_attribute("type") == "radio":
            page.locator(f"form.rule-form label:has([name={name}][value={value}])").click()
        elif field.evaluate("one => one.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)


def simulate(page: Page, tenant: Tenant) -> None:
    """From the version's page until the counts stand there; the worker's part runs here."""
    page.click("form[action$='/simulate'] button")
    page.wait_for_url("**/simulation")
    version = page.request.get(page.url.removesuffix("/simulation")).text()
    with acting_as(job_actor("test", tenant.id)):
        run_job(UUID(version.partition('data-job="')[2][:36]))
    expect(page.locator("main .tiles .figure").first).to_have_text("0")  # it looked by itself


def approve_and_activate(second: Visit, n: str) -> None:
    page = second.open(f"/retention/{n}")
    page.click(f"a[href='/retention/{n}/approve']")
    page.fill("#id_reason", "agreed in the meeting")
    page.click("main .form button.primary")
    page.click(f"a[href='/retention/{n}/activate']")
    page.click("main .form button.primary")
    page.wait_for_url("**/retention")


def look_at_memories(officer: Visit, wanted: Wanted, state: str) -> None:
    """The list tells what has gone from what stays; the page of one names the rule and its act."""
    page = officer.open("/memories?state=all")
    shown = {
        row.locator("a.path b").inner_text(): row.inner_text()
        for row in page.locator("tbody tr").all()
    }
    assert set(shown) == {*wanted.gone, *wanted.stays}
    assert {key for key, text in shown.items() if state in text} == {*wanted.gone}
    for key in wanted.gone:
        officer.open("/memories?state=all")
        page.locator("a.path", has=page.locator(f"b:text-is('{key}')")).click()
        expect(page.locator("main .head .chips")).to_contain_text(state)
        expect(page.locator("main .life .lede")).to_contain_text(wanted.key)
        expect(page.locator("#explain tbody tr").first).to_contain_text(wanted.key)
