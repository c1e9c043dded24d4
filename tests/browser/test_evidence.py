"""An auditor's questions in Chromium: from the question to the file in at most three clicks."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Page

from audit.jobs import run_job
from audit.verifying.offline import check_bundle, check_export
from sealing.signing import public_key
from tenants.actors import job_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.audit.sealing_all import seal_all
from tests.browser.conftest import Visit
from tests.browser.test_pages import _findings
from tests.callers import Caller

pytestmark = pytest.mark.browser
LOOKS = [("light", "en"), ("dark", "zh-hans")]


def _finish(page: Page, tenant: Tenant) -> None:
    """What the worker does; the page looks by itself and shows the file."""
    job = UUID(page.url.rpartition("/")[2])
    with acting_as(job_actor("test", tenant.id)):
        run_job(job)
    page.wait_for_selector("main .head a.primary")


def _download(page: Page, selector: str) -> Path:
    with page.expect_download() as found:
        page.click(selector)
    return Path(found.value.path())


@pytest.mark.parametrize(("theme", "language"), LOOKS)
def test_the_events_of_a_filter_are_a_file_in_three_clicks(
    theme: str, language: str, tenant: Tenant, agent: Caller, tmp_path: Path,
    make_person: Callable[..., User], visit: Callable[..., Visit],
) -> None:  # fmt: skip
    for number in range(3):
        agent.put(["a"], f"k{number}", {"n": number})
    window = visit(make_person(tenant, "officer"), theme=theme, language=language)
    page = window.open("/audit?area=memory.put")
    page.click("details[name=export] summary")  # one
    assert _findings(window) == []
    page.click("details[name=export] button[value=jsonl]")  # two
    page.wait_for_url("**/jobs/*")
    assert _findings(window) == []
    _finish(page, tenant)
    assert _findings(window) == []
    signed = json.loads(_download(page, "a[href$=manifest]").read_text(encoding="utf-8"))
    exported = _download(page, "main .head a.primary")  # three
    assert check_export(exported, signed, key=public_key().text)["code"] == 0
    assert len(exported.read_text(encoding="utf-8").splitlines()) == 3
    window.open("/jobs")
    assert _findings(window) == []
    assert window.complaints == []


@pytest.mark.parametrize(("theme", "language"), LOOKS)
def test_the_report_of_a_month_is_a_file_in_three_clicks(
    theme: str, language: str, tenant: Tenant, agent: Caller, settings: Any, tmp_path: Path,
    make_person: Callable[..., User], visit: Callable[..., Visit],
) -> None:  # fmt: skip
    agent.put(["a"], "k", {"n": 1})
    settings.MEMORYHUB_ANCHORS = str(tmp_path / "anchors.jsonl")
    seal_all()
    window = visit(make_person(tenant, "auditor"), theme=theme, language=language)
    page = window.open("/audit")
    window.follow("nav.tabs a[href='/audit/reports']")  # one
    assert _findings(window) == []
    page.click("form button.primary")  # two
    page.wait_for_url("**/jobs/*")
    _finish(page, tenant)
    made = _download(page, "main .head a.primary")  # three
    assert check_bundle(made, key=public_key().text)["code"] == 0
    with zipfile.ZipFile(made) as archive:
        document = archive.read("report.html").decode()
    assert ("摘要" if language != "en" else "Summary") in document
    report = window.page.context.new_page()
    report.set_content(document)
    assert report.locator("#method").count() == 1
    assert window.complaints == []


@pytest.mark.parametrize(("theme", "language"), LOOKS)
def test_what_an_agent_knew_is_shown(
    theme: str, language: str, tenant: Tenant, agent: Caller,
    make_person: Callable[..., User], visit: Callable[..., Visit],
) -> None:  # fmt: skip
    made = agent.put(["a"], "k", {"n": 1}).json()
    agent.get(["a"], "k")
    window = visit(make_person(tenant, "auditor"), theme=theme, language=language)
    page = window.open("/audit/known")
    assert _findings(window) == []
    read = page.evaluate("Date.now()")  # the field knows whole seconds: one after that
    page.wait_for_function("(read) => Math.floor(Date.now() / 1000) * 1000 > read", arg=read)
    page.evaluate("document.querySelector('#id_at').value = new Date().toISOString().slice(0, 19)")
    window.follow("form button.primary[type=submit], form.stack button.primary")
    page.wait_for_selector("#h-known")
    assert page.locator(f"a[href='/memories/{made['id']}']").count() == 1
    assert page.locator("section[aria-labelledby=h-read] li").count() == 1
    assert _findings(window) == []
    assert window.complaints == []


@pytest.mark.parametrize("width", [360, 1280])
def test_no_page_of_evidence_scrolls_sideways(
    width: int, tenant: Tenant, make_person: Callable[..., User], visit: Callable[..., Visit]
) -> None:
    window = visit(make_person(tenant, "officer"), width=width)
    for path in ("/audit/reports", "/audit/known", "/jobs", "/audit"):
        page = window.open(path)
        wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, path
