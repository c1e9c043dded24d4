"""Each page and each form of the dashboard leaves exactly the events it should.

Whoever adds an address says here what looking at it leaves, and what sending its form leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern

from audit.events import EVENTS
from dashboard.urls import urlpatterns
from tests.audit.everywhere.forms import FORMS, Form
from tests.audit.everywhere.test_account_pages import OF_ACCOUNTS
from tests.audit.everywhere.visiting import SEALED, SECRET, Visits
from tests.audit.everywhere.world import NOTHING, World

NOWHERE = "00000000-0000-7000-8000-00000000000f"


@dataclass(frozen=True)
class Look:
    """Who looks, at what in its address, and what that leaves."""

    left: tuple[str, ...] = NOTHING
    by: str = "O"
    at: Callable[[Visits], str] | None = None
    """The whole address; by default the pattern's own, which has no variable parts."""


def _of(path: str, make: Callable[[Visits], Any]) -> Callable[[Visits], str]:
    return lambda visits: path.format(make(visits))


MEMORY: Callable[[Visits], Any] = lambda visits: visits.memory()  # noqa: E731
DRAFT: Callable[[Visits], Any] = lambda visits: visits.draft()  # noqa: E731
LOOKS: dict[str, Look] = {
    "overview": Look(),
    "memories": Look(("memory.search",)),
    "memory": Look(("memory.get",), at=_of("/memories/{}", MEMORY)),
    "sessions": Look(),
    "recall": Look(("golden.read",)),
    "reveal": Look(at=_of("/memories/{}/reveal", lambda visits: visits.memory(SEALED))),
    "memory_step": Look(at=_of("/memories/{}/do/label", MEMORY)),
    "privacy": Look(),
    "detectors": Look(),
    "privacy_rules": Look(),
    "privacy_patterns": Look(),
    "privacy_allowed": Look(),
    "remove_privacy_rule": Look(
        by="A", at=_of("/privacy/allowed/{}/remove", lambda visits: visits.allowed())
    ),
    "encryption_keys": Look(),
    "quarantined": Look(at=_of("/privacy/{}", lambda visits: visits.memory(SECRET))),
    "retention": Look(),
    "rule_versions": Look(),
    "sweep_runs": Look(),
    "reviews": Look(),
    "review": Look(at=_of("/retention/reviews/{}", lambda visits: visits.waiting())),
    "rule_version": Look(at=_of("/retention/{}", DRAFT)),
    "rule_difference": Look(at=_of("/retention/{}/difference", DRAFT)),
    "rule_document": Look(at=_of("/retention/{}/rules.yaml", DRAFT)),
    "edit_document": Look(at=_of("/retention/{}/text", DRAFT)),
    "edit_cases": Look(at=_of("/retention/{}/examples", DRAFT)),
    "edit_rule": Look(at=_of("/retention/{}/rules/0", DRAFT)),
    "simulation": Look(at=_of("/retention/{}/simulation", lambda visits: visits.simulated())),
    "moved": Look(at=_of("/retention/{}/moved", lambda visits: visits.simulated())),
    "approve_rules": Look(at=_of("/retention/{}/approve", lambda visits: visits.simulated())),
    "activate_rules": Look(at=_of("/retention/{}/activate", lambda visits: visits.approved())),
    "holds": Look(),
    "place_hold": Look(),
    "hold": Look(at=_of("/holds/{}", lambda visits: visits.hold())),
    "hold_step": Look(at=_of("/holds/{}/release", lambda visits: visits.hold())),
    "requests": Look(),
    "new_request": Look(),
    "request": Look(("request.read",), at=_of("/requests/{}", lambda visits: visits.request())),
    "request_step": Look(at=_of("/requests/{}/identity", lambda visits: visits.request())),
    "request_package": Look(
        ("request.package",),
        at=_of("/requests/{}/package", lambda visits: visits.carried_out("access")),
    ),
    "certificate": Look(
        at=_of("/requests/{}/certificate", lambda visits: visits.carried_out("erasure"))
    ),
    "audit": Look(),
    "event": Look(at=_of("/audit/{}", lambda visits: visits.event())),
    "integrity": Look(),
    "audit_bundle": Look(
        ("job.file",), at=_of("/audit/integrity/bundle/{}", lambda visits: visits.bundle())
    ),
    "reports": Look(),
    "known": Look(),
    "jobs": Look(),
    "job": Look(at=_of("/jobs/{}", lambda visits: visits.job())),
    "job_file": Look(
        ("job.file",), at=_of("/jobs/{}/file", lambda visits: visits.job(is_run=True))
    ),
    "job_manifest": Look(at=_of("/jobs/{}/manifest", lambda visits: visits.job(is_run=True))),
    "members": Look(by="A"),
    "invite": Look(by="A"),
    "review_access": Look(by="A"),
    "member": Look(by="A", at=_of("/access/{}", lambda visits: visits.member())),
    "remove_member": Look(by="A", at=_of("/access/{}/remove", lambda visits: visits.member())),
    "keys": Look(by="A"),
    "new_key": Look(by="A"),
    "revoke_key": Look(by="A", at=_of("/access/keys/{}/revoke", lambda visits: visits.key())),
    "settings": Look(by="A"),
    "engine": Look(),
    "findings": Look(),
    "finding": Look(at=_of("/settings/findings/{}", lambda visits: visits.finding())),
    "sweeps": Look(by="A"),
    "sweep_scope": Look(by="A", at=_of("/settings/sweeps/{}", lambda visits: visits.sweep_scope())),
    "tenants": Look(),
    "help": Look(),
}


