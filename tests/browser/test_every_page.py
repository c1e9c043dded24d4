"""Every page of `dashboard.urls` with the demo's data in Chromium: axe, both themes, no sideways
scroll at 360 px, no complaint of the browser; and each says where and as whom one is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from django.db import transaction

from audit.models import Event, Job
from conversations.models import GoldenQuestion
from dashboard.urls import urlpatterns
from erasure.models import SubjectRequest
from memories.models import Finding, Memory, SweepScope
from memoryhub.demonstrating.making import Demo
from policies.models import Hold, RuleSet
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import ApiKey, Membership, User
from tests.browser.conftest import Visit
from tests.browser.test_pages import _findings

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1200)]

NO_PAGES = frozenset({
    "invitation", "styleguide", "job_file", "job_manifest", "audit_bundle", "request_package",
    "rule_document", "account_login", "mfa_download_recovery_codes",
})  # fmt: skip
"""Files, and pages of people who are not signed in (test_pages has those)."""
OUTSIDE = re.compile(r"^/(account|tenants|signout|help)")
"""Pages of the person, which speak of no tenant's rule set."""

WIDE = """[...document.querySelectorAll("main *")].filter(
  (one) => one.getBoundingClientRect().right > innerWidth && !one.closest(".scroll, .pan, pre")
).slice(0, 3).map((one) => one.outerHTML.slice(0, 120)).join(" | ")"""
"""What reaches beyond the window, for whoever reads the failure."""


def _things(demo: Demo) -> dict[str, str]:
    """What stands for the variable parts of addresses."""
    with acting_as(operator_actor(demo.tenant.id)), transaction.atomic():
        quarantined = Memory.objects.exclude(quarantined_at=None)[0].id
        found = {
            "memory_id": Memory.objects.filter(quarantined_at=None)[0].id,
            "event_id": Event.objects.order_by("-at")[0].id,
            "request_id": SubjectRequest.objects.filter(closed_at=None)[0].id,
            "hold_id": Hold.objects.filter(state="release_requested")[0].id,
            "finding_id": Finding.objects.all()[0].id,
            "question_id": GoldenQuestion.objects.all()[0].id,
            "job_id": Job.objects.filter(state="done")[0].id,
            "n": RuleSet.objects.filter(state="simulated")[0].n,
            "quarantined": quarantined,
            "closed": SubjectRequest.objects.filter(outcome="erased")[0].id,
            "reviewed": Memory.objects.exclude(review_at=None)[0].id,
        }  # fmt: skip
    found |= {
        "key_id": ApiKey.objects.filter(tenant=demo.tenant, revoked_at=None)[0].id,
        "member_id": Membership.objects.filter(tenant=demo.tenant)[0].id,
        "place": 0, "slug": demo.tenant.slug, "act": "release", "step": "identity",
        "do": "label", "kind": "key", "name": "events", "sort": "rules",
    }  # fmt: skip
    return {name: str(value) for name, value in found.items()}


def _addresses(things: dict[str, str]) -> Iterator[str]:
    for pattern in urlpatterns:
        own = {
            "quarantined": {"memory_id": things["quarantined"]},
            "certificate": {"request_id": things["closed"]},
            "review": {"memory_id": things["reviewed"]},
        }.get(pattern.name, {})
        route = "/" + str(pattern.pattern)
        for name, value in {**things, **own}.items():
            route = re.sub(rf"<\w+:{name}>", value, route)
        if "<" not in route and pattern.name not in NO_PAGES:
            yield route


@pytest.mark.parametrize(
    ("theme", "language", "width"), [("light", "en", 1280), ("dark", "zh-hans", 360)]
)
def test_axe_finds_nothing_on_any_page_and_none_scrolls_sideways(
    theme: str, language: str, width: int, demo: Demo, make_person: Callable[..., User],
    visit: Callable[..., Visit],
) -> None:  # fmt: skip
    with acting_as(operator_actor(demo.tenant.id)), transaction.atomic():
        scope = str(SweepScope.objects.all()[0].id)
    things = _things(demo) | {"scope_id": scope}
    wrong: dict[str, list[str]] = {}
    seen: set[str] = set()
    for role in ("officer", "admin"):
        person = visit(make_person(demo.tenant, role), theme=theme, language=language, width=width)
        for address in _addresses(things):
            answer = person.page.request.get(person.address + address)
            is_page = answer.status == 200 and "text/html" in answer.headers["content-type"]
            if not is_page or "<main" not in answer.text():
                continue
            seen.add(address)
            found = _look(person, address)
            if found:
                wrong[f"{role} {address}"] = found
    assert len(seen) > 55, sorted(seen)
    assert wrong == {}


def _look(person: Visit, address: str) -> list[str]:
    page = person.open(address)
    for summary in page.locator("details.more > summary").all():
        summary.click()
    found = [*_findings(person), *person.complaints]
    person.complaints.clear()
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        found.append(f"scrolls sideways: {page.evaluate(WIDE)}")
    if not OUTSIDE.match(address):
        told = page.locator(".asof").inner_text() if page.locator(".asof").count() else ""
        if not re.search(r"\d{2}:\d{2}:\d{2}", told) or not re.search(r"\d+$", told.strip()):
            found.append(f"does not say as of when, by which rules: {told!r}")
    return found
