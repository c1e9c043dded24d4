"""The log's integrity in Chromium: verify it now, see the verdict, look at an event's proof."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from audit.jobs import run_job
from audit.models import Job
from tenants.actors import job_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.audit.reading import events_of
from tests.audit.sealing_all import seal_all
from tests.audit.tampering import write_events
from tests.browser.conftest import Visit
from tests.browser.test_pages import _findings

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("theme", "language", "width"), [("light", "en", 1280), ("dark", "zh-hans", 360)]
)
def test_an_auditor_verifies_the_log_and_sees_a_proof(
    theme: str, language: str, width: int, tenant: Tenant, settings: Any, tmp_path: Path,
    make_person: Callable[..., User], visit: Callable[..., Visit],
) -> None:  # fmt: skip
    settings.MEMORYHUB_ANCHORS = str(tmp_path / "anchors.jsonl")
    settings.SEAL_LAG_SECONDS = 3600  # nobody seals meanwhile, however slow the browser is
    write_events(tenant, 9)
    seal_all()
    window = visit(make_person(tenant, "auditor"), theme=theme, language=language, width=width)
    page = window.open("/audit/integrity")
    assert _findings(window) == []
    page.click("form[action$=verify] button")
    page.wait_for_selector("#progress")
    assert _findings(window) == []
    with acting_as(job_actor("test", tenant.id)):
        with transaction.atomic():
            job = Job.objects.get(kind="audit.verify")
        run_job(job.id)
    page.wait_for_selector(".banner[data-tone=ok]")
    assert _findings(window) == []
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    event = events_of(tenant, action="memory.put")[4]
    page = window.open(f"/audit/{event.id}")
    page.locator("details.more summary").first.click()
    assert page.locator("ol.proof li").count() >= 4
    assert page.locator(".okay").count() == 1
    assert _findings(window) == []
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    assert window.complaints == []