@pytest.fixture(scope="module")
def visits(world: World, owner_url: str) -> Visits:
    found = Visits(world, owner_url)
    found.question()
    return found


def _takes(pattern: URLPattern, method: str) -> bool:
    """Whether an address takes a method, as it tells even those who are nobody."""
    route = "/" + str(pattern.pattern)
    for kind, value in (("uuid", NOWHERE), ("int", "1"), ("slug", "x"), ("str", "x")):
        while f"<{kind}:" in route:
            before, _, rest = route.partition(f"<{kind}:")
            route = before + value + rest.partition(">")[2]
    return Client().generic(method, route).status_code != 405


def test_every_page_and_form_has_its_line(hub: str) -> None:
    """A new address must say here what looking at it leaves, and what sending its form leaves."""
    taken = {
        f"{method} {pattern.name}"
        for pattern in urlpatterns
        for method in ("GET", "POST")
        if _takes(pattern, method)
    }
    looks, forms = {f"GET {name}" for name in LOOKS}, {f"POST {name}" for name in FORMS}
    assert taken == looks | forms | set(OF_ACCOUNTS)
    told = [look.left for look in LOOKS.values()]
    told += [form.left for several in FORMS.values() for form in several]
    assert {action for left in (*told, *OF_ACCOUNTS.values()) for action in left} <= set(EVENTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", LOOKS)
def test_a_page_leaves_exactly_its_events(visits: Visits, name: str) -> None:
    look = LOOKS[name]
    pattern = next(one for one in urlpatterns if one.name == name)
    where = look.at(visits) if look.at else f"/{pattern.pattern}"
    answer, left = visits.visit(look.by, "GET", where)
    assert answer.status_code == 200, answer.content
    assert left == look.left


@pytest.mark.slow
@pytest.mark.parametrize(
    "form",
    [pytest.param(form, id=f"{name} {place}") for name, several in FORMS.items()
     for place, form in enumerate(several)],
)  # fmt: skip
def test_a_form_leaves_exactly_its_events(visits: Visits, form: Form) -> None:
    where, data = form.of(visits)
    answer, left = visits.visit(form.by, "POST", where, data)
    assert answer.status_code == form.status, answer.content
    assert left == form.left
